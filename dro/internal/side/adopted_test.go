package side

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/exact"
)

// Weights put in the place of the best response have a value that is off by what is said
// of it, where there is no price too: the largest loss needs no allowance, their mean does.
func TestAdoptedWeightsRound(t *testing.T) {
	rng := drotest.RngOf(215)
	x := []float64{0}
	for trial := range 40 {
		f := hardLosses(rng, 2+rng.IntN(200))
		y := drotest.OnSimplex(rng, len(f))
		for _, dual := range []saddle.Dual{Simplex{}, Simplex{Divergence: PearsonChi2}, Simplex{Divergence: PearsonChi2, Alpha: 1e-9}, Simplex{}} {
			c := saddle.NewCertifier(&saddle.Problem{Oracle: &givenLosses{f}, Dual: dual, Primal: L2{Mu: 1}})
			c.Evaluate(x)
			c.AdoptWeights(y, 0)
			mass, linear := exact.New(0), exact.New(0)
			for j, v := range f {
				mass = exact.Add(mass, exact.New(y[j]))
				linear = exact.Add(linear, exact.Mul(exact.New(y[j]), exact.New(v)))
			}
			if off := math.Abs(drotest.Subtract(exact.Div(linear, mass), c.Risk)); off > c.RiskRounding() {
				t.Errorf("trial %d, %#v: ⟨y, f⟩ = %v is off by %.3g, not %.3g", trial, dual, c.Risk, off, c.RiskRounding())
			}
		}
	}
}
