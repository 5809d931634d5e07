package solvetest_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	dro "github.com/drotrain/drotrain/dro/internal/solvetest"
	"github.com/drotrain/drotrain/internal/optima"
	"github.com/drotrain/drotrain/losses"
)

// log cosh has a point from which Newton's step leads to its mirror image, and back: the
// search asks for a decrease, however small the rise it would have to allow.
func TestNewton_SearchRequiresDecrease(t *testing.T) {
	o := newLinear(t, losses.Logistic{}, newDense(t, 2, 1, []float64{2, -2}), []float64{1, 1})
	s := dro.DefaultSettings()
	s.RelativeGap = 1e-12
	for _, x := range []float64{1.08865, 1.08866, 1.0888, 1.089} { // the cycle is at 1.0886…
		s.X0 = []float64{x}
		res := solveBy(t, &dro.Problem{Oracle: o, Dual: dro.Simplex{Divergence: dro.PearsonChi2, Alpha: 1}, Primal: dro.L2{}},
			dro.Newton{}, s)
		if !(math.Abs(res.X[0]) <= 1e-4) || res.Passes > 15 {
			t.Errorf("from %v: at %v after %v passes, %v", x, res.X[0], res.Passes, res.Status)
		}
	}
}

// The upper bound is one where rounding decides: around the optimum P in double
// precision is below the true minimum every other time.
func TestNewton_UpperBoundNearOptimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(52, 1))
	for _, c := range optima.Cases() {
		p := problemOf(t, c)
		for range 20 {
			x := slices.Clone(c.Optimum.X)
			for i := range x {
				x[i] += 1e-10 * rng.NormFloat64()
			}
			if got, err := dro.Certify(p, x); err != nil || !c.Optimum.IsBetween(got.Lower, got.Upper) {
				t.Fatalf("%s: [%v, %v] misses %v + %v, %v", c.Name, got.Lower, got.Upper, c.Optimum.High, c.Optimum.Low, err)
			}
		}
	}
}
