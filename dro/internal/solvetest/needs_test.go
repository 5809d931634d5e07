package solvetest

import (
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/losses"
)

// On problems that lack one thing or another, a method starts where it has what it
// needs; where it has not, the error names all that is missing, and no start panics.
func TestNeeds_NameAllThatIsMissing(t *testing.T) {
	o := drotest.NewSample(drotest.RngOf(7), 40, 3, false).Oracle(t, losses.Logistic{})
	oracles := []Oracle{o, drotest.Plain{O: o}, drotest.BareOracle{Oracle: o}}
	duals := []Dual{Simplex{Nu: 1}, Simplex{}, Simplex{Divergence: PearsonChi2, Nu: 1},
		Simplex{Divergence: PearsonChi2, Alpha: 0.5}, Simplex{Divergence: PearsonChi2, Alpha: 1},
		Box{Lower: 0, Upper: 1, Nu: 0.5}, badDual{Simplex{Nu: 1}}}
	primals := []Primal{L2{Mu: 0.1}, shiftedL2{L2{Mu: 0.1}, 1}, Entropy{Mu: 0.1}}
	methods := append(everyMethod(), Newton{}, Newton{Products: true})
	refused := 0
	for _, oracle := range oracles {
		for _, dual := range duals {
			for _, primal := range primals {
				p := &Problem{Oracle: oracle, Dual: dual, Primal: primal}
				for _, m := range methods {
					_, err := SolveBy(t.Context(), p, m, drotest.SettingsFor(1e-3, 3))
					missing := Unmet(m, p)
					if len(missing) == 0 {
						if err != nil && strings.Contains(err.Error(), "needs") {
							t.Errorf("%s on %T, %T, %T: %v", drotest.Describe(m), oracle, dual, primal, err)
						}
						continue
					}
					refused++
					for _, n := range missing {
						if err == nil || !strings.Contains(err.Error(), n.What) {
							t.Errorf("%s on %T, %T, %T: %v does not name %q", drotest.Describe(m), oracle, dual, primal, err, n.What)
						}
					}
				}
				if m, _ := Choose(p); m == nil {
					for _, m := range methods {
						if (m.Name() == "newton" || m.Name() == "lbfgs") && len(Unmet(m, p)) == 0 {
							t.Errorf("%T, %T, %T: no method is chosen, and %s would do", oracle, dual, primal, m.Name())
						}
					}
				} else if len(Unmet(m, p)) > 0 {
					t.Errorf("%T, %T, %T: %s is chosen, and lacks %v", oracle, dual, primal, m.Name(), engine.RefusalError(m, p))
				}
			}
		}
	}
	if refused < 100 {
		t.Errorf("only %d refusals", refused)
	}
	if wide := (&Problem{Oracle: drotest.NewSample(drotest.RngOf(8), 2, newton.MaxColumns+1, false).Oracle(t,
		losses.Squared{}), Dual: Simplex{Nu: 1}, Primal: L2{Mu: 1}}); !engine.Supports(Newton{}, wide) {
		t.Errorf("%d columns are refused", newton.MaxColumns+1)
	}
}
