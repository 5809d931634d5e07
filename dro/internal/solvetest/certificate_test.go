package solvetest

import (
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// Without strong convexity there is no bound to be had from a gradient that is
// not zero, and none is invented.
func TestCertificate_WithoutModulus(t *testing.T) {
	rng := drotest.RngOf(34)
	s := drotest.NewSample(rng, 40, 3, false)
	for i := range s.Label {
		s.Label[i] += rng.NormFloat64()
	}
	for _, m := range []Method{LBFGS{}, primaldual.FullVector{}, primaldual.Stochastic{}, primaldual.SeparableBlock{}} {
		p := &Problem{Oracle: s.Oracle(t, losses.Squared{}), Dual: Simplex{Nu: 0.5}, Primal: L2{}}
		truth := drotest.Solve(t, &Problem{Oracle: p.Oracle, Dual: p.Dual, Primal: L2{Mu: 1e-9}}, LBFGS{},
			drotest.SettingsFor(1e-8, 3000))
		res := drotest.Solve(t, p, m, drotest.SettingsFor(1e-6, 200))
		if res.Status == Certified && !drotest.IsNear(res.Objective, truth.Objective, 1e-5, truth.Objective) {
			t.Errorf("%s certifies %v, optimum %v", m.Name(), res.Objective, truth.Objective)
		}
		if res.Certificate.Lower > truth.Certificate.Upper {
			t.Errorf("%s: lower bound %v above the optimum %v", m.Name(), res.Certificate.Lower, truth.Objective)
		}
	}
}

// A regulariser may be negative, and then f ≥ 0 proves nothing.
func TestCertificate_NegativeRegulariser(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(35), 30, 2, false)
	p := &Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: Simplex{Nu: 0.5}, Primal: shiftedL2{L2{Mu: 1}, -10}}
	res := drotest.Solve(t, p, LBFGS{}, drotest.SettingsFor(1e-8, 100))
	if err := drotest.CheckBrackets(res, Certificate{Upper: res.Objective + 1e-6,
		Lower: res.Objective - 1e-6}); err != nil || res.Status != Certified {
		t.Errorf("%v: %v", res.Status, err)
	}
}

// shiftedL2 is L2 plus a constant.
type shiftedL2 struct {
	Primal
	constant float64
}

func (s shiftedL2) Value(x []float64) float64 { return s.Primal.Value(x) + s.constant }

func (s shiftedL2) AddGradTo(dst, x []float64) { s.Primal.(Smooth).AddGradTo(dst, x) }
