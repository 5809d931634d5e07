package solvetest_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/side"
	dro "github.com/drotrain/drotrain/dro/internal/solvetest"
	"github.com/drotrain/drotrain/dro/spectrum"
	"github.com/drotrain/drotrain/losses"
)

// CVaR, the largest loss and plain group DRO are certified within 30 passes, and total variation, which has
// two masses, within 40; their bounds hold at every check, and falling penalties find the same optimum.
func TestKinks_TakeFewPasses(t *testing.T) {
	const n, d = 2000, 10
	rng := rand.New(rand.NewPCG(8, 9))
	x, group := make([]float64, n*d), make([]int, n)
	target := make([]float64, n)
	for j := range target {
		for i := range d {
			x[j*d+i] = rng.NormFloat64()
		}
		x[j*d+d-1], group[j] = 1, rng.IntN(8)
		target[j] = x[j*d] + (0.3*float64(group[j])-1)*x[j*d+1] + rng.NormFloat64()
	}
	groups, err := dro.NewGroups(dro.Simplex{}, nil, group)
	if err != nil {
		t.Fatal(err)
	}
	weights := make([]float64, n)
	for j := range weights {
		weights[j] = float64(j % 3)
	}
	for _, loss := range []losses.Loss{losses.Logistic{}, losses.Squared{}, losses.Huber{Delta: 1}} {
		y := target
		if loss.Name() == "logistic" {
			y = make([]float64, n)
			for j, v := range target {
				y[j] = math.Copysign(1, v)
			}
		}
		o := newLinear(t, loss, newDense(t, n, d, x), y)
		for _, dual := range []dro.Dual{dro.Simplex{Divergence: dro.PearsonChi2, Alpha: 0.1},
			dro.Simplex{Divergence: dro.PearsonChi2, Alpha: 0.01}, dro.Simplex{},
			dro.Simplex{Divergence: dro.KullbackLeibler, Nu: 0, Weights: weights}, groups,
			side.Spectral{Spectrum: spectrum.Spectrum{Kind: spectrum.TotalVariation, Param: 0.02}}} {
			for _, intercept := range []bool{false, true} {
				p := &dro.Problem{Oracle: o, Dual: dual, Primal: dro.L2{Mu: 1.0 / n, Intercept: intercept}}
				most := 30.0
				if _, ok := dual.(side.Spectral); ok {
					most = 40
				}
				m, _ := dro.Choose(p)
				res := solveBy(t, p, m, dro.DefaultSettings())
				if m.Name() != "newton" || res.Status != dro.Certified || res.Passes > most {
					t.Errorf("%s, %T, intercept %v, by %s: %v after %.4g passes", loss.Name(), dual, intercept, m.Name(), res.Status,
						res.Passes)
				}
				for _, c := range res.Trace {
					if !(c.Lower <= c.Upper) {
						t.Errorf("%s, %T: lower %v above upper %v", loss.Name(), dual, c.Lower, c.Upper)
					}
				}
			}
		}
	}
}
