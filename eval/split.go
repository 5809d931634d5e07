package eval

// A Split says which rows were measured.
type Split string

// The splits.
const (
	Holdout   Split = "hold-out"
	Training  Split = "training rows"
	Table     Split = "evaluation file"
	OutOfFold Split = "training rows, out of fold" // each by models trained without it
)
