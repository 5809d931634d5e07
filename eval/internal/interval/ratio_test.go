package interval

import (
	"math"
	"math/rand/v2"
	"testing"
)

// At each end of the interval of a ratio, 0 is the end of the interval of the difference, computed row by row.
func TestRatioInterval_InvertsTheDifference(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	for _, n := range []int{60, 500} {
		for _, weighted := range []bool{false, true} {
			var w Weights
			a, b, rows := make([]float64, n), make([]float64, n), make([]int32, n)
			for i := range n {
				rows[i] = int32(i)
				b[i] = math.Exp(rng.NormFloat64())
				a[i] = b[i] * (0.5 + rng.Float64())
				if weighted {
					w = append(w, 0.2+rng.Float64())
				}
			}
			num, den := func(i int32) float64 { return a[i] }, func(i int32) float64 { return b[i] }
			iv := w.RatioInterval(rows, num, den, 0.95)
			if iv == nil {
				t.Fatalf("n = %d: no interval", n)
			}
			at := func(r float64) *Interval {
				mean, l := w.MeanError(rows, func(i int32) float64 { return a[i] - r*b[i] })
				return l.Interval(mean, 0.95, math.Inf(-1), math.Inf(1))
			}
			if low, high := at(iv.Low).Low, at(iv.High).High; !(math.Abs(low) <= 1e-9) || !(math.Abs(high) <= 1e-9) {
				t.Errorf("n = %d, weighted: %v: %+v, but the differences at its ends are %v and %v off", n, weighted, iv, low,
					high)
			}
		}
	}
}

// There is no interval of few rows, and none without an upper limit.
func TestRatioInterval_None(t *testing.T) {
	constant := func(x float64) func(int32) float64 { return func(int32) float64 { return x } }
	if iv := Weights(nil).RatioInterval([]int32{0, 1}, constant(1), constant(2), 0.95); iv != nil {
		t.Errorf("two rows: %+v", iv)
	}
	single := func(i int32) float64 { // the mean is not measurably above 0
		if i == 0 {
			return 1
		}
		return 0
	}
	if iv := Weights(nil).RatioInterval([]int32{0, 1, 2, 3}, constant(1), single, 0.95); iv != nil {
		t.Errorf("a mean that may be 0: %+v", iv)
	}
	if iv := Weights(nil).RatioInterval([]int32{0, 1, 2}, constant(1), constant(2), 0.95); iv == nil ||
		!(math.Abs(iv.Low-0.5) <= 1e-9) || !(math.Abs(iv.High-0.5) <= 1e-9) {
		t.Errorf("constants: %+v", iv)
	}
}
