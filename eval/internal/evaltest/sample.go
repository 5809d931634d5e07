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
	e, err := eval.Evaluate(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	y, _, err := eval.WorstCaseChiSquare(second.Loss, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	a, err := eval.DescribeAdversary(eval.AdversaryInput{Weights: y, Penalty: "chi2", Nu: 0.5, Rows: "hold-out", Loss: second.Loss, Groups: in.Groups, Columns: in.Columns})
	if err != nil {
		t.Fatal(err)
	}
	r := &eval.Report{Title: "Sample", Evaluation: e, Adversary: a,
		Objective:   eval.Objective{Loss: "logistic", Penalty: "chi2", Nu: 0.5, Mu: 0.01, N: 400, SelectedAlike: true},
		Facts:       []eval.Fact{{Key: "Seed", Value: "1"}},
		Certificate: &eval.Certificate{Upper: 0.5, Lower: 0.4999999, Gap: 1e-7, RelativeGap: 2e-7, Target: 1e-6, Certified: true, Passes: 24, Seconds: 0.5},
		Coefficients: &eval.Coefficients{Models: []string{"ERM", "robust"}, Scaled: "log-odds per standard deviation",
			Rows: []eval.Coefficient{{Name: "age", Unit: "years", Original: []eval.Num{0.01, 0.02}, Scaled: []eval.Num{0.1, 0.2}}, {Name: "debt", Unit: "", Original: []eval.Num{-1, -0.5}, Scaled: []eval.Num{-0.4, -0.2}}}},
		Command: "drotrain train sample.csv"}
	r.Trace = []eval.TracePoint{{Passes: 1, Seconds: 0.01, Upper: 0.9, Lower: math.Inf(-1)}, {Passes: 2, Seconds: 0.02, Upper: 0.8, Lower: -3}}
	for k := range 10 {
		r.Trace = append(r.Trace, eval.TracePoint{Passes: float64(2*k + 4), Seconds: 0.04 * float64(k+1), Upper: 0.5 + math.Pow(10, -float64(k)), Lower: 0.5 - math.Pow(10, -float64(k))/3})
	}
	return r
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
