//go:build !race

// The race detector drops pooled memory at random, so nothing is counted under it.

package losses

import (
	"testing"
)

// The methods of an oracle that solvers call in every step do not allocate, for any storage.
func TestLinear_AllocatesNothing(t *testing.T) {
	const n, d = 40, 6
	for _, o := range linearOver(t, Logistic{}, n, d) {
		x, dst, gram := make([]float64, d), make([]float64, d), make([]float64, d*d)
		value, slope, weight := make([]float64, n), make([]float64, n), make([]float64, n)
		if a := testing.AllocsPerRun(10, func() {
			o.EvalTo(value, slope, x, 0, n)
			o.CurvatureTo(weight, slope, 0, n)
			o.AddGradTo(dst, weight, slope, 0, n)
			o.AddGramTo(gram, weight, 0, n)
			o.AddSquaresTo(dst, weight, 0, n)
			o.MarginsTo(value, dst, 0, n)
		}); a != 0 {
			t.Errorf("%T: %v allocations", o.z, a)
		}
	}
}
