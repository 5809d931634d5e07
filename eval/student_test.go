package eval_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

// Intervals of measures and changes are what their definition says: every row is counted a
// little more and a little less in an evaluation of its own, and what the measures move by
// is put into the formulas, written out.
func TestIntervals_FromInfluences(t *testing.T) {
	const h = 1e-4
	for _, task := range []eval.Task{eval.Binary, eval.Regression} {
		in := crossed(task, 45, true, 7)
		e := evaltest.Evaluate(t, in)
		plain := in
		plain.Resamples = 0
		by := func(i int, f float64) *eval.Evaluation {
			plain.Weight = append([]float64(nil), in.Weight...)
			plain.Weight[i] *= 1 + f
			a := evaltest.Evaluate(t, plain)
			return a
		}
		up, down := make([]*eval.Evaluation, len(in.Target)), make([]*eval.Evaluation, len(in.Target))
		for i := range up {
			up[i], down[i] = by(i, h), by(i, -h)
		}
		checked := 0
		// strata are the groups that a measure is taken over.
		same := func(what string, got *eval.Interval, strata []int32, of func(*eval.Evaluation) eval.Num) {
			t.Helper()
			if got == nil || got.Method != "skewness-adjusted t" {
				return
			}
			checked++
			var v, second, third, spread float64
			n := 0
			for _, g := range strata {
				var x []float64
				mean := 0.0
				for i, j := range in.Groups[0].Index {
					if j == g {
						d := float64(of(up[i])-of(down[i])) / (2 * h)
						x = append(x, d)
						mean += d
					}
				}
				m := float64(len(x))
				n += len(x)
				s2, s4 := 0.0, 0.0
				for _, d := range x {
					d -= mean / m
					s2, s4, third = s2+d*d, s4+math.Pow(d, 4), third+d*d*d
				}
				v, second, spread = v+s2*m/(m-1), second+s2, spread+s4-s2*s2/m
			}
			k := third / math.Pow(second, 1.5)
			u := distuv.StudentsT{Sigma: 1, Nu: math.Min(float64(n-1), 2*second*second/spread)}.Quantile(0.975)
			at, se := float64(of(e)), math.Sqrt(v)
			// The error T solves T + kT²/3 + k²T³/27 + k/6 = ±u, found by halving.
			solve := func(u float64) float64 {
				lo, hi := -1e3, 1e3
				for range 100 {
					if x := (lo + hi) / 2; x+k*x*x/3+k*k*x*x*x/27+k/6 < u {
						lo = x
					} else {
						hi = x
					}
				}
				return lo
			}
			low, high := at-se*solve(u), at-se*solve(-u)
			key, _, _ := strings.Cut(what, " of ")
			if m, ok := task.Measure(key); ok {
				least, _ := m.Bounds()
				if key == "risk" {
					least = 0 // as no loss here is negative
				}
				if half := (at - least) / 2; low < at-half && !math.IsInf(half, 1) {
					low = least + half*math.Exp((low-at+half)/half)
				}
			}
			if !(math.Abs(low-float64(got.Low)) <= 1e-5*se) && (low > 0 || got.Low != 0) ||
				!(math.Abs(high-float64(got.High)) <= 1e-5*se) && got.High != 1 {
				t.Errorf("%s: %s: %v to %v, recomputed %v to %v", task, what, got.Low, got.High, low, high)
			}
		}
		all := []int32{0, 1, 2}
		for _, m := range task.Measures() {
			for k := range in.Models {
				if iv, ok := e.Models[k].Intervals[m.Key]; ok {
					same(m.Key, &iv, all, func(e *eval.Evaluation) eval.Num { return e.Models[k].Overall.Of[m.Key] })
				}
				for g, group := range e.Groupings[0].Groups[:2] {
					if iv, ok := group.Models[k].Intervals[m.Key]; ok {
						same(m.Key+" of "+group.Label, &iv, []int32{int32(g)}, func(e *eval.Evaluation) eval.Num {
							return e.Groupings[0].Groups[g].Models[k].Values.Of[m.Key]
						})
					}
				}
			}
			if m.Key != "prevalence" && m.Key != "auprc" && m.Key != "auc" { // no change; about other means
				same("change of "+m.Key, e.Compared[0].Measures[m.Key].Interval, all, func(e *eval.Evaluation) eval.Num {
					return e.Models[1].Overall.Of[m.Key] - e.Models[0].Overall.Of[m.Key]
				})
			}
		}
		for g, d := range e.Compared[0].Groups[:2] {
			same("change in "+d.Label, d.Interval, []int32{int32(g)}, func(e *eval.Evaluation) eval.Num {
				of := e.Groupings[0].Groups[g].Models
				return of[1].Values.Risk() - of[0].Values.Risk()
			})
		}
		if checked < 30 {
			t.Errorf("%s: only %d intervals", task, checked)
		}
	}
}
