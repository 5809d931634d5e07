package newton

import (
	"errors"
	"math"

	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/tuning"
)

// Guarded runs a method and, where that takes long or stalls, the others that could have been
// taken, in turns: each goes on from the best point, for as many passes as the others had, until
// one has a certificate. Bounds are of the problem, whoever proves them. So it takes no more than
// a few times what the best of them takes, whichever that is.
//
// L-BFGS is among them where the objective has gradients, and Smoothing where it is a maximum or
// near one: the risk of a Ball without a penalty has
// a gradient but where the ball reaches a vertex of largest loss, and an optimum may lie
// there: at x = 0, say, where all losses are the same. The price of the ball falls to 0 on
// the way, and Newton's steps are as short as it: Smoothing's turn comes at once.
type Guarded struct {
	Method saddle.Method
}

var _ saddle.Method = Guarded{}

// Name implements Method: the name of the method guarded.
func (m Guarded) Name() string { return m.Method.Name() }

// Start implements Method.
func (m Guarded) Start(r *saddle.Run) (saddle.Stepper, error) {
	first, err := m.Method.Start(r)
	g := &guarded{Run: r, turns: []turn{{method: m.Method, stepper: first}}, round: firstTurn.Value, until: firstTurn.Value, from: math.Inf(1)}
	others := []saddle.Method{Smoothing{}, LBFGS{}}
	if ball(r.Problem) {
		others = others[:1]
	}
	for _, other := range others {
		if other.Name() != m.Name() && saddle.Supports(other, r.Problem) {
			g.turns = append(g.turns, turn{method: other})
		}
	}
	return g, err
}

// ball reports that the dual is a ball without a penalty.
func ball(p *saddle.Problem) bool {
	_, ok := saddle.Ability[saddle.DifferentiableDual](p.Dual)
	return ok && p.Dual.Modulus() == 0
}

type guarded struct {
	*saddle.Run
	turns []turn
	at    int     // whose turn it is
	round float64 // passes of a turn
	until float64 // passes at which this one ends
	from  float64 // gap at which it began
}

// A turn is a method at work, or still to begin.
type turn struct {
	method  saddle.Method
	stepper saddle.Stepper // nil: not begun
	over    bool           // it stalled, or moved too little
	gap     float64        // at which it did
}

var (
	firstTurn = tuning.New("guarded: turn of a method, before another one's; twice as many in the next round", "passes", 60, 30, 120)
	idleTurn  = tuning.New("guarded: length of a turn that has to halve the gap", "× the first", 8, 4, 16)
	kinkPrice = tuning.New("guarded: price of a ball at which a kink is near", "of the objective", 0.02, 0.002, 0.1)
	kinkFirst = tuning.New("guarded: first of the penalties that fall", "× the price", 10, 1, 100)
)

// StartsLate reports that the first point worth evaluating is not the start.
func (g *guarded) StartsLate() bool {
	late, ok := saddle.Ability[saddle.LateStarting](g.Current())
	return ok && late.StartsLate()
}

// Step implements Stepper.
func (g *guarded) Step() error {
	now := &g.turns[g.at]
	err := now.stepper.Step()
	stalled := err == saddle.ErrStalled || errors.Is(err, hessian.ErrSteep)
	if err != nil && !stalled || g.Certified() {
		return err
	}
	if stalled {
		now.stepper.Check()
		if now.over, now.gap = true, g.Cert.Best.Gap(); g.Certified() {
			return err
		}
		if !g.pass() {
			return err
		}
		return nil
	}
	switch {
	case g.kinked():
		g.pass()
		g.until = math.Inf(1) // steps at a kink are short for good
	case g.Cert.Passes >= g.until && !g.StartsLate():
		if now.over, now.gap = g.idle(), g.Cert.Best.Gap(); !g.pass() {
			return saddle.ErrStalled
		}
	}
	return nil
}

// halved is what a gap has to fall to for a method to go on.
const halved = 0.5

// idle reports that a turn of several hundred passes has not halved the gap: where only
// rounding is left of it, some methods take steps for ever.
func (g *guarded) idle() bool {
	return g.round >= idleTurn.Value*firstTurn.Value && !(g.Cert.Best.Gap() <= halved*g.from)
}

// kinked reports that the objective has a kink nearby that penalties that fall have not been
// tried at.
func (g *guarded) kinked() bool {
	if g.StartsLate() || !kinkAt(g.Cert) {
		return false
	}
	_, may := g.turns[min(1, len(g.turns)-1)].method.(Smoothing)
	return may && g.turns[1].stepper == nil
}

// kinkAt reports that the dual is a ball without a penalty, of a price next to nothing at the
// point last evaluated.
func kinkAt(c *saddle.Certifier) bool {
	return ball(c.Problem) && saddle.Differentiable(c.Problem) && !math.IsInf(c.BestObjective, 0) &&
		c.Price <= kinkPrice.Value*math.Abs(c.Objective)
}

// pass gives the turn to the next method that has not stalled, or may go on since the gap
// is half of what it was then. It reports whether there is one.
func (g *guarded) pass() bool {
	for k := 1; k <= len(g.turns); k++ {
		next := (g.at + k) % len(g.turns)
		if next == 0 {
			g.round *= 2
		}
		t := &g.turns[next]
		if t.over && !(g.Cert.Best.Gap() <= halved*t.gap) {
			continue
		}
		t.over = false
		if k < len(g.turns) {
			g.Logf("guarded: a relative gap of %.3g after %.4g passes: %s", g.Cert.Best.Relative(), g.Cert.Passes, t.method.Name())
		}
		g.at, g.until, g.from = next, g.Cert.Passes+g.round, g.Cert.Best.Gap()
		return g.goOn(t)
	}
	return false
}

// goOn begins a turn at the best point.
func (g *guarded) goOn(t *turn) bool {
	if t.stepper != nil {
		if m, ok := saddle.Ability[saddle.Moving](t.stepper); ok {
			m.MoveToBest()
		}
		return true
	}
	if err := g.begin(t); err != nil {
		t.over, t.gap = true, 0
		return g.pass()
	}
	return true
}

// begin starts a method at the best point.
func (g *guarded) begin(t *turn) (err error) {
	copy(g.Start, g.Cert.BestX)
	if t.stepper, err = t.method.Start(g.Run); err != nil {
		return err
	}
	if s, ok := t.stepper.(*smoothing); ok {
		if price := g.Cert.Price; price > 0 && saddle.Differentiable(g.Problem) {
			s.most = kinkFirst.Value * price
		}
	}
	return nil
}

// Check implements Stepper.
func (g *guarded) Check() { g.Current().Check() }

// Current implements Delegating.
func (g *guarded) Current() saddle.Stepper { return g.turns[g.at].stepper }

// Needs implements Method.
func (m Guarded) Needs() []saddle.Need { return m.Method.Needs() }

// RunsEverywhere implements Everywhere: as the method guarded.
func (m Guarded) RunsEverywhere() bool {
	e, ok := saddle.Ability[saddle.Everywhere](m.Method)
	return ok && e.RunsEverywhere()
}
