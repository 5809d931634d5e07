package verify

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/internal/interval"
)

// The distance is a bound for every other point with as small a loss, and the least one where all residuals of a
// symmetric loss have one sign at x and the other sign at that point.
func TestDistanceTo_HoldsEveryPointOfSmallerLoss(t *testing.T) {
	for name, of := range map[string]loss{
		"huber":               huber{interval.New(0.5)},
		"median":              quantile{interval.New(0.5), interval.New(quantileWidth)},
		"quantile, low level": quantile{interval.New(0.2), interval.New(quantileWidth)},
		"quantile":            quantile{interval.New(0.75), interval.New(quantileWidth)},
	} {
		targets := []float64{-1, 0, 3}
		meanAt := func(x float64) (mean, residuals number) {
			mean, residuals = zero, zero
			for _, v := range targets {
				m, third := interval.New(x), interval.Div(one, interval.New(3))
				mean = interval.Add(mean, interval.Mul(third, of.value([]number{m}, v)))
				residuals = interval.Add(residuals, interval.Mul(third, interval.Abs(interval.Sub(m, interval.New(v)))))
			}
			return mean, residuals
		}
		for _, x := range []float64{-20, -3, -1, 0.5, 2, 30} {
			_, residuals := meanAt(x)
			for _, other := range []float64{-70, -8, -1, 0, 0.25, 3, 20, 64} {
				mean, _ := meanAt(other)
				bound := distanceTo(of.(growing), mean, residuals).Hi
				far, _ := bound.Float64()
				if far < math.Abs(other-x) {
					t.Errorf("%s: %v is %v from %v, and the bound is %v", name, other, math.Abs(other-x), x, far)
				}
				isTight := name != "quantile, low level" && name != "quantile" && x <= -3 && other >= 20
				if isTight && far > (other-x)*(1+1e-12) {
					t.Errorf("%s: %v is %v from %v, and the bound is %v, not tight", name, other, other-x, x, far)
				}
			}
		}
	}
}
