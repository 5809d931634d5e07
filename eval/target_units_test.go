package eval_test

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

// For people the risks of a squared loss are root mean squares, with intervals that hold them, and
// the report they come from stays as it was; other losses stay as they are.
func TestReport_InTargetUnits(t *testing.T) {
	raw := &eval.Report{Evaluation: evaluated(t, evaltest.Two(600, 3, 0.3, 4))}
	before := raw.Evaluation.Models[0].Overall.Risk()
	r := raw.InTargetUnits()
	e := r.Evaluation
	if raw.Evaluation.Models[0].Overall.Risk() != before || raw.Evaluation.Loss == eval.RootMeanSquare {
		t.Fatal("the report itself was changed")
	}
	same := func(what string, a, b eval.Num) {
		t.Helper()
		if !(math.Abs(float64(a-b)) <= 1e-12*(1+math.Abs(float64(b)))) {
			t.Errorf("%s: %v, want %v", what, a, b)
		}
	}
	within := func(what string, v eval.Num, iv *eval.Interval) {
		t.Helper()
		if iv == nil || !(iv.Low <= v && v <= iv.High) {
			t.Errorf("%s: %v is not within %+v", what, v, iv)
		}
	}
	c := e.Compared[0]
	for k, m := range e.Models {
		same(m.Name, m.Overall.Risk(), m.Overall.Of["rmse"])
		within(m.Name, m.WorstGroup.Risk, m.WorstGroup.MaxInterval)
		for i, h := range e.Headline().Groups {
			g := h.Models[k]
			same(h.Label, g.Values.Risk(), g.Values.Of["rmse"])
			within(h.Label, g.Values.Risk(), g.Simultaneous)
			if k > 0 {
				same("change", c.Groups[i].Value, g.Values.Of["rmse"]-h.Models[0].Values.Of["rmse"])
				within("change", c.Groups[i].Value, c.Groups[i].Simultaneous)
			}
		}
	}
	same("worst group", c.WorstGroup.Value, e.Models[1].WorstGroup.Risk-e.Models[0].WorstGroup.Risk)
	within("worst group", c.WorstGroup.Value, c.WorstGroup.Interval)
	if r.InTargetUnits() != r {
		t.Error("a second conversion changes the report")
	}
	binary := evaltest.Sample(t, eval.Binary)
	if binary.InTargetUnits() != binary {
		t.Error("a report of two classes is changed")
	}
	in := evaltest.Two(600, 3, 0.3, 4)
	for k := range in.Models {
		for i := range in.Models[k].Loss {
			in.Models[k].Loss[i] = math.Sqrt(in.Models[k].Loss[i])
		}
	}
	if other := (&eval.Report{Evaluation: evaluated(t, in)}); other.InTargetUnits() != other {
		t.Error("a report of another loss is changed")
	}
}

func evaluated(t *testing.T, in eval.Input) *eval.Evaluation {
	t.Helper()
	e := evaltest.Evaluate(t, in)
	return e
}
