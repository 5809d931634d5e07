package newton

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/losses"
)

// At any point, whatever the dual, the certificate holds the optimum that a
// tight solve of the same problem proves.
func TestCertify_RandomPoints(t *testing.T) {
	rng := drotest.RngOf(33)
	for trial := range 12 {
		intercept := trial%2 == 1
		s := drotest.NewSample(rng, 20+rng.IntN(40), 3, intercept)
		for _, l := range []losses.Loss{losses.Logistic{}, losses.Huber{Delta: 1}, losses.Squared{}} {
			for _, d := range []saddle.Dual{side.Simplex{Nu: 0.1}, side.Simplex{Divergence: side.PearsonChi2, Nu: 0.3},
				side.Simplex{Alpha: 0.5, Nu: 0.2}, side.Simplex{Divergence: side.PearsonChi2, Alpha: 0.9, Nu: 0.1},
				side.Simplex{Divergence: side.PearsonChi2, Alpha: 1}, side.Orthant{Nu: 0.5, Cap: 0.1},
				side.Box{Lower: 0, Upper: 1, Nu: 0.3}, side.Box{Lower: 0.2, Upper: 0.7, Nu: 1}} {
				p := &saddle.Problem{Oracle: s.Oracle(t, l), Dual: d, Primal: saddle.L2{Mu: 0.05, Intercept: intercept}}
				optimum := drotest.Solve(t, p, LBFGS{}, drotest.SettingsFor(1e-11, 2000))
				if !(optimum.Certificate.Relative() < 1e-9) {
					t.Errorf("%T%+v, %s, intercept %v: %v at relative gap %.3g", d, d, l.Name(), intercept, optimum.Status,
						optimum.Certificate.Relative())
					continue
				}
				c := engine.NewCertifier(p)
				for range 30 {
					x := drotest.Normals(rng, 3, math.Pow(10, 4*rng.Float64()-3))
					for i := range x {
						x[i] += optimum.X[i]
					}
					c.Evaluate(x)
					c.CertifyUpper()
					c.Certify()
					if engine.RegionOf(d) == engine.Whole {
						c.CertifyWith(drotest.OnSimplex(rng, s.N))
					}
					if c.Best.Lower > optimum.Certificate.Upper || c.Best.Upper < optimum.Certificate.Lower {
						t.Fatalf("%T%+v, %s, intercept %v: [%v, %v] misses the optimum in %+v", d, d, l.Name(), intercept, c.Best.Lower,
							c.Best.Upper, optimum.Certificate)
					}
				}
			}
		}
	}
}
