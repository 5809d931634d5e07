package eval_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
)

// A constant model is degenerate and not recommended, even where its average loss is lower.
func TestEvaluate_ConstantModelIsDegenerate(t *testing.T) {
	const n = 400
	for name, c := range map[string]struct {
		spread   float64 // range of the robust model's predictions
		task     eval.Task
		constant bool
	}{
		"probabilities":           {5e-4, eval.Binary, true},
		"probabilities that move": {5e-3, eval.Binary, false},
		"numbers":                 {5e-4, eval.Regression, true},
		"numbers that move":       {5e-3, eval.Regression, false},
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			in := eval.Input{Task: c.task, LossName: "logistic", Resamples: 200,
				Models: []eval.Model{{Name: "ERM", Role: eval.StandardModel}, {Name: "robust", Role: eval.RobustModel}}}
			if c.task == eval.Regression {
				in.LossName = "squared"
			}
			for j := range n {
				target, wrong := rng.NormFloat64(), rng.Float64()
				if c.task == eval.Binary {
					target = float64(2*(j%2) - 1)
				}
				in.Target = append(in.Target, target)
				in.Models[0].Score = append(in.Models[0].Score, wrong) // unrelated to the target
				in.Models[0].Loss = append(in.Models[0].Loss, 2+rng.Float64())
				at := 0.5 + c.spread*(float64(j)/(n-1)-0.5)
				in.Models[1].Score = append(in.Models[1].Score, at)
				in.Models[1].Loss = append(in.Models[1].Loss, 0.7)
			}
			e, err := eval.Evaluate(context.Background(), in)
			if err != nil {
				t.Fatal(err)
			}
			degenerate := e.Verdict.Outcome == eval.Degenerate && e.Verdict.Recommended != "robust" &&
				strings.Contains(e.Verdict.Headline, "constant")
			if degenerate != c.constant || e.Models[1].Constant != c.constant || e.Models[0].Constant {
				t.Errorf("%+v", e.Verdict)
			}
		})
	}
}
