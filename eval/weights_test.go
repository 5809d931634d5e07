package eval

import (
	"context"
	"math"
	"testing"
)

// Whole weights are repeated rows: the curves agree.
func TestWeightsAreRepetitions(t *testing.T) {
	loss := []float64{3, 1, 4, 1, 5, 9, 2, 6}
	weight := []float64{1, 2, 3, 1, 2, 1, 3, 3}
	var long []float64
	for i, w := range weight {
		for range int(w) {
			long = append(long, loss[i])
		}
	}
	a, err := newSorted(loss, scaleWeights(weight))
	if err != nil {
		t.Fatal(err)
	}
	b, err := newSorted(long, nil)
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, x, y float64) {
		t.Helper()
		if math.Abs(x-y) > closedForm*math.Max(1, math.Abs(y)) {
			t.Errorf("%s: %v, want %v", what, x, y)
		}
	}
	for _, alpha := range []float64{0.01, 0.1, 0.25, 0.3, 0.5, 0.77, 1} {
		x, _ := a.cvar(alpha)
		y, _ := b.cvar(alpha)
		near("CVaR", x, y)
	}
	for _, nu := range []float64{0.3, 1, 4, 100} {
		x, _ := klAt(a, nu)
		y, _ := klAt(b, nu)
		u, _, _ := chiSquareAt(a, nu)
		v, _, _ := chiSquareAt(b, nu)
		for _, c := range [][2]WorstCase{{x, y}, {u, v}} {
			near("mean", float64(c[0].Mean), float64(c[1].Mean))
			near("radius", float64(c[0].Radius), float64(c[1].Radius))
			near("penalised", float64(c[0].Penalised), float64(c[1].Penalised))
		}
		for _, f := range []func([]float64, []float64, float64) ([]float64, WorstCase, error){worstKL, worstChiSquare} {
			y, w, err := f(loss, scaleWeights(weight), nu)
			if err != nil {
				t.Fatal(err)
			}
			sum, mean, sq, most := 0.0, 0.0, 0.0, 0.0
			for i, p := range y {
				sum += p
				mean += p * loss[i]
				sq += p * p
				most = math.Max(most, p*float64(len(y)))
			}
			near("Σy", sum, 1)
			near("Σyℓ", mean, float64(w.Mean))
			near("effective rows", 1/sq, float64(w.Effective))
			near("max weight", most, float64(w.MaxWeight))
		}
	}
}

// With every row drawn once, the statistics of a resample are the measures.
func TestResampledStatisticsAreTheMeasures(t *testing.T) {
	f := readFixture(t)
	for _, task := range []Task{Binary, Regression} {
		for _, weight := range [][]float64{nil, f.Weight} {
			in := f.input(task)
			in.Weight = weight
			rows := in.measured()
			s, err := newStrata(context.Background(), rows, in.Groups)
			if err != nil {
				t.Fatal(err)
			}
			r, err := newResampler(context.Background(), rows, plan{}, 0, []stratum{*s.all}, s.all, []float64{1}, mean(in.Target))
			if err != nil {
				t.Fatal(err)
			}
			sums := make([]float64, r.c.width)
			once := make([]uint8, len(in.Target))
			for i := range once {
				once[i] = 1
			}
			r.c.addCounted([][]float64{sums}, once, 0, len(once))
			r.whole.put(sums[r.c.rank:], once)
			want := measureRows(rows, 0, s.all)
			for _, q := range task.Measures() {
				if got, w := r.c.value(q.Key, sums, 0), float64(want.Of[q.Key]); math.Abs(got-w) > closedForm*math.Max(1, math.Abs(w)) {
					t.Errorf("%s, weights %v: %s is %v, want %v", task, weight != nil, q.Key, got, w)
				}
			}
		}
	}
}

// Equal weights, of any size, change nothing but the exact intervals.
func TestEqualWeights(t *testing.T) {
	in := two(600, 4, 0.1, 1)
	a, err := Evaluate(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	in.Weight = make([]float64, 600)
	for i := range in.Weight {
		in.Weight[i] = 7
	}
	b, err := Evaluate(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	x, y := a.Compared[0].WorstGroup, b.Compared[0].WorstGroup
	if x.Value != y.Value || *x.Interval != *y.Interval || *b.Effective != 600 {
		t.Errorf("%v %v against %v %v", x.Value, x.Interval, y.Value, y.Interval)
	}
	if b.Models[0].Intervals["median_ae"].Method != "bootstrap percentile" {
		t.Error(b.Models[0].Intervals["median_ae"])
	}
}

// Every measure and every summary that is defined has an interval around it.
func TestEverythingHasAnInterval(t *testing.T) {
	for _, task := range []Task{Binary, Regression} {
		e := sample(t, task).Evaluation
		g := e.headline()
		for k, m := range e.Models {
			for _, q := range task.Measures() {
				iv, ok := m.Intervals[q.Key]
				if v := m.Overall.Of[q.Key]; !ok || !(iv.Low <= iv.High) || q.Key != "ece" && !(iv.Low <= v && v <= iv.High) {
					t.Errorf("%s overall %s %v: %v", m.Name, q.Key, v, iv)
				}
				s := g.Summary[k].Spread[q.Key]
				for name, v := range map[string]Num{"group_min": s.GroupMin, "group_max": s.GroupMax, "difference": s.Difference.BetweenGroups,
					"ratio": s.Ratio.BetweenGroups, "difference_to_overall": s.Difference.ToOverall, "ratio_to_overall": s.Ratio.ToOverall,
					"average": s.Average, "weighted_average": s.WeightedAverage} {
					iv, ok := s.Intervals[name]
					signed := q.Key == "bias" || q.Key == "calibration_gap"
					if signed && (name == "ratio" || name == "ratio_to_overall") {
						continue // a ratio of numbers of either sign has none
					}
					bias := q.Key == "ece" && (name == "average" || name == "weighted_average")
					if !ok || !bias && !(iv.Low <= v && v <= iv.High) {
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
