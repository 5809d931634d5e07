package encode

import (
	"github.com/drotrain/drotrain/data/facts"
	"github.com/drotrain/drotrain/design"
)

// A Dataset holds encoded rows as plain slices, without Arrow types. Its methods panic if a row index is out of
// range.
type Dataset struct {
	N, D int

	X     design.Matrix // N×D: encoded features, then the intercept column if there is one
	Names []string      // D column names, e.g. "education", "region=south", "(intercept)"

	// Intercept is the index of the constant column in X, or -1.
	Intercept int

	// Target holds N numbers in the units the loss is evaluated in: ±1 for a binary target, and otherwise (v −
	// Shift)/Scale of the raw value v, as [Target] states. It is nil if the frame has no target column
	// (prediction).
	Target []float64

	// Exposure holds the N positive numbers by which the target was divided, or nil if there is no exposure.
	Exposure []float64

	Groups []Grouping // one grouping for each group column, then one for the combinations of all of them

	Rows []int // row numbers (0-based) in the frame, for messages
}

// Row returns the features of row i.
func (d *Dataset) Row(i int) []float64 {
	row := make([]float64, d.D)
	d.X.RowTo(row, i)
	return row
}

// A Grouping assigns each row of a Dataset to one group.
type Grouping = facts.Grouping
