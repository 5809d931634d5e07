package newton

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/losses"
)

// Where second derivatives promise a step that falls below the lower bound, quadratics above
// the losses take their place, and promise less.
func TestStepsBelowTheLowerBound(t *testing.T) {
	for _, loss := range []losses.Loss{losses.Logistic{}, losses.Huber{Delta: 1}} {
		o := drotest.NewSample(drotest.RngOf(1), 200, 3, false).Oracle(t, loss)
		p := &saddle.Problem{Oracle: o, Dual: side.KL{}, Primal: side.L2{Mu: 1e-3}}
		s := drotest.Asking(1e-9, 500)
		s.X0 = drotest.Normals(drotest.RngOf(3), 3, 0.1)
		promised := func(lower float64) (fall, value float64) {
			l, err := saddle.NewLoop(p, Minimax{}, s)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			m := l.Method.(*minimax)
			l.Cert.Best.Lower = lower
			if err := m.Step(); err != nil {
				t.Fatal(err)
			}
			return m.last, m.value
		}
		most, value := promised(math.Inf(-1))
		if again, _ := promised(value - 1.01*most); again != most {
			t.Errorf("%s: a step promises %v, %v where the bound is below that", loss.Name(), most, again)
		}
		if fall, _ := promised(value - 0.6*most); !(fall < 0.99*most) {
			t.Errorf("%s: a step promises %v of the %v that are left, %v where no bound is known", loss.Name(), fall, 0.6*most, most)
		}
	}
}

// What is added to the Hessian falls by ten with every step that lowers the objective, and to
// nothing from a millionth.
func TestDampingOfMinimaxFalls(t *testing.T) {
	o := drotest.NewSample(drotest.RngOf(1), 200, 3, false).Oracle(t, losses.Logistic{})
	for before, want := range map[float64]float64{1: 0.1, 2e-5: 2e-6, 1.5e-5: 1.5e-6, 0.9e-5: 0, 0: 0} {
		set := drotest.Asking(1e-9, 500)
		set.X0 = drotest.Normals(drotest.RngOf(3), 3, 0.1)
		l, err := saddle.NewLoop(&saddle.Problem{Oracle: o, Dual: side.CVaR(0.3), Primal: side.L2{Mu: 1e-3}}, Minimax{}, set)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		m := l.Method.(*minimax)
		m.lambda = before
		if err := m.Step(); err != nil || !(math.Abs(m.lambda-want) <= 1e-15) {
			t.Errorf("%v becomes %v, not %v: %v", before, m.lambda, want, err)
		}
	}
}
