package eval_test

import (
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

// What is said of a measure over groups is in order: the extremes are of groups there are,
// every interval holds its own value and ends above where it begins, a difference is not
// negative, a ratio is a part of one, and there is none of numbers that may be negative. A
// risk of losses that are not negative is not negative either, if some of them are zero too.
func TestSpread_Properties(t *testing.T) {
	ratios, without := 0, 0
	for _, task := range []eval.Task{eval.Binary, eval.Regression} {
		for seed := range uint64(6) {
			in := crossed(task, 40+20*int(seed), seed%2 == 1, seed)
			for k := range in.Models {
				for i := range in.Models[k].Loss {
					if i%3 == 0 || seed == 4 && i > 20 { // of few rows that are not zero, an error may be larger than the risk
						in.Models[k].Loss[i] = 0
					}
				}
			}
			e := evaltest.Evaluate(t, in)
			for k, s := range e.Groupings[0].Summary {
				for key, sp := range s.Spread {
					if !sp.GroupMin.Defined() { // there are targets below 0
						continue
					}
					at := map[string]eval.Num{"group_min": sp.GroupMin, "group_max": sp.GroupMax,
						"difference":            sp.Difference.BetweenGroups,
						"difference_to_overall": sp.Difference.ToOverall, "average": sp.Average, "weighted_average": sp.WeightedAverage}
					if !(sp.GroupMin <= sp.GroupMax) || !(math.Abs(
						float64(sp.GroupMax-sp.GroupMin-sp.Difference.BetweenGroups)) <= 1e-12) {
						t.Errorf("%s %s: from %v to %v, a difference of %v", task, key, sp.GroupMin, sp.GroupMax,
							sp.Difference.BetweenGroups)
					}
					for name, iv := range sp.Intervals {
						if !(iv.Low <= iv.High) {
							t.Errorf("%s %s %s: [%v, %v]", task, key, name, iv.Low, iv.High)
						}
						if v, known := at[name]; known && iv.Method == "simultaneous" && (v < iv.Low-1e-9 || v > iv.High+1e-9) {
							t.Errorf("%s %s %s: %v outside of [%v, %v]", task, key, name, v, iv.Low, iv.High)
						}
						if strings.HasPrefix(name, "difference") && iv.Low < 0 {
							t.Errorf("%s %s %s: [%v, %v]", task, key, name, iv.Low, iv.High)
						}
						if strings.HasPrefix(name, "ratio") {
							if ratios++; iv.Low < 0 || iv.High > 1 {
								t.Errorf("%s %s %s: [%v, %v]", task, key, name, iv.Low, iv.High)
							}
						}
					}
					_, between := sp.Intervals["ratio"]
					_, whole := sp.Intervals["difference_to_overall"]
					measure, _ := e.Task.Measure(key)
					least, _ := measure.Bounds()
					if _, ratio := sp.Intervals["ratio_to_overall"]; ratio != (between && whole) && least >= 0 {
						t.Errorf("%s %s: a ratio of groups %v, to all rows %v", task, key, between, ratio)
					}
					if lo, ok := sp.Intervals["group_min"]; ok && lo.Low < 0 {
						if _, ratio := sp.Intervals["ratio"]; ratio {
							t.Errorf("%s %s: a ratio, and a group may be at %v", task, key, lo.Low)
						}
						if _, ratio := sp.Intervals["ratio_to_overall"]; ratio {
							t.Errorf("%s %s: a ratio to all rows, and a group may be at %v", task, key, lo.Low)
						}
						if without++; key == "risk" {
							t.Errorf("%s, model %d: a risk of %v", task, k, lo.Low)
						}
					}
				}
			}
		}
	}
	if ratios < 50 || without < 5 {
		t.Errorf("%d ratios, %d measures without", ratios, without)
	}
}

// What a resample in ten or more leaves undefined in some group, for lack of one class, has no
// interval over the groups; the rest has.
func TestIntervals_NoneForScarceClasses(t *testing.T) {
	in := crossed(eval.Binary, 80, false, 3)
	positive := 0
	for i, g := range in.Groups[0].Index {
		if g == 1 && in.Target[i] > 0 {
			if positive++; positive > 2 { // none of two is in a resample of seven
				in.Target[i] = -1
			}
		}
	}
	e := evaltest.Evaluate(t, in)
	for key, sp := range e.Groupings[0].Summary[0].Spread {
		if scarce := key == "tpr" || key == "balanced_accuracy"; scarce && len(sp.Intervals) > 0 ||
			key == "accuracy" && len(sp.Intervals) == 0 {
			t.Errorf("%s: %v", key, sp.Intervals)
		}
	}
}

// A group of exactly as many rows as are asked for takes part, and one of fewer does not.
func TestWorstGroup_SmallestEligible(t *testing.T) {
	in := crossed(eval.Regression, 60, false, 3)
	for least, want := range map[int]bool{2: true, 3: true, 4: false} {
		in.MinGroupSize = least // "few" has three rows
		e := evaltest.Evaluate(t, in)
		for _, g := range e.Groupings[0].Groups {
			if g.Label == "few" && (g.N != 3 || g.Sufficient != want || (g.Models[0].Simultaneous != nil) != want) {
				t.Errorf("of three rows, where %d are enough: %+v", least, g)
			}
		}
	}
	two := crossed(eval.Regression, 60, false, 3)
	two.MinGroupSize = 2
	two.Groups[0].Index[0] = 0
	e := evaltest.Evaluate(t, two)
	for _, g := range e.Groupings[0].Groups {
		if g.Label == "few" && (g.N != 2 || !g.Sufficient || g.Models[0].Simultaneous == nil ||
			!(g.Models[0].Simultaneous.High > g.Models[0].Simultaneous.Low)) {
			t.Errorf("of two rows: %+v", g)
		}
	}
}

// An adversary over groups weighs all rows of one alike: of these the worst are listed.
func TestAdversary_HeaviestOfEqualWeight(t *testing.T) {
	a, err := eval.DescribeAdversary(eval.AdversaryInput{Weights: []float64{0.1, 0.3, 0.3, 0.3},
		Loss: []float64{9, 1, 3, 2}})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Top) != 4 || a.Top[0].Row != 3 || a.Top[1].Row != 4 || a.Top[2].Row != 2 {
		t.Errorf("%+v", a.Top)
	}
}

// A group all of whose rows are of one class is named among the caveats, with its rows.
func TestCaveats_GroupsOfOneClass(t *testing.T) {
	in := crossed(eval.Binary, 60, false, 3)
	in.MinGroupSize = 3
	for i, g := range in.Groups[0].Index {
		if in.Groups[0].Labels[g] == "few" {
			in.Target[i] = 1
		}
	}
	e := evaltest.Evaluate(t, in)
	if said := strings.Join(e.Caveats, "\n"); !strings.Contains(said, "one class") ||
		!strings.Contains(said, "few (n = 3)") {
		t.Errorf("caveats:\n%s", said)
	}
}

// Where the rows of a group say nothing of how far a curve may be off, for one score of all or
// for classes apart, there is no interval without width, and none of what is no number.
func TestIntervals_CurvesHaveWidth(t *testing.T) {
	for name, score := range map[string]func(positive bool, s float64) float64{
		"one score": func(bool, float64) float64 { return 0.5 },
		"apart": func(positive bool, s float64) float64 {
			if positive {
				return 0.6 + s/4
			}
			return s / 4
		},
		"the wrong way": func(positive bool, s float64) float64 {
			if positive {
				return s / 4
			}
			return 0.6 + s/4
		},
		"as they are": func(_ bool, s float64) float64 { return s },
	} {
		in := crossed(eval.Binary, 120, false, 5)
		for i, g := range in.Groups[0].Index {
			if s := &in.Models[0].Score[i]; g == 1 {
				*s = score(in.Target[i] > 0, *s)
			}
		}
		e := evaltest.Evaluate(t, in)
		for _, key := range []string{"auc", "auprc"} {
			at, _ := e.Groupings[0].Groups[1].Models[0].Values.Get(key)
			iv, ok := e.Groupings[0].Groups[1].Models[0].Intervals[key]
			if ok && !(iv.Low >= 0 && iv.High <= 1 && iv.Low < iv.High && float64(iv.Low) <= at && at <= float64(iv.High)) ||
				!ok && name == "as they are" {
				t.Errorf("%s, %s: %v in [%v, %v], an interval: %v", name, key, at, iv.Low, iv.High, ok)
			}
		}
	}
}
