package newton

import (
	"errors"

	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/saddle"
)

// Guarded runs a method for objectives with gradients, and Smoothing from the point
// where that stalls. The risk of a Ball without a penalty has a gradient but where the
// ball reaches a vertex of largest loss, and an optimum may lie there: at x = 0, say,
// where all losses are the same.
type Guarded struct {
	Method saddle.Method
}

var _ saddle.Method = Guarded{}

// Name implements Method: the name of the method guarded.
func (m Guarded) Name() string { return m.Method.Name() }

// Start implements Method.
func (m Guarded) Start(r *saddle.Run) (saddle.Stepper, error) {
	first, err := m.Method.Start(r)
	return &guarded{Run: r, method: first}, err
}

type guarded struct {
	*saddle.Run
	method  saddle.Stepper
	stalled bool
}

// StartsLate reports that the first point worth evaluating is not the start.
func (g *guarded) StartsLate() bool {
	late, ok := g.method.(saddle.LateStarting)
	return ok && late.StartsLate()
}

// Step implements Stepper.
func (g *guarded) Step() error {
	err := g.method.Step()
	if (err == saddle.ErrStalled || errors.Is(err, hessian.ErrSteep)) && !g.stalled && !g.Certified() {
		g.method.Check()
		if g.Certified() {
			return err
		}
		g.Logf("guarded: no further progress at a relative gap of %.3g: penalties that fall", g.Cert.Best.Relative())
		return g.fall()
	}
	return err
}

// fall goes on by smoothing from the best point.
func (g *guarded) fall() (err error) {
	copy(g.Start, g.Cert.BestX)
	g.stalled = true
	g.method, err = Smoothing{}.Start(g.Run)
	return err
}

// Check implements Stepper.
func (g *guarded) Check() { g.method.Check() }

// Current implements Delegating.
func (g *guarded) Current() saddle.Stepper { return g.method }

// Visit lists what a snapshot holds.
func (g *guarded) Visit(s *saddle.State) {
	was := g.stalled
	if s.Boolean(&g.stalled); g.stalled && !was {
		if s.Err = g.fall(); s.Err != nil {
			return
		}
	}
	g.method.(saddle.Resumable).Visit(s)
}

// Needs implements Method.
func (m Guarded) Needs() []saddle.Need {
	return append([]saddle.Need{saddle.NeedSmoothable}, m.Method.Needs()...)
}
