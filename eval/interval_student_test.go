package eval

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestStudent_KnownValues(t *testing.T) {
	// Tables of Student's t at 95 and 99 %.
	for _, c := range []struct{ confidence, freedom, want float64 }{
		{0.95, 1, 12.7062}, {0.95, 4, 2.77645}, {0.95, 29, 2.04523}, {0.99, 10, 3.16927}, {0.95, 1e9, 1.95996},
		{0.95, 9e6, 1.95996},
	} {
		if got := studentQuantile(c.confidence, c.freedom); !(math.Abs(got-c.want) <= 1e-5*c.want) {
			t.Errorf("%v of %v degrees: %v, want %v", c.confidence, c.freedom, got, c.want)
		}
	}
	// Hall's transformation of what it gives back is what it was given.
	for _, k := range []float64{-2, -0.3, 0, 1e-9, 0.1, 3} {
		for _, u := range []float64{-9, -2, 0, 2, 9} {
			x := invertSkewness(u, k)
			if back := x + k*x*x/3 + k*k*x*x*x/27 + k/6; !(math.Abs(back-u) <= 1e-7) {
				t.Errorf("k %v: %v comes back as %v", k, u, back)
			}
		}
	}
}

// Of normal influences the degrees of freedom are near those of the rows; of a few heavy
// ones, near those.
func TestFreedom_OfWeights(t *testing.T) {
	g := rand.New(rand.NewPCG(4, 3))
	normal, heavy := make([]float64, 4000), make([]float64, 4000)
	for i := range normal {
		normal[i] = g.NormFloat64()
	}
	for i := range 10 {
		heavy[i] = float64(2*(i%2) - 1)
	}
	of := func(x []float64) (l estimateError) {
		var m influenceMoments
		for _, v := range x {
			m.add(v)
		}
		l.addStratum(m)
		return l
	}
	a, b := of(normal), of(heavy)
	if f := a.freedom(); f < 3500 || f > 3999 {
		t.Errorf("normal: %v", f)
	}
	if f := b.freedom(); !(math.Abs(f-20) <= 0.1) {
		t.Errorf("ten rows of one size: %v", f) // kurtosis n/10, so 2n/(n/10 − 1)
	}
}

// With weights a share has as many trials as give Wilson's interval its variance; weights
// that do not differ, and none, are one.
func TestTrials_OfWeights(t *testing.T) {
	var one, seven, uneven, none trialCounts
	for i := range 40 {
		one.add(1, i%4 == 0)
		seven.add(7, i%4 == 0)
		uneven.add(float64(1+i%2), i%4 == 0) // hits weigh 1, the others 4/3 in the mean
		none.add(float64(1+i%2), false)
	}
	want, high := wilsonInterval(10, 40, 0.95)
	for _, x := range []trialCounts{one, seven} {
		if lo, hi := x.wilson(0.95); !(math.Abs(lo-want) <= 1e-12) || !(math.Abs(hi-high) <= 1e-12) {
			t.Errorf("%v to %v, want %v to %v", lo, hi, want, high)
		}
	}
	// The share is 1/6; Σ w² (hit − 1/6)² / 60² is (10·25 + 10·1 + 20·4)/36/3600.
	variance := 340.0 / 36 / 3600
	n := 5.0 / 36 / variance
	want, high = wilsonIntervalAt(n/6, n, normalQuantile(0.95))
	if lo, hi := uneven.wilson(0.95); !(math.Abs(lo-want) <= 1e-12) || !(math.Abs(hi-high) <= 1e-12) {
		t.Errorf("%v to %v, want %v to %v", lo, hi, want, high)
	}
	if lo, hi := none.wilson(0.95); lo != 0 || !(math.Abs(hi-3.8414588/39.8414588) <= 1e-8) {
		t.Errorf("of no hit %v to %v", lo, hi) // Kish: 60²/100 = 36 rows
	}
}

// Rows are of one class where one has next to none of the weight, whatever the unit of the
// weights; quantities have no classes.
func TestOneClass_AnyUnit(t *testing.T) {
	for _, unit := range []float64{1e-12, 1e-6, 1, 1e6, 1e12} {
		for share, want := range map[float64]bool{0: true, 1e-14: true, 0.9e-12: true, 1.1e-12: false, 1 - 1.1e-12: false,
			1 - 0.9e-12: true, 1e-6: false, 0.5: false, 1 - 1e-6: false, 1: true} {
			for task, classes := range map[Task]bool{Binary: true, Regression: false} {
				p := &errorPart{r: &intervalMaker{columns: &influenceColumns{}, in: &measuredRows{Task: task}},
					sum: make([]float64, 2)}
				p.sum[0], p.sum[columnShared1] = unit, share*unit
				if got := p.OneClass(); got != (want && classes) {
					t.Errorf("%v: a share of %v of %v: %v", task, share, unit, got)
				}
			}
		}
	}
}
