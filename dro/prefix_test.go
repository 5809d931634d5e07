package dro

import (
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// Stages by a method that asks for little run on an oracle that can do little: a stage
// that cannot start would end the solve as stalled.
func TestGrowingOnAnOracleOfFewAbilities(t *testing.T) {
	o := drotest.NewSample(drotest.RngOf(6), 400, 3, false).Oracle(t, losses.Logistic{})
	p := &Problem{Oracle: drotest.Plain{O: o}, Dual: KL{Nu: 1}, Primal: L2{Mu: 0.1}}
	for _, m := range []Method{primaldual.FullVector{}, primaldual.Stochastic{Block: 40}, primaldual.SeparableBlock{Block: 40}, LBFGS{}} {
		res := drotest.Solve(t, p, Growing{First: 50, Factor: 2, Finish: m}, drotest.Asking(1e-3, 300))
		if res.Status == Stalled {
			t.Errorf("growing with %s: %v after %v passes", m.Name(), res.Status, res.Passes)
		}
	}
}
