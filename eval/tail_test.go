package eval_test

import (
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

// A tail of a few rows has no interval to be had by resampling them: nothing is
// claimed from it.
func TestVerdict_TailOfFewRows(t *testing.T) {
	for _, c := range []struct {
		rows int
		want bool
	}{{4, false}, {99, false}, {100, true}} {
		in := eval.Input{Task: eval.Regression, LossName: "squared", Target: make([]float64, c.rows), Resamples: 100}
		for k, name := range []string{"ERM", "robust"} {
			m := eval.Model{Name: name, Score: make([]float64, c.rows), Loss: make([]float64, c.rows)}
			for i := range m.Score {
				m.Score[i] = float64(i%7) + float64(k)*0.1
				m.Loss[i] = m.Score[i] * m.Score[i] / 2
			}
			in.Models = append(in.Models, m)
		}
		e := evaltest.Evaluate(t, in)
		if got := e.Compared[0].CVaR.Interval != nil; got != c.want {
			t.Errorf("%d rows: interval %v", c.rows, e.Compared[0].CVaR.Interval)
		}
		if !c.want && e.Verdict.Outcome != eval.TooLittleData {
			t.Errorf("%d rows: %s", c.rows, e.Verdict.Outcome)
		}
	}
}
