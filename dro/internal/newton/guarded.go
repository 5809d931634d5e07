package newton

import (
	"errors"
	"math"

	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/tuning"
)

// Guarded runs a method for objectives with gradients, and Smoothing from the point
// where that stalls or is on its way to a kink. The risk of a Ball without a penalty has
// a gradient but where the ball reaches a vertex of largest loss, and an optimum may lie
// there: at x = 0, say, where all losses are the same. The price of the ball falls to 0 on
// the way, and Newton's steps are as short as it.
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

var (
	kinkPrice = tuning.New("guarded: price of a ball at which a kink is near", "of the objective", 0.02, 0.002, 0.1)
	kinkFirst = tuning.New("guarded: first of the penalties that fall", "× the price", 10, 1, 100)
)

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
	if err == nil && !g.stalled && !g.StartsLate() && !g.Certified() && kinkAt(g.Cert) {
		g.Logf("guarded: a price of %.3g at an objective of %.6g: a kink is near: penalties that fall", g.Cert.Price, g.Cert.Objective)
		return g.fall()
	}
	return err
}

// kinkAt reports that the dual is a ball without a penalty, of a price next to nothing at the
// point last evaluated.
func kinkAt(c *saddle.Certifier) bool {
	_, ball := c.Problem.Dual.(saddle.DifferentiableDual)
	return ball && c.Problem.Dual.Modulus() == 0 && saddle.Differentiable(c.Problem) && !math.IsInf(c.BestObjective, 0) &&
		c.Price <= kinkPrice.Value*math.Abs(c.Objective)
}

// fall goes on by smoothing from the best point.
func (g *guarded) fall() (err error) {
	copy(g.Start, g.Cert.BestX)
	g.stalled = true
	if g.method, err = (Smoothing{}).Start(g.Run); err != nil {
		return err
	}
	if price := g.Cert.Price; price > 0 && saddle.Differentiable(g.Problem) {
		g.method.(*smoothing).most = kinkFirst.Value * price
	}
	return nil
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

// RunsEverywhere implements Everywhere: as the method guarded.
func (m Guarded) RunsEverywhere() bool {
	e, ok := m.Method.(saddle.Everywhere)
	return ok && e.RunsEverywhere()
}
