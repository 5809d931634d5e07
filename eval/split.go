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

// DescribeRows describes the evaluated rows, as in "476 hold-out rows" or "20 rows of new.csv where age > 30".
func (e *Evaluation) DescribeRows() string {
	if e.Split == Table && e.Table != "" {
		return printable.Plural(e.N, "row", "rows") + " of " + e.Table + e.describeFilter()
	}
	return e.Split.Rows(e.N) + e.describeFilter()
}

// CountRows returns the number of evaluated rows with the condition that selected them, as in "20 rows where age > 30".
func (e *Evaluation) CountRows() string {
	return printable.Plural(e.N, "row", "rows") + e.describeFilter()
}

// describeFilter returns the condition that selected the rows, as in " where age > 30", or "" if there is none.
func (e *Evaluation) describeFilter() string {
	if e.Filter == "" {
		return ""
	}
	return " where " + e.Filter
}
