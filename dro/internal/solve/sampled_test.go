package solve

import (
	"context"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/losses"
)

// Newton's method on Hessians of samples reaches what it reaches on full ones.
func TestNewtonOnSamples(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(104), 20_000, 5, true)
	for _, dual := range []Dual{Simplex{Nu: 1}, Simplex{Divergence: PearsonChi2, Nu: 0.2}, Simplex{Divergence: PearsonChi2, Alpha: 1}} {
		p := &Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: dual, Primal: L2{Mu: 1e-4, Intercept: true}}
		exact := drotest.Solve(t, p, Newton{}, drotest.Asking(1e-10, 200))
		got := drotest.Solve(t, p, Newton{Sample: 500}, drotest.Asking(1e-10, 200))
		if got.Status != Certified {
			t.Errorf("%#v: %v after %v passes", dual, got.Status, got.Passes)
		}
		if !(math.Abs(got.Objective-exact.Objective) <= 1e-9*exact.Objective) {
			t.Errorf("%#v: objective %v, %v with full Hessians", dual, got.Objective, exact.Objective)
		}
	}
	p := &Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: Simplex{Nu: 1}, Primal: L2{Mu: 1e-4}}
	if _, err := SolveBy(context.Background(), p, Newton{Sample: -1}, DefaultSettings()); err == nil {
		t.Error("a negative number of samples was accepted")
	}
}
