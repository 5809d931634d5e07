package eval_test

import (
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

// Equal weights, of any size, change nothing.
func TestWeights_EqualChangeNothing(t *testing.T) {
	in := evaltest.Two(600, 4, 0.1, 1)
	a := evaltest.Evaluate(t, in)
	in.Weight = make([]float64, 600)
	for i := range in.Weight {
		in.Weight[i] = 7
	}
	b := evaltest.Evaluate(t, in)
	x, y := a.Compared[0].WorstGroup, b.Compared[0].WorstGroup
	if x.Value != y.Value || *x.Interval != *y.Interval || *b.Effective != 600 {
		t.Errorf("%v %v against %v %v", x.Value, x.Interval, y.Value, y.Interval)
	}
	if v, w := a.Models[0].Intervals["median_ae"], b.Models[0].Intervals["median_ae"]; v != w {
		t.Errorf("median: %v against %v", v, w)
	}
}

// Every measure and every summary that is defined has an interval around it.
func TestIntervals_EveryMeasure(t *testing.T) {
	for _, task := range []eval.Task{eval.Binary, eval.Regression} {
		e := evaltest.Sample(t, task).Evaluation
		g := e.Headline()
		for k, m := range e.Models {
			for _, q := range task.Measures() {
				iv, ok := m.Intervals[q.Key]
				if v := m.Overall.Of[q.Key]; !ok || !(iv.Low <= iv.High) || q.Key != "ece" && !(iv.Low <= v && v <= iv.High) {
					t.Errorf("%s overall %s %v: %v", m.Name, q.Key, v, iv)
				}
				s := g.Summary[k].Spread[q.Key]
				if q.Key == "ece" {
					if s.Intervals != nil {
						t.Error("the ECE over groups has intervals, which would be off by its bias")
					}
					continue
				}
				for name, v := range map[string]eval.Num{"group_min": s.GroupMin, "group_max": s.GroupMax,
					"difference": s.Difference.BetweenGroups,
					"ratio":      s.Ratio.BetweenGroups, "difference_to_overall": s.Difference.ToOverall,
					"ratio_to_overall": s.Ratio.ToOverall,
					"average":          s.Average, "weighted_average": s.WeightedAverage} {
					iv, ok := s.Intervals[name]
					signed := q.Low < 0 && q.Key != "risk" // the losses here are not negative
					if signed && (name == "ratio" || name == "ratio_to_overall") {
						continue // a ratio of numbers of either sign has none
					}
					if !ok || !(iv.Low <= v && v <= iv.High) {
						t.Errorf("%s %s of %s %v: %v %v", m.Name, name, q.Key, v, iv, ok)
					}
				}
			}
		}
		c := e.Compared[0]
		for key, d := range c.Measures {
			if d.Interval == nil {
				t.Errorf("no interval of the change of %s", key)
			}
		}
		if len(c.Spread) != 4 || c.Spread["difference"].Interval == nil {
			t.Errorf("spreads: %+v", c.Spread)
		}
	}
}
