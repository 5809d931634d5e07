package dro

import (
	"strings"
	"testing"

	"github.com/drotrain/drotrain/losses"
)

// On problems that lack one thing or another, a method starts where it has what it
// needs; where it has not, the error names all that is missing, and no start panics.
func TestNeeds(t *testing.T) {
	o := newSample(rngOf(7), 40, 3, false).oracle(t, losses.Logistic{})
	oracles := []Oracle{o, plain{o}, bareOracle{o}}
	duals := []Dual{KL{1}, KL{}, ChiSquare{1}, CVaR(0.5), Uniform{}, Box{0, 1, 0.5}, badDual{KL{1}}}
	primals := []Primal{L2{Mu: 0.1}, shiftedL2{L2{Mu: 0.1}, 1}, Entropy{0.1}}
	methods := append(everyMethod(), Newton{}, NewtonCG{}, Growing{}, Growing{Finish: FullVector{}}, Smoothing{})
	refused := 0
	for _, oracle := range oracles {
		for _, dual := range duals {
			for _, primal := range primals {
				p := &Problem{oracle, dual, primal}
				for _, m := range methods {
					_, err := Solve(t.Context(), p, m, asking(1e-3, 3))
					missing := Unmet(m, p)
					if len(missing) == 0 {
						if err != nil && strings.Contains(err.Error(), "needs") {
							t.Errorf("%s on %T, %T, %T: %v", describe(m), oracle, dual, primal, err)
						}
						continue
					}
					refused++
					for _, n := range missing {
						if err == nil || !strings.Contains(err.Error(), n.What) {
							t.Errorf("%s on %T, %T, %T: %v does not name %q", describe(m), oracle, dual, primal, err, n.What)
						}
					}
				}
				if m, _ := Choose(p); len(Unmet(m, p)) > 0 && supports(FullVector{}, p) {
					t.Errorf("%T, %T, %T: %s is chosen, and lacks %v", oracle, dual, primal, m.Name(), unmet(m, p))
				}
			}
		}
	}
	if refused < 100 {
		t.Errorf("only %d refusals", refused)
	}
	if wide := (&Problem{newSample(rngOf(8), 2, maxMetric+1, false).oracle(t, losses.Squared{}), KL{1}, L2{Mu: 1}}); supports(Newton{}, wide) || !supports(NewtonCG{}, wide) || !supports(Growing{}, wide) {
		t.Errorf("a Hessian of %d columns is formed", maxMetric+1)
	}
}
