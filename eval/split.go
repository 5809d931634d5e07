package eval

// A Split describes the rows on which models were evaluated.
type Split string

// The splits.
const (
	Holdout   Split = "hold-out"
	Training  Split = "training rows"
	Table     Split = "evaluation file"
	OutOfFold Split = "training rows, out of fold" // each row is predicted by models trained without it
)
