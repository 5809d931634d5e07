package solve_test

import (
	"context"
	"math"
	"testing"

	dro "github.com/drotrain/drotrain/dro/internal/solve"
	"github.com/drotrain/drotrain/losses"
)

// Without a penalty the maximum loss and CVaR_α are certified, and the optimum
// agrees with that of a penalty too small to matter, where Newton's method certifies
// that from there.
func TestSmoothingCertifiesWithoutPenalty(t *testing.T) {
	o := sample(t, losses.Huber{Delta: 1}, 600, 4)
	s := dro.DefaultSettings()
	s.MaxPasses = 3000
	compared := 0
	for _, c := range []struct{ dual, close dro.Dual }{
		{dro.Simplex{}, dro.Simplex{Nu: 1e-8}},
		{dro.Simplex{Divergence: dro.PearsonChi2}, dro.Simplex{Nu: 1e-8}},
		{dro.Simplex{Divergence: dro.PearsonChi2, Alpha: 0.1}, dro.Simplex{Divergence: dro.PearsonChi2, Alpha: 0.1, Nu: 1e-8}},
		{dro.Simplex{Alpha: 0.3}, dro.Simplex{Alpha: 0.3, Nu: 1e-8}},
	} {
		for _, primal := range []dro.L2{{Mu: 1e-2}, {Mu: 1e-3}} {
			res, err := dro.SolveBy(context.Background(), &dro.Problem{Oracle: o, Dual: c.dual, Primal: primal}, dro.Newton{}, s)
			if err != nil {
				t.Fatal(err)
			}
			if res.Status != dro.Certified {
				t.Errorf("%#v: %v after %.4g passes, relative gap %.3g", c.dual, res.Status, res.Passes, res.Certificate.Relative())
			}
			t.Logf("%#v μ=%v: %.4g passes, gap %.2g, objective %.8g", c.dual, primal.Mu, res.Passes, res.Certificate.Relative(), res.Objective)
			for _, k := range res.Trace {
				if !(k.Lower <= k.Upper) {
					t.Errorf("lower %v above upper %v", k.Lower, k.Upper)
				}
			}
			there := s
			there.X0 = res.X
			near, err := dro.SolveBy(context.Background(), &dro.Problem{Oracle: o, Dual: c.close, Primal: primal}, dro.Newton{}, there)
			if err != nil {
				t.Fatal(err)
			}
			if near.Status != dro.Certified {
				continue
			}
			compared++
			if !(math.Abs(near.Objective-res.Objective) <= 1e-5*res.Objective) {
				t.Errorf("%#v: objective %v, %v with ν = 1e-8 (%v)", c.dual, res.Objective, near.Objective, near.Status)
			}
		}
	}
	if compared < 6 {
		t.Errorf("only %d optima had another to be held against", compared)
	}
}
