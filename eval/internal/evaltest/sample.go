package evaltest

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/drotrain/drotrain/eval"
)

// Sample returns a full report on the fixture rows, with a made-up second model.
func Sample(t testing.TB, task eval.Task) *eval.Report {
	f := Read(t)
	in := f.Input(task)
	second := eval.Model{Name: "robust", Role: eval.RobustModel}
	for i := range in.Target {
		s, l := in.Models[0].Score[i], 0.0
		if task == eval.Binary {
			s = 0.5 + 0.7*(s-0.5)
			l = -math.Log(s)
			if in.Target[i] < 0 {
				l = -math.Log(1 - s)
			}
		} else {
			s = 300 + 0.8*(s-300)
			l = (s - in.Target[i]) * (s - in.Target[i]) / 5000
		}
		second.Score, second.Loss = append(second.Score, s), append(second.Loss, l)
	}
	in.Models = append(in.Models, second)
	in.Resamples, in.Seed, in.MinGroupSize = 200, 1, 75
	in.LossUnit = map[eval.Task]string{eval.Binary: "nats", eval.Regression: "SD²"}[task]
	if task == eval.Regression {
		in.TargetUnit = "USD/week"
	}
	in.Columns = []eval.Column{{Name: "x", Value: in.Models[0].Score}}
	e := Evaluate(t, in)
	y, sum := make([]float64, len(second.Loss)), 0.0 // weights that grow with the loss
	for i, l := range second.Loss {
		y[i] = 1 + max(0, l)
		sum += y[i]
	}
	for i := range y {
		y[i] /= sum
	}
	a, err := eval.DescribeAdversary(eval.AdversaryInput{Weights: y, Penalty: "chi2", Nu: 0.5, Loss: second.Loss,
		Groups: in.Groups})
	if err != nil {
		t.Fatal(err)
	}
	r := &eval.Report{Title: "Sample", Evaluation: e, Adversary: a,
		Objective: eval.Objective{Loss: "logistic", Penalty: "chi2", Nu: 0.5, Mu: 0.01, N: 400, SelectedAlike: true},
		Facts:     []eval.Fact{{Key: "Seed", Value: "1"}},
		Certificate: &eval.Certificate{Upper: 0.5, Lower: 0.4999999, Gap: 1e-7, RelativeGap: 2e-7, Target: 1e-6,
			Certified: true, Passes: 24, Seconds: 0.5},
		Coefficients: &eval.Coefficients{Models: []string{"ERM", "robust"}, Scaled: "log-odds per standard deviation",
			Rows: []eval.Coefficient{{Name: "age", Original: []eval.Num{0.01, 0.02}, Scaled: []eval.Num{0.1, 0.2}},
				{Name: "debt", Original: []eval.Num{-1, -0.5}, Scaled: []eval.Num{-0.4, -0.2}}}},
		Command: "drotrain train sample.csv"}
	return r
}

// Evaluate evaluates an input that has no fault.
func Evaluate(t testing.TB, in eval.Input) *eval.Evaluation {
	t.Helper()
	e, err := eval.Evaluate(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Finite fails on any NaN or infinity hidden in JSON text, and on bad JSON.
func Finite(t *testing.T, b []byte) {
	t.Helper()
	if !json.Valid(b) {
		t.Error("not JSON")
	}
	for _, s := range []string{"NaN", "Inf", "inf,"} {
		if bytes.Contains(b, []byte(s)) {
			t.Errorf("JSON holds %s", s)
		}
	}
}
