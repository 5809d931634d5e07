package eval

import "github.com/drotrain/drotrain/eval/internal/measure"

// A Role says what a model is among those of a training.
type Role = measure.Role

// The roles. The zero value is a model from elsewhere, spoken of by its name alone.
const (
	OtherModel    = measure.OtherModel
	StandardModel = measure.StandardModel // ERM: the minimiser of the average loss
	RobustModel   = measure.RobustModel   // trained against an adversary
	BalancedModel = measure.BalancedModel // ERM with the same total weight for every group
	RescaledModel = measure.RescaledModel // ERM with another slope and intercept on its scores
)

// A Split says which rows were measured.
type Split string

// The splits.
const (
	Holdout   Split = "hold-out"
	Training  Split = "training rows"
	Table     Split = "evaluation file"
	OutOfFold Split = "training rows, out of fold" // each by models trained without it
)
