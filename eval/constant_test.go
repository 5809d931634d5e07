package eval_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
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

// With several classes a constant of equal probabilities is degenerate, though rounding predicts different classes; a
// model whose probability of the actual class moves is not.
func TestEvaluate_ConstantOfSeveralClassesIsDegenerate(t *testing.T) {
	const n, k = 300, 3
	for name, c := range map[string]struct {
		p        [k]float64 // the probabilities of the classes
		spread   float64
		constant bool
	}{
		"tied up to rounding": {[k]float64{1. / k, 1. / k, 1. / k}, 1e-16, true},
		"two classes tied":    {[k]float64{0.4, 0.4, 0.2}, 1e-16, true},
		"not tied":            {[k]float64{0.5, 0.3, 0.2}, 1e-16, false}, // but both are predicted
		"moving":              {[k]float64{1. / k, 1. / k, 1. / k}, 5e-3, false},
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 4))
			in := eval.Input{Task: eval.Multiclass, LossName: "softmax", Classes: []string{"a", "b", "c"}, Resamples: 200,
				Models: []eval.Model{{Name: "ERM", Role: eval.StandardModel}, {Name: "robust", Role: eval.RobustModel}}}
			for range n {
				target := rng.IntN(k)
				in.Target = append(in.Target, float64(target))
				for m, p := range []float64{0.1 + 0.8*rng.Float64(), c.p[target] + c.spread*(rng.Float64()-0.5)} {
					predicted, place := int32(rng.IntN(2)), int32(1)
					if predicted != int32(target) {
						place = 2
					}
					of := &in.Models[m]
					of.Score, of.Loss = append(of.Score, p), append(of.Loss, -math.Log(p))
					of.Class, of.Place = append(of.Class, predicted), append(of.Place, place)
				}
			}
			e, err := eval.Evaluate(context.Background(), in)
			if err != nil {
				t.Fatal(err)
			}
			if (e.Verdict.Outcome == eval.Degenerate) != c.constant || e.Models[1].Constant != c.constant ||
				e.Models[0].Constant {
				t.Errorf("%+v", e.Verdict)
			}
		})
	}
}

// The deviance of counts is in nats, as the log loss is, but the constant prediction has no log loss.
func TestEvaluate_ConstantOfCountsHasNoRisk(t *testing.T) {
	in := evaltest.Two(300, 3, 0.3, 4)
	in.LossName, in.LossUnit = "poisson", "nats"
	e := evaltest.Evaluate(t, in)
	for _, constants := range []map[string]eval.Num{e.Constants, e.Groupings[0].Groups[0].Constants} {
		if risk, ok := constants["risk"]; ok || !(constants["rmse"] > 0) {
			t.Errorf("the constant prediction has the risk %v and the RMSE %v", risk, constants["rmse"])
		}
	}
	e = evaltest.Evaluate(t, evaltest.Loans())
	if risk := e.Constants["risk"]; !(math.Abs(float64(risk)-math.Ln2) <= 1e-12) {
		t.Errorf("half of the loans are denied, but a constant has the log loss %v", risk)
	}
}

// The most frequent class is that of the largest weight.
func TestConstantSentence_WeightedClasses(t *testing.T) {
	in := eval.Input{Task: eval.Multiclass, Classes: []string{"a", "b", "c"}, LossName: "logistic", LossUnit: "nats",
		Models: []eval.Model{{Name: "m"}}}
	for i := range 30 {
		class, weight := 0, 1.0
		if i%3 == 2 { // a third of the rows, with most of the weight
			class, weight = 1, 5
		}
		m := &in.Models[0]
		in.Target, in.Weight = append(in.Target, float64(class)), append(in.Weight, weight)
		m.Score, m.Loss = append(m.Score, 0.5), append(m.Loss, math.Ln2)
		m.Class, m.Place = append(m.Class, int32(class)), append(m.Place, 1)
	}
	e := evaltest.Evaluate(t, in)
	if got := e.ConstantSentence(); !strings.HasPrefix(got, "Always predicting “b” would be right in 71.4") {
		t.Error(got)
	}
}
