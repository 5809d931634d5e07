package eval

import "github.com/drotrain/drotrain/internal/printable"

// A Split describes the rows on which models were evaluated.
type Split string

// The splits.
const (
	Holdout   Split = "hold-out"
	Training  Split = "training rows"
	Table     Split = "evaluation file"
	OutOfFold Split = "training rows, out of fold" // each row is predicted by models trained without it
)

// Rows describes n rows of the split, as in "476 hold-out rows".
func (s Split) Rows(n int) string {
	switch s {
	case Holdout:
		return printable.Plural(n, "hold-out row", "hold-out rows")
	case Training:
		return printable.Plural(n, "training row", "training rows")
	case OutOfFold:
		return printable.Plural(n, "training row, out of fold", "training rows, out of fold")
	}
	return printable.Plural(n, "row", "rows") + " of the evaluation file"
}
