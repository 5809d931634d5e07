package primaldual

import (
	"math"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/losses"
)

// Changes of gradients in one reading of a linear model save work and change nothing else.
func TestAddChange_OneReading(t *testing.T) {
	s := uneven(111, 30, 3)
	for _, m := range []saddle.Method{Stochastic{Schedule: Theory, Block: 4, Uniform: true},
		SeparableBlock{Schedule: Theory, Block: 4, Uniform: true}} {
		o := s.Oracle(t, losses.Logistic{})
		fast := bold(begun(t, &saddle.Problem{Oracle: o, Dual: side.Simplex{Nu: 0.3}, Primal: saddle.L2{Mu: 0.2}}, m, 3))
		slow := bold(begun(t, &saddle.Problem{Oracle: drotest.Plain{O: o}, Dual: side.Simplex{Nu: 0.3},
			Primal: saddle.L2{Mu: 0.2}}, m, 3))
		slow.Cert.Passes, fast.Cert.Passes = 0, 0
		for range 12 {
			fast.template.step()
			slow.template.step()
			agree(t, m.Name(), slow.template.x, fast.template.x, 1e-10)
		}
		if slow.Cert.Passes <= fast.Cert.Passes {
			t.Errorf("%s: %v passes in two readings, %v in one", m.Name(), slow.Cert.Passes, fast.Cert.Passes)
		}
	}
}

// Weights that grow past every exponent of double precision are rescaled on the
// way: the iterates stay, and stay at the optimum.
func TestTemplate_WeightsNeverOverflow(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(112), 12, 2, false)
	for _, d := range []saddle.Dual{side.Simplex{Nu: 1}, side.Simplex{Divergence: side.PearsonChi2, Nu: 1}} {
		p := &saddle.Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: d, Primal: saddle.L2{Mu: 1}}
		optimum := drotest.Solve(t, p, newton.LBFGS{}, drotest.SettingsFor(1e-12, 1000))
		w := begun(t, p, FullVector{Schedule: Theory}, 1)
		w.Cert.Budget = math.Inf(1)
		grown := 0.0
		for range 20000 {
			w.template.step()
			grown += math.Log1p(w.template.a / max(w.template.A-w.template.a, 1e-300))
			if math.IsInf(w.template.A, 1) {
				t.Fatal("the weights overflowed")
			}
		}
		if grown < 800 { // e^709 is the largest number
			t.Errorf("%T: the weights grew by e^%.0f only: nothing was tested", d, grown)
		}
		agree(t, "x", w.template.x, optimum.X, 1e-6)
	}
}

// A solve that is over where it starts returns its start, and draws it.
func TestOfferDrawn_StartBeforeAnyStep(t *testing.T) {
	s := uneven(113, 20, 2)
	for _, m := range []saddle.Method{FullVector{}, Stochastic{Block: 4}, SeparableBlock{Block: 4}} {
		st := drotest.SettingsFor(1e3, 100)
		st.X0 = []float64{0.5, -0.25}
		res := drotest.Solve(t, &saddle.Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: side.Simplex{Nu: 0.3},
			Primal: saddle.L2{Mu: 0.2}}, m, st)
		if res.Iterations != 0 || !slices.Equal(res.Drawn, st.X0) || !slices.Equal(res.X, st.X0) {
			t.Errorf("%s: %v drawn and %v found in %d steps from %v", m.Name(), res.Drawn, res.X, res.Iterations, st.X0)
		}
	}
}
