package eval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
	"github.com/drotrain/drotrain/internal/shard"
)

// A measurement that is cancelled, at whatever step, ends there with the context's error.
func TestEvaluate_CancelledAtEveryStep(t *testing.T) {
	in := crossed(eval.Regression, 1500, false, 3)
	for j := range 3 {
		x := make([]float64, len(in.Target))
		for i := range x {
			x[i] = float64((i*(j+3) + i/7) % 11)
		}
		in.Columns = append(in.Columns, eval.Column{Name: string(rune('a' + j)), Value: x})
	}
	defer shard.LimitThreads(1)()
	phases := map[string]int{}
	in.Observe = func(p eval.Progress) { phases[p.Phase] = p.Total }
	if _, err := eval.Evaluate(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if len(phases) < 8 {
		t.Errorf("phases %v", phases)
	}
	for phase, total := range phases {
		ctx, cancel := context.WithCancel(t.Context())
		last := eval.Progress{}
		in.Observe = func(p eval.Progress) {
			last = p
			if p.Phase == phase && p.Done == total/2 {
				cancel()
			}
		}
		e, err := eval.Evaluate(ctx, in)
		if e != nil || !errors.Is(err, context.Canceled) || last.Phase != phase || last.Done > total/2+1 {
			t.Errorf("cancelled at %d of %d of %q: %v, after %+v", total/2, total, phase, err, last)
		}
		cancel()
	}
}

// A file of metrics in which something is missing that others speak of is refused, with what it is.
func TestRead_Contradictions(t *testing.T) {
	in := evaltest.Two(60, 3, 0.1, 4)
	in.Resamples = 100
	e := evaltest.Evaluate(t, in)
	var whole bytes.Buffer
	if err := e.WriteJSON(&whole); err != nil {
		t.Fatal(err)
	}
	third := eval.OtherGroups{Label: []string{"x"}, N: []int{1}, Risk: [][]eval.Num{{1}, {2}}}
	for _, c := range []struct {
		want   string // "": it is read
		change func(e *eval.Evaluation)
	}{
		{`has task "ranking"`, func(e *eval.Evaluation) { e.Task = "ranking" }},
		{"has no model", func(e *eval.Evaluation) { e.Models = nil }},
		{"a binary task has no threshold", func(e *eval.Evaluation) { e.Task = eval.Binary }},
		{"2 comparisons with the baseline", func(e *eval.Evaluation) { e.Compared = append(e.Compared, e.Compared[0]) }},
		{"model 1 of the evaluation has no name", func(e *eval.Evaluation) { e.Models[1].Name = "" }},
		{"has 1 summaries for 2 models", func(e *eval.Evaluation) { e.Groupings[0].Summary = e.Groupings[0].Summary[:1] }},
		{`"g": the lists in other_groups`, func(e *eval.Evaluation) {
			o := third
			o.N = nil
			e.Groupings[0].Others = &o
		}},
		{`"g": the lists in other_groups`, func(e *eval.Evaluation) {
			o := third
			o.Risk = o.Risk[:1]
			e.Groupings[0].Others = &o
		}},
		{`eval: grouping "g": the lists in other_groups`, func(
			e *eval.Evaluation) {
			o := third
			o.Risk = [][]eval.Num{{1}, {}}
			e.Groupings[0].Others = &o
		}},
		{`group "g00001" of grouping "g" has entries for 1 of 2 models`,
			func(e *eval.Evaluation) { h := &e.Groupings[0].Groups[1]; h.Models = h.Models[:1] }},
		{`model "robust" has no worst group, but model "ERM" has one`,
			func(e *eval.Evaluation) { e.Models[1].WorstGroup = nil }},
		{`worst group "x" is not in the last`, func(e *eval.Evaluation) { e.Models[0].WorstGroup.Label = "x" }},
		{`is not in the last grouping`, func(e *eval.Evaluation) { e.Groupings = nil }},
		{`the 2 group differences of model "robust" do not match`,
			func(e *eval.Evaluation) { c := &e.Compared[0]; c.Groups = c.Groups[:2] }},
		{"a comparison does not name its model", func(e *eval.Evaluation) { e.Compared[0].Model = "" }},
		{"", func(e *eval.Evaluation) { e.Compared = nil }},
		{"", func(e *eval.Evaluation) { e.Groupings[0].Others = &third }},
		{"", func(e *eval.Evaluation) { e.Models[0].WorstGroup, e.Models[1].WorstGroup = nil, nil }},
	} {
		var changed eval.Evaluation
		if err := json.Unmarshal(whole.Bytes(), &changed); err != nil {
			t.Fatal(err)
		}
		c.change(&changed)
		var b bytes.Buffer
		if err := changed.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		_, err := eval.ReadEvaluation(&b)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q, not %v", c.want, err)
		}
	}
}

// Losses are those of the scores where a model has none: logistic in nats of two classes, squared
// of numbers, what is named if it needs no more than scores, and never where they are there.
func TestEvaluate_MissingLosses(t *testing.T) {
	for _, c := range []struct {
		task             eval.Task
		name, unit       string // as given
		loss, unitWanted string
		risk             float64 // of the second model
	}{
		{eval.Binary, "", "", "logistic", "nats", -math.Log(0.25)},
		{eval.Binary, "", "bits", "logistic", "bits", -math.Log(0.25)},
		{eval.Binary, "squared", "", "squared", "", 0.75 * 0.75 / 2},
		{eval.Regression, "", "", "squared", "", (0.75*0.75 + 1.25*1.25) / 4},
		{eval.Regression, "huber", "", "", "", 0},
		{eval.Regression, "logistic", "", "", "", 0},
	} {
		in := eval.Input{Task: c.task, LossName: c.name, LossUnit: c.unit, Target: []float64{1, -1},
			Models: []eval.Model{{Name: "own", Score: []float64{0.5, 0.5}, Loss: []float64{7, 9}},
				{Name: "none", Score: []float64{0.25, 0.75}}}}
		if c.task == eval.Regression {
			in.Models[1].Score[1] = 0.25
		}
		e, err := eval.Evaluate(t.Context(), in)
		if c.loss == "" {
			if err == nil {
				t.Errorf("%s of a %s task is taken", c.name, c.task)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %s: %v", c.task, c.name, err)
			continue
		}
		own, none := float64(e.Models[0].Overall.Risk()), float64(e.Models[1].Overall.Risk())
		if e.Loss != c.loss || e.LossUnit != c.unitWanted || own != 8 || !(math.Abs(none-c.risk) <= 1e-12) {
			t.Errorf("%s %q: %s in %q, risks %v and %v, want %v", c.task, c.name, e.Loss, e.LossUnit, own, none, c.risk)
		}
		if in.Models[1].Loss != nil {
			t.Error("the caller's models are changed")
		}
	}
}
