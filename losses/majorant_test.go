package losses

import (
	"math"
	"testing"
)

// The quadratic upper bounds lie above the losses everywhere and touch them at their margins. κ is at most sup ℓ″ and
// decreases with the distance from the target.
func TestMajorants_AreAbove(t *testing.T) {
	at := []float64{-1e6, -300, -20, -3, -1, -1e-3, -1e-9, 0, 1e-9, 1e-3, 0.7, 2, 31, 700, 1e6}
	for _, l := range []Majorised{Logistic{}, Huber{Delta: 0.3}, Huber{Delta: 50}, Quantile{Level: 0.9, Width: 0.3},
		Quantile{Level: 0.5, Width: 20}} {
		for _, target := range []float64{-1, 1} {
			before := math.Inf(1)
			for _, m := range at {
				one := func(m float64) (v, s float64) {
					var value, slope [1]float64
					l.EvalTo(value[:], slope[:], []float64{m}, []float64{target})
					return value[0], slope[0]
				}
				v, s := one(m)
				var kappa [1]float64
				l.MajorantTo(kappa[:], []float64{v}, []float64{s}, []float64{target})
				if !(kappa[0] >= 0 && kappa[0] <= l.Smoothness()*(1+1e-12)) {
					t.Fatalf("%s at %v: κ = %v", l.Name(), m, kappa[0])
				}
				for _, a := range at {
					above := v + s*(a-m) + kappa[0]*(a-m)*(a-m)/2
					if w, _ := one(a); w > above+1e-9*(1+math.Abs(v)+math.Abs(s*(a-m))) {
						t.Errorf("%s from %v: ℓ(%v) = %v above %v, κ = %v", l.Name(), m, a, w, above, kappa[0])
					}
				}
				if m >= 2 && kappa[0] > before {
					t.Errorf("%s: κ = %v at %v, less before", l.Name(), kappa[0], m)
				}
				if m >= 2 {
					before = kappa[0]
				}
			}
		}
	}
}

// Near a margin of 0, where tanh(m/2)/(2m) is a quotient of rounded differences, the curvature of the logistic upper
// bound is exact to eight digits.
func TestMajorant_NearZero(t *testing.T) {
	for m := 1e-6; m < 0.1; m *= 1.02 {
		value, slope, kappa := make([]float64, 1), make([]float64, 1), make([]float64, 1)
		Logistic{}.EvalTo(value, slope, []float64{m}, []float64{1})
		Logistic{}.MajorantTo(kappa, value, slope, nil)
		if want := math.Tanh(m/2) / (2 * m); !(math.Abs(kappa[0]-want) <= 4e-9) {
			t.Errorf("κ = %v at %v, not %v", kappa[0], m, want)
		}
	}
}

// The curvature of the Huber loss is bounded below within δ/8, up to the rounding of residuals.
func TestHuber_Radius(t *testing.T) {
	radius, decay := Huber{Delta: 8}.CurvatureLowerBoundTo(nil, nil, nil)
	if !(radius < 1 && radius > 1-1.5e-12) || decay != 0 {
		t.Errorf("%v, decay %v", radius, decay)
	}
}
