package losses

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/internal/exact"
)

// The lower bound never exceeds ℓ″ in 256-bit arithmetic, even at slopes such as 1 − 2⁻⁵³ at which rounding dominates
// the curvature, and is close to ℓ″ elsewhere.
func TestCurvatureLowerBound_NeverTooLarge(t *testing.T) {
	var margin, target []float64
	for m := -45.0; m <= 45; m += 1.0 / 16 {
		margin, target = append(margin, m, m+1e-3), append(target, 1, -1)
	}
	n := len(margin)
	value, slope, kappa := make([]float64, n), make([]float64, n), make([]float64, n)
	Logistic{}.EvalTo(value, slope, margin, target)
	Logistic{}.CurvatureLowerBoundTo(kappa, slope, nil)
	p := &exact.Problem{N: n, D: 1, Rows: margin, Target: target, Loss: "logistic"}
	for j, s := range p.Eval([]exact.Real{exact.New(1)}) {
		if exact.IsLess(s.Curvature, exact.New(kappa[j])) {
			t.Errorf("margin %v, target %v: κ = %v above ℓ″ = %v", margin[j], target[j], kappa[j], s.Curvature.Text('g', 5))
		}
		if want, _ := s.Curvature.Float64(); kappa[j] < want*(1-1e-9)-4e-14 {
			t.Errorf("margin %v, target %v: κ = %v, ℓ″ = %v", margin[j], target[j], kappa[j], want)
		}
		for what, pair := range map[string][2]float64{"value": {value[j], float(s.Value)},
			"slope": {slope[j], float(s.Slope)}} {
			if got, want := pair[0], pair[1]; !(math.Abs(got-want) <= 1e-15*math.Abs(want)+1e-300) {
				t.Errorf("margin %v, target %v: %s %v, in 256 bits %v", margin[j], target[j], what, got, want)
			}
		}
	}
}

func float(v exact.Real) float64 {
	f, _ := v.Float64()
	return f
}
