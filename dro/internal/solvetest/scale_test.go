package solvetest

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/losses"
)

// A certificate does not depend on the unit of the targets: with targets of any size the relative
// gap asked for is proved, in about as many passes.
func TestSolve_TargetsOfAnyUnit(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(94), 2000, 6, true)
	label := append([]float64(nil), s.Label...)
	for name, m := range map[string]Method{"default": nil, "newton": Newton{}, "lbfgs": LBFGS{}} {
		var passes, objective float64
		for _, unit := range []float64{1, 1e-8, 1e8} {
			for j := range label {
				s.Label[j] = unit * label[j]
			}
			p := &Problem{Oracle: s.Oracle(t, losses.Squared{}), Dual: Simplex{Nu: 0.5 * unit * unit},
				Primal: L2{Mu: 0.01, Intercept: true}}
			res := solveBy(t, p, m, Settings{})
			gap := (res.Certificate.Upper - res.Certificate.Lower) / res.Certificate.Upper
			if res.Status != Certified || !(gap <= 1e-6) {
				t.Errorf("%s, targets × %v: %v with a gap of %v of the upper bound", name, unit, res.Status, gap)
			}
			if unit == 1 {
				passes, objective = res.Passes, res.Objective
			}
			if !(math.Abs(res.Passes-passes) <= 0.2*passes) || !(math.Abs(res.Objective/unit/unit-objective) <= 2e-6*objective) {
				t.Errorf("%s, targets × %v: objective %v in %v passes, × 1: %v in %v", name, unit, res.Objective/unit/unit,
					res.Passes, objective, passes)
			}
		}
	}
}
