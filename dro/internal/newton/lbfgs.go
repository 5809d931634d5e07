package newton

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
)

// LBFGS minimises the exact smooth objective P(x) = R(x) + φ(x) by the limited-memory BFGS method with a
// Moré-Thuente line search, both from gonum/optimize. It is the baseline for the other methods. It requires a
// differentiable P, which means ν > 0, fixed weights or a small enough ball, and a differentiable φ.
type LBFGS struct{}

var _ saddle.Method = LBFGS{}

// Name implements Method.
func (LBFGS) Name() string { return "lbfgs" }

// Start implements Method.
func (m LBFGS) Start(run saddle.Run) (saddle.Stepper, error) {
	r, err := engine.RunOf(run)
	if err != nil {
		return nil, err
	}
	phi, err := engine.Require[saddle.Smooth](r.Problem.Primal)
	if err != nil {
		return nil, err
	}
	return m.start(r, phi), nil
}

// start works like Start for a φ with a gradient.
func (m LBFGS) start(r *engine.Run, phi saddle.Smooth) *lbfgs {
	d := len(r.Start)
	l := &lbfgs{Run: r, phi: phi, dir: make([]float64, d)}
	l.at = optimize.Location{X: append([]float64(nil), r.Start...), F: math.NaN(), Gradient: make([]float64, d)}
	l.next = optimize.Location{X: make([]float64, d), Gradient: make([]float64, d)}
	return l
}

type lbfgs struct {
	*engine.Run
	phi       saddle.Smooth
	quasi     *optimize.LBFGS // nil before a step of steepest descent
	steps     int             // number of directions computed by quasi
	at        optimize.Location
	next      optimize.Location
	dir       []float64
	decrement float64 // ∇PᵀH⁻¹∇P at the previous step, where H⁻¹ is that of quasi; +Inf at the first step
	failed    int     // number of consecutive line searches without a decrease
}

// evaluate sets P and ∇P of loc at loc.X. It takes one pass, unless this is the last point that the certifier
// evaluated.
func (l *lbfgs) evaluate(loc *optimize.Location) {
	if loc.F = l.Cert.Objective; !slices.Equal(loc.X, l.Cert.X) {
		loc.F = l.Cert.Evaluate(loc.X)
	}
	copy(loc.Gradient, l.Cert.G)
	l.phi.AddGradTo(loc.Gradient, loc.X)
}

// Step implements Stepper.
func (l *lbfgs) Step() error {
	if math.IsNaN(l.at.F) {
		l.evaluate(&l.at)
	}
	size := 1.0
	if l.quasi != nil {
		size = l.quasi.NextDirection(&l.at, l.dir)
		l.steps++
	}
	slope := floats.Dot(l.at.Gradient, l.dir)
	if l.quasi == nil || !(slope < 0) {
		l.quasi = &optimize.LBFGS{Store: pairsKept}
		l.quasi.InitDirection(&l.at, l.dir)
		l.steps = 0
		slope = floats.Dot(l.at.Gradient, l.dir)
		if !(slope < 0) {
			return saddle.ErrStalled // the gradient is zero
		}
		size = l.expectedGap() / -slope
	}
	l.decrement = math.Inf(1)
	if l.steps > 0 {
		l.decrement = -size * slope
	}
	if !(size > 0) || math.IsInf(slope, -1) {
		if err := CheckOverflow(l.Problem.Oracle); err != nil {
			return err
		}
		return saddle.ErrStalled
	}
	if l.search(size, slope) {
		l.failed = 0
		l.CertifyWhenClose()
		return nil
	}
	l.quasi = nil
	if l.failed++; l.failed > 1 {
		return saddle.ErrStalled
	}
	return nil
}

// expectedGap returns the objective minus the best lower bound, which is the maximum possible decrease.
func (l *lbfgs) expectedGap() float64 {
	if gap := l.at.F - l.Cert.Best.Lower; gap > 0 && !math.IsInf(gap, 1) {
		return gap
	}
	return math.Abs(l.at.F)
}

// search moves l.at along l.dir to a point that satisfies the strong Wolfe conditions, or to the best point found.
// It returns true if P decreased.
func (l *lbfgs) search(size, slope float64) bool {
	const evaluations = 30 // maximum for a search, which usually takes two or three
	ls := optimize.MoreThuente{CurvatureFactor: 0.9, DecreaseFactor: 1e-4}
	ls.Init(l.at.F, slope, size)
	for range evaluations {
		if l.Ctx.Err() != nil {
			return false
		}
		floats.AddScaledTo(l.next.X, l.at.X, size, l.dir)
		l.evaluate(&l.next)
		end := floats.Dot(l.next.Gradient, l.dir)
		// after an overflow, start again with a shorter step
		if math.IsInf(l.next.F, 1) || math.IsNaN(end) || math.IsInf(end, 0) {
			if size /= 10; size == 0 {
				return false
			}
			ls.Init(l.at.F, slope, size)
			continue
		}
		f := l.next.F
		if math.Abs(f-l.at.F) <= 1e-13*math.Abs(l.at.F) {
			// the difference of two close values is dominated by rounding, unlike the slopes
			f = l.at.F + size/2*(slope+end)
		}
		op, step, err := ls.Iterate(f, end)
		if err != nil || op == optimize.MajorIteration {
			if err != nil && !(f < l.at.F) || slices.Equal(l.next.X, l.at.X) {
				return false
			}
			l.at, l.next = l.next, l.at
			return true
		}
		size = step
	}
	return false
}

// IsCheckDue implements Stepper.
func (*lbfgs) IsCheckDue(byPasses bool) bool { return byPasses }

// Check implements Stepper.
func (l *lbfgs) Check() { l.Cert.Certify() }

// Needs implements Method.
func (LBFGS) Needs() []saddle.Need { return []saddle.Need{engine.NeedGradient, engine.NeedSmooth} }
