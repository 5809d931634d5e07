package interval

import (
	"fmt"
	"math"
	"testing"
)

func TestWilson_KnownValues(t *testing.T) {
	// Newcombe 1998: 81 of 263 at 95 %.
	lo, hi := wilson95(81, 263)
	if !(math.Abs(lo-0.2553) <= 5e-5) || !(math.Abs(hi-0.3662) <= 5e-5) {
		t.Error(lo, hi)
	}
	// Of one hit the lower end is that of a Poisson count, −log(0.95)/n (Brown, Cai and DasGupta 2001).
	if lo, hi := wilson95(1, 100); !(math.Abs(lo+math.Log(0.95)/100) <= 1e-9) ||
		!(math.Abs(hi-0.0545) <= 5e-5) {
		t.Error(lo, hi)
	}
	if lo, hi := wilson95(99, 100); !(math.Abs(hi-1-math.Log(0.95)/100) <= 1e-9) ||
		!(math.Abs(lo-0.9455) <= 5e-5) {
		t.Error(lo, hi)
	}
	if lo, hi := wilson95(0, 0); lo != 0 || hi != 1 {
		t.Error(lo, hi)
	}
	if lo, _ := wilson95(0, 5); lo != 0 {
		t.Error(lo)
	}
	if _, hi := wilson95(5, 5); hi != 1 {
		t.Error(hi)
	}
}

func ExampleWilson() {
	iv := Wilson(45, 50, NormalQuantile(0.95))
	fmt.Printf("%.3f to %.3f\n", iv.Low, iv.High)
	// Output: 0.786 to 0.957
}

// With weights a share has as many trials as give Wilson's interval its variance; weights
// that do not differ, and none, are one.
func TestTrials_OfWeights(t *testing.T) {
	var one, seven, uneven, none Trials
	for i := range 40 {
		one.Add(1, i%4 == 0)
		seven.Add(7, i%4 == 0)
		uneven.Add(float64(1+i%2), i%4 == 0) // hits weigh 1, the others 4/3 in the mean
		none.Add(float64(1+i%2), false)
	}
	want, high := wilson95(10, 40)
	for _, x := range []Trials{one, seven} {
		if lo, hi := ends(x.Wilson(0.95)); !(math.Abs(lo-want) <= 1e-12) || !(math.Abs(hi-high) <= 1e-12) {
			t.Errorf("%v to %v, want %v to %v", lo, hi, want, high)
		}
	}
	// The share is 1/6; Σ w² (hit − 1/6)² / 60² is (10·25 + 10·1 + 20·4)/36/3600.
	variance := 340.0 / 36 / 3600
	n := 5.0 / 36 / variance
	want, high = ends(Wilson(n/6, n, NormalQuantile(0.95)))
	if lo, hi := ends(uneven.Wilson(0.95)); !(math.Abs(lo-want) <= 1e-12) || !(math.Abs(hi-high) <= 1e-12) {
		t.Errorf("%v to %v, want %v to %v", lo, hi, want, high)
	}
	if lo, hi := ends(none.Wilson(0.95)); lo != 0 || !(math.Abs(hi-3.8414588/39.8414588) <= 1e-8) {
		t.Errorf("of no hit %v to %v", lo, hi) // Kish: 60²/100 = 36 rows
	}
}

// wilson95 returns the ends of Wilson's interval at 95 %.
func wilson95(hits, n float64) (low, high float64) {
	return ends(Wilson(hits, n, NormalQuantile(0.95)))
}

func ends(i Interval) (low, high float64) { return i.Low, i.High }
