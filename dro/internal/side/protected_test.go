package side

import (
	"math"
	"testing"
)

// Of losses that are no numbers there is no risk, with a penalty or without.
func TestProtectedLossesThatAreNoNumbers(t *testing.T) {
	for _, nu := range []float64{0, 1e-3} {
		for _, w := range [][]float64{nil, {1, 0, 2}} {
			if risk, _ := (Protected{Share: 1, Nu: nu, Weights: w}).BestResponseTo(make([]float64, 3), []float64{math.NaN(), 1, 2}); risk == risk {
				t.Errorf("ν = %v, weights %v: a risk of %v", nu, w, risk)
			}
		}
	}
}
