package encode

import (
	"github.com/drotrain/drotrain/data/facts"
	"github.com/drotrain/drotrain/design"
)

// A Dataset holds encoded rows as plain slices, without Arrow types. Its methods panic for a row that it does not
// have.
type Dataset struct {
	N, D int

	X     design.Matrix // N×D: encoded features, then the intercept column if there is one
	Names []string      // D column names, e.g. "education", "region=south", "(intercept)"

	// Intercept is the index of the constant column in X, or -1.
	Intercept int

	// Target holds N numbers in the units the loss is evaluated in: ±1 for a
	// binary target, otherwise (raw − Shift)/Scale of the target's encoding.
	// It is nil when the frame has no target column (prediction).
	Target []float64

	// Exposure holds N positive numbers that the target was divided by; nil without an exposure.
	Exposure []float64

	Groups []Grouping // one per requested grouping: every single column, then all of them crossed

	Rows []int // row numbers (0-based) in the frame, for naming a row to the user
}

// Row returns the features of row i.
func (d *Dataset) Row(i int) []float64 {
	row := make([]float64, d.D)
	d.X.RowTo(row, i)
	return row
}

// A Grouping assigns each row of a Dataset to one group.
type Grouping = facts.Grouping
