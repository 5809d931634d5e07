package evaltest

import (
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
)

// Loans returns a small binary problem: eight rows, two groups, two models.
func Loans() eval.Input {
	return eval.Input{
		Task: eval.Binary, LossName: "logistic", LossUnit: "nats",
		Target: []float64{1, -1, 1, -1, 1, -1, -1, 1}, TargetName: "deny", Positive: "yes",
		Models: []eval.Model{
			{Name: "ERM", Role: eval.StandardModel, Score: []float64{0.9, 0.2, 0.8, 0.1, 0.3, 0.6, 0.2, 0.4},
				Loss: []float64{0.105, 0.223, 0.223, 0.105, 1.204, 0.916, 0.223, 0.916}},
			{Name: "robust", Role: eval.RobustModel, Score: []float64{0.8, 0.3, 0.7, 0.2, 0.5, 0.5, 0.3, 0.5},
				Loss: []float64{0.223, 0.357, 0.357, 0.223, 0.693, 0.693, 0.357, 0.693}},
		},
		Groups: []encode.Grouping{{Name: "region", Labels: []string{"north", "south"},
			Index: []int32{0, 0, 0, 0, 1, 1, 1, 1}}},
		Split: "hold-out",
	}
}
