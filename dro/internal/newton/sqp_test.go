package newton

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/losses"
)

// What is added to the Hessian falls by ten with every step that lowers the objective, and to
// nothing from a millionth.
func TestSQP_DampingFallsAfterASuccessfulStep(t *testing.T) {
	o := drotest.NewSample(drotest.RngOf(1), 200, 3, false).Oracle(t, losses.Logistic{})
	for before, want := range map[float64]float64{1: 0.1, 2e-5: 2e-6, 1.5e-5: 1.5e-6, 0.9e-5: 0, 0: 0} {
		set := drotest.Asking(1e-9, 500)
		set.X0 = drotest.Normals(drotest.RngOf(3), 3, 0.1)
		l, err := saddle.NewLoop(&saddle.Problem{Oracle: o, Dual: side.Simplex{Divergence: side.PearsonChi2, Alpha: 0.3}, Primal: side.L2{Mu: 1e-3}}, Newton{}, set)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		m := l.Method.(*sqp)
		m.lambda = before
		if err := m.Step(); err != nil || math.Abs(m.lambda-want) > 1e-15 {
			t.Errorf("%v becomes %v, not %v: %v", before, m.lambda, want, err)
		}
	}
}
