package eval_test

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

// closedForm is the tolerance of numbers with a closed form.
const closedForm = 1e-12

func same(t *testing.T, what string, got eval.Num, want float64) {
	t.Helper()
	if !(math.Abs(float64(got)-want) <= closedForm*math.Max(1, math.Abs(want))) || !got.Defined() {
		t.Errorf("%s = %.17g, want %.17g", what, float64(got), want)
	}
}

// Every measure and every summary agrees with scikit-learn and fairlearn.
func TestMeasures_AgreeWithPeers(t *testing.T) {
	f := evaltest.Read(t)
	for _, task := range []eval.Task{eval.Binary, eval.Regression} {
		e := evaltest.Evaluate(t, f.Input(task))
		checked := 0
		for _, g := range e.Groupings {
			want := f.Expected[task][g.Name]
			for key, x := range want.Overall {
				same(t, g.Name+" overall "+key, e.Models[0].Overall.Of[key], x)
				s := g.Summary[0].Spread[key]
				same(t, g.Name+" group_min "+key, s.GroupMin, want.GroupMin[key])
				same(t, g.Name+" group_max "+key, s.GroupMax, want.GroupMax[key])
				same(t, g.Name+" difference "+key, s.Difference.BetweenGroups, want.Difference[key])
				same(t, g.Name+" difference to overall "+key, s.Difference.ToOverall, want.DifferenceToOverall[key])
				same(t, g.Name+" ratio "+key, s.Ratio.BetweenGroups, want.Ratio[key])
				same(t, g.Name+" ratio to overall "+key, s.Ratio.ToOverall, want.RatioToOverall[key])
				for _, h := range g.Groups {
					same(t, g.Name+"="+h.Label+" "+key, h.Models[0].Values.Of[key], want.ByGroup[h.Label][key])
					checked++
				}
			}
			if len(g.Groups) != len(want.ByGroup) {
				t.Errorf("%s has %d groups, want %d", g.Name, len(g.Groups), len(want.ByGroup))
			}
		}
		if want := 8 * map[eval.Task]int{eval.Binary: 13, eval.Regression: 6}[task]; checked != want {
			t.Errorf("%s: %d group measures compared, want %d", task, checked, want)
		}
	}
}

// With row weights every measure agrees with scikit-learn's sample_weight.
func TestMeasures_WeightedAgainstPeers(t *testing.T) {
	f := evaltest.Read(t)
	for _, task := range []eval.Task{eval.Binary, eval.Regression} {
		in := f.Input(task)
		in.Weight = f.Weight
		e := evaltest.Evaluate(t, in)
		want := f.Weighted[task]
		for key, x := range want.Overall {
			same(t, "weighted "+key, e.Models[0].Overall.Of[key], x)
		}
		g := e.Groupings[len(e.Groupings)-1]
		for _, h := range g.Groups {
			for key, x := range want.ByGroup[h.Label] {
				same(t, "weighted "+h.Label+" "+key, h.Models[0].Values.Of[key], x)
			}
		}
		if len(want.Overall) < 6 || len(g.Groups) != 4 {
			t.Errorf("%d measures, %d groups compared", len(want.Overall), len(g.Groups))
		}
	}
}
