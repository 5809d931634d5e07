package side

import (
	"fmt"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/vec"
)

// unpenalised are the duals with ν = 0 beside those of simplexCases.
var unpenalised = []saddle.Mirror{KL{}, ChiSquare{}, CVaR(0.3), CVaR(1), CappedKL{0.5, 0}, Uniform{}}

func everySimplexDual() []saddle.Mirror {
	duals := append([]saddle.Mirror(nil), unpenalised...)
	for _, c := range simplexCases() {
		duals = append(duals, c.dual)
	}
	for _, nu := range []float64{1e-300, 1e-12, 1e12} {
		duals = append(duals, KL{Nu: nu}, ChiSquare{Nu: nu}, CappedKL{0.3, nu}, CappedChiSquare{0.3, nu})
	}
	return duals
}

// Losses of any size give finite weights of mass 1 and a risk between the
// smallest and the largest loss.
func TestLossesOfAnySize(t *testing.T) {
	huge := math.MaxFloat64
	for _, f := range [][]float64{
		{1e4, -1e4, 0}, {1e8, 1e8 + 1, 1e8 - 1}, {1e20, 1e20, 1e20}, {-1e20, -1e20, 3}, {1e300, -1e300, 1e300},
		{huge, huge, huge}, {-huge, -huge}, {huge, -huge, 0, 1}, {0, 0, 0, 0}, {5}, {-huge}, {huge},
		{math.SmallestNonzeroFloat64, 0, 0}, {1e16, 1, 2, 3, 4, 5, 6, 7, 8, 9},
	} {
		low, high := f[0], f[0]
		for _, v := range f {
			low, high = min(low, v), max(high, v)
		}
		for _, d := range everySimplexDual() {
			name := fmt.Sprintf("%T%+v of %v", d, d, f)
			n := len(f)
			y := make([]float64, n)
			risk, tau := d.BestResponseTo(y, f)
			drotest.Finite(t, name, y, []float64{risk, tau})
			if s := vec.Sum(y); !(math.Abs(s-1) <= drotest.ClosedForm) {
				t.Errorf("%s: weights of mass 1 + %.3g", name, s-1)
			}
			if slack := drotest.ClosedForm * max(math.Abs(low), math.Abs(high)); risk < low-slack || risk > high+slack {
				t.Errorf("%s: risk %v", name, risk)
			}
			u, z := make([]float64, n), make([]float64, n)
			vec.Fill(z, 1/float64(n))
			d.CoordsTo(u, z)
			for range 3 {
				d.ProxTo(u, z, f, u, u, 2, 0.5, 0.25)
				drotest.Finite(t, name+", step", u, z)
				if s := vec.Sum(z); !(math.Abs(s-1) <= drotest.ClosedForm) {
					t.Errorf("%s: step to weights of mass 1 + %.3g", name, s-1)
				}
				coords := make([]float64, n)
				d.CoordsTo(coords, z)
				for j, v := range z {
					if v > 1e-280 && !drotest.Near(u[j], coords[j], 1e-9, coords[j]) {
						t.Errorf("%s: coordinate %v of weight %v, want %v", name, u[j], v, coords[j])
					}
				}
			}
		}
	}
}

func TestSeparableLossesOfAnySize(t *testing.T) {
	for _, f := range [][]float64{{1e4, -1e4, 0}, {1e300, -1e300, 1}, {0, 0, 0}} {
		for _, c := range productCases() {
			if math.IsInf(c.hi, 1) {
				continue // an unbounded weight may well be infinite
			}
			y, u := make([]float64, 3), make([]float64, 3)
			risk, _ := c.dual.BestResponseTo(y, f)
			drotest.Finite(t, fmt.Sprintf("%v of %v", c, f), y, []float64{risk})
			vec.Fill(y, 0.25)
			c.dual.CoordsTo(u, y)
			c.dual.BlockStepTo(u, y, f, u, 0.5, 0, 3)
			drotest.Finite(t, fmt.Sprintf("%v, step with %v", c, f), y)
		}
	}
}

// Equal losses leave the weights uniform and are the risk, in every dual.
func TestEqualLosses(t *testing.T) {
	for _, n := range []int{1, 2, 5, 4100} {
		for _, v := range []float64{0, 3.5, -7, 1e9} {
			f, y := make([]float64, n), make([]float64, n)
			vec.Fill(f, v)
			for _, d := range everySimplexDual() {
				risk, tau := d.BestResponseTo(y, f)
				if !drotest.Near(risk, v, drotest.ClosedForm, v) {
					t.Errorf("%T%+v, n=%d: risk %v of losses %v", d, d, n, risk, v)
				}
				if _, capped := d.(CappedChiSquare); !capped && d.Modulus() < 1e3 && !drotest.Near(tau, v, drotest.ClosedForm, math.Abs(v)+d.Modulus()) && d != saddle.Mirror(CappedKL{1, d.Modulus()}) {
					t.Errorf("%T%+v, n=%d: τ %v of losses %v", d, d, n, tau, v)
				}
				for _, w := range y {
					if !drotest.Near(w*float64(n), 1, drotest.ClosedForm, 0) {
						t.Errorf("%T%+v, n=%d: weight %v", d, d, n, w)
						break
					}
				}
			}
		}
	}
}

// A loss that is not a number is never hidden.
func TestNaNLossesShow(t *testing.T) {
	f := []float64{1, math.NaN(), 2}
	duals := []saddle.Dual{Box{0, 1, 0}, Box{-1, 1, 0}, Box{0, 1, 2}, OrthantChiSquare{0.5, 1}, OrthantKL{0.5, 1}, OrthantChiSquare{0, 1}}
	for _, d := range everySimplexDual() {
		duals = append(duals, d)
	}
	for _, d := range duals {
		if risk, _ := d.BestResponseTo(make([]float64, 3), f); !math.IsNaN(risk) {
			t.Errorf("%T%+v: the risk of %v is %v", d, d, f, risk)
		}
	}
}
