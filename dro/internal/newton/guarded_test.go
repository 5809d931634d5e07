package newton

import (
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/losses"
)

// idle evaluates where it is, or stalls there.
type idle struct {
	stalls bool
	steps  *int
}

type idling struct {
	*saddle.Run
	idle
}

func (idle) Name() string                                  { return "idle" }
func (idle) Needs() []saddle.Need                          { return nil }
func (m idle) Start(r *saddle.Run) (saddle.Stepper, error) { return &idling{r, m}, nil }
func (s *idling) Check()                                   {}
func (s *idling) Step() error {
	if *s.steps++; s.stalls {
		return saddle.ErrStalled
	}
	s.Cert.Evaluate(s.Run.Start)
	return nil
}

// A method that gets nowhere has its turn and no more, and one that stalls is not asked again
// before the gap is half of what it was: what the others certify takes that long more.
func TestAnotherMethodTakesOver(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(131), 500, 4, false)
	for name, c := range map[string]struct {
		dual saddle.Dual
		loss losses.Loss
	}{"l-bfgs": {side.KL{Nu: 0.5}, losses.Logistic{}}, "penalties that fall": {side.CVaR(0.2), losses.Squared{}}} {
		p := &saddle.Problem{Oracle: s.Oracle(t, c.loss), Dual: c.dual, Primal: side.L2{Mu: 1e-2}}
		for _, stalls := range []bool{false, true} {
			steps := 0
			res := drotest.Solve(t, p, Guarded{Method: idle{stalls, &steps}}, drotest.Asking(1e-6, 1000))
			own, turn := 0.0, 1
			if !stalls {
				own = firstTurn.Value
				turn = int(own) - 1 // one pass each, after that of the start
			}
			if res.Status != saddle.Certified || res.Passes < own || res.Passes > own+50 || steps != turn {
				t.Errorf("%s, stalls %v: %v after %v passes, %d steps of the other", name, stalls, res.Status, res.Passes, steps)
			}
		}
	}
}

// Where every method stalls the solve ends.
func TestNoMethodIsLeft(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(132), 100, 2, false)
	steps := 0
	p := &saddle.Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: side.KL{Nu: 0.5}, Primal: side.L2{Mu: 1e-2}}
	res := drotest.Solve(t, p, Guarded{Method: idle{true, &steps}}, drotest.Asking(1e-18, 1e6))
	if res.Status != saddle.Stalled && res.Status != saddle.Certified || res.Passes > 10_000 || steps > 200 {
		t.Errorf("%v after %v passes, %d steps of the first", res.Status, res.Passes, steps)
	}
}

// Methods that step for ever where only rounding is left of the gap are no endless solve.
func TestRoundingEndsTurns(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(133), 100, 2, false)
	steps := 0
	p := &saddle.Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: side.KL{Nu: 0.5}, Primal: side.L2{Mu: 1e-2}}
	res := drotest.Solve(t, p, Guarded{Method: idle{false, &steps}}, drotest.Asking(1e-300, 1e5))
	if res.Status != saddle.Stalled || res.Passes > 10_000 || res.Certificate.Relative() > 1e-9 {
		t.Errorf("%v after %v passes at a gap of %v", res.Status, res.Passes, res.Certificate.Relative())
	}
}

// everywhere is idle, and says whether it runs over ranks.
type everywhere struct {
	idle
	runs bool
}

func (e everywhere) RunsEverywhere() bool { return e.runs }

// A method in stages, or guarded, runs over ranks as the one within it does.
func TestMethodsRunWhereThoseWithinDo(t *testing.T) {
	for _, c := range []struct {
		m    saddle.Method
		want bool
	}{{idle{}, false}, {everywhere{}, false}, {everywhere{runs: true}, true}, {nil, true}} {
		if got := (Growing{Finish: c.m}).RunsEverywhere(); got != c.want {
			t.Errorf("growing, finished by %#v: %v", c.m, got)
		}
		if got := (Guarded{Method: c.m}).RunsEverywhere(); c.m != nil && got != c.want {
			t.Errorf("guarded %#v: %v", c.m, got)
		}
	}
}
