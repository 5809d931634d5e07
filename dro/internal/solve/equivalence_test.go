package solve

import (
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/losses"
)

// Two methods, one optimum: a robust problem with a penalty that leaves no
// choice is empirical risk minimisation.
func TestLargePenaltyIsEmpiricalRisk(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(14), 80, 4, true)
	settings := drotest.Asking(1e-10, 500)
	erm := drotest.Solve(t, &Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: Simplex{Divergence: PearsonChi2, Alpha: 1}, Primal: L2{Mu: 0.05, Intercept: true}}, LBFGS{}, settings)
	for _, d := range []Dual{Simplex{Nu: 1e9}, Simplex{Divergence: PearsonChi2, Nu: 1e9}, Simplex{Alpha: 1, Nu: 0.5}, Simplex{Divergence: PearsonChi2, Alpha: 1, Nu: 0.5}} {
		res := drotest.Solve(t, &Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: d, Primal: L2{Mu: 0.05, Intercept: true}}, LBFGS{}, settings)
		if res.Status != Certified || erm.Status != Certified {
			t.Errorf("%T%+v: %v at gap %.3g; empirical risk %v at %.3g", d, d, res.Status, res.Certificate.Relative(), erm.Status, erm.Certificate.Relative())
		}
		if !drotest.Near(res.Objective, erm.Objective, drotest.Solver*1e-10+1e-9, erm.Objective) {
			t.Errorf("%T%+v: objective %v, empirical risk %v", d, d, res.Objective, erm.Objective)
		}
	}
}
