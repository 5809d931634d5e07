package solvetest_test

import (
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	dro "github.com/drotrain/drotrain/dro/internal/solvetest"
	"github.com/drotrain/drotrain/losses"
)

// Where the passes end before the first evaluation there is one in any case, and what it proves is
// the status.
func TestSolve_AtLeastOneEvaluation(t *testing.T) {
	p := &dro.Problem{Oracle: drotest.NewSample(drotest.RngOf(62), 20_000, 4, true).Oracle(t, losses.Logistic{}),
		Dual: dro.Simplex{Nu: 0.5}, Primal: dro.L2{Mu: 1}}
	for gap, want := range map[float64]dro.Status{10: dro.Certified, 1e-9: dro.Limit} {
		s := drotest.SettingsFor(gap, 0.01)
		s.X0 = []float64{0.1, -0.1, 0.1, 0.1}
		res := drotest.Solve(t, p, dro.Newton{}, s)
		if res.Status != want || !(res.Certificate.Lower > 0.3) || res.Passes > 2.5 || len(res.Trace) == 0 {
			t.Errorf("a gap of %v: %v at %v after %v passes, %v", gap, res.Status, res.X, res.Passes, res.Certificate)
		}
	}
}

// An oracle that says nothing of its rounding, and whose slopes sum up to nothing at a point, is
// bounded there by the gradient in the other coordinates.
func TestSolve_TakesTheWordOfAnOracle(t *testing.T) {
	o := newLinear(t, losses.Squared{}, newDense(t, 4, 2, []float64{1, 1, 3, 1, -1, 1, 2, 1}), []float64{1, 1, -1, -1})
	p := &dro.Problem{Oracle: struct{ dro.Oracle }{o}, Dual: dro.Simplex{Nu: 1}, Primal: dro.L2{Mu: 0.5, Intercept: true}}
	best := drotest.Solve(t, &dro.Problem{Oracle: o, Dual: p.Dual, Primal: p.Primal}, dro.Newton{},
		drotest.SettingsFor(1e-12, 100))
	c, err := dro.Certify(p, []float64{0, 0})
	if err != nil || !(c.Lower > -1 && c.Lower <= best.Objective) || c.Upper < 0.5 {
		t.Errorf("%v, %v; the optimum is %v", c, err, best.Objective)
	}
}
