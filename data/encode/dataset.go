package encode

import (
	"github.com/drotrain/drotrain/data/facts"
	"github.com/drotrain/drotrain/design"
)

// A Dataset holds encoded rows with their targets and groups. Its methods panic if a row index is out of range.
type Dataset struct {
	N, D int

	X     design.Matrix // N×D: encoded features, then the intercept column if there is one
	Names []string      // D column names, e.g. "education", "region=south", "(intercept)"

	// Intercept is the index of the constant column in X, or -1.
	Intercept int

	// Target holds N numbers in the units in which the loss is evaluated: ±1 for a binary target, the index of the
	// class for more than two classes, and for a number v the value (v − Shift)/Scale; see [Target]. It is nil if
	// the frame has no target column, or if the rows were encoded without it.
	Target []float64

	// Exposure holds the N positive numbers by which the target was divided, or nil if there is no exposure.
	Exposure []float64

	Groups []Grouping // one grouping for each group column, then one for the combinations of all of them

	Rows []int // row numbers (0-based) in the frame, for messages
}

// Row returns the encoded columns of row i, including the intercept.
func (d *Dataset) Row(i int) []float64 {
	row := make([]float64, d.D)
	d.X.RowTo(row, i)
	return row
}

// A Grouping assigns each row of a Dataset to one group.
type Grouping = facts.Grouping
