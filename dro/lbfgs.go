package dro

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
)

// LBFGS minimises the exact smooth objective P(x) = R(x) + φ(x) by the
// limited-memory BFGS method with a Moré-Thuente line search, both of
// gonum/optimize. It is the peer every other method is measured against. It
// needs ν > 0 (or fixed weights), where P is differentiable, and a differentiable φ.
type LBFGS struct {
	Memory int // pairs kept; 0: 10
}

// Smooth is the ability of a Primal to be differentiated.
type Smooth interface {
	// AddGradTo adds ∇φ(x) to dst.
	AddGradTo(dst, x []float64)
}

// Ridge is the ability of a Primal to be ½ Σ_i D_i x_i² up to a constant.
type Ridge interface {
	Smooth

	// RidgeTo stores D, the diagonal of ∇²φ, of length d, and reports whether it is
	// that of the primal that is asked: false for a type that embeds this one and may
	// have changed φ.
	RidgeTo(diagonal []float64, of Primal) bool
}

// ridgeOf returns the diagonal of ∇²φ of a Ridge, nil of any other primal.
func ridgeOf(phi Primal, d int) []float64 {
	diagonal := make([]float64, d)
	if r, ok := phi.(Ridge); !ok || !r.RidgeTo(diagonal, phi) {
		return nil
	}
	return diagonal
}

var _ Method = LBFGS{}

// Name implements Method.
func (LBFGS) Name() string { return "lbfgs" }

func (m LBFGS) start(r *run) (stepper, error) {
	phi := r.problem.Primal.(Smooth)
	memory := m.Memory
	if memory <= 0 {
		memory = 10
	}
	d := len(r.x0)
	l := &lbfgs{run: r, phi: phi, memory: memory, dir: make([]float64, d)}
	l.at = optimize.Location{X: append([]float64(nil), r.x0...), F: math.NaN(), Gradient: make([]float64, d)}
	l.next = optimize.Location{X: make([]float64, d), Gradient: make([]float64, d)}
	return l, nil
}

type lbfgs struct {
	*run
	phi    Smooth
	memory int
	quasi  *optimize.LBFGS // nil: start from steepest descent
	at     optimize.Location
	next   optimize.Location
	dir    []float64
	failed int // consecutive line searches without a decrease
}

// evaluate fills loc with P and ∇P at loc.X: one pass, unless the certifier
// evaluated that point last.
func (l *lbfgs) evaluate(loc *optimize.Location) {
	if loc.F = l.cert.objective; !slices.Equal(loc.X, l.cert.x) {
		loc.F = l.cert.evaluate(loc.X)
	}
	copy(loc.Gradient, l.cert.g)
	l.phi.AddGradTo(loc.Gradient, loc.X)
}

func (l *lbfgs) step() error {
	if math.IsNaN(l.at.F) {
		l.evaluate(&l.at)
	}
	size := 1.0
	if l.quasi != nil {
		size = l.quasi.NextDirection(&l.at, l.dir)
	}
	slope := floats.Dot(l.at.Gradient, l.dir)
	if l.quasi == nil || !(slope < 0) {
		l.quasi = &optimize.LBFGS{Store: l.memory}
		size = l.quasi.InitDirection(&l.at, l.dir)
		slope = floats.Dot(l.at.Gradient, l.dir)
		if !(slope < 0) {
			return errStalled // the gradient is zero
		}
	}
	if !(size > 0) || math.IsInf(slope, -1) {
		if err := overflowing(l.problem.Oracle); err != nil {
			return err
		}
		return errStalled
	}
	if l.search(size, slope) {
		l.failed = 0
		l.certifyWhenClose()
		return nil
	}
	l.quasi = nil
	if l.failed++; l.failed > 1 {
		return errStalled
	}
	return nil
}

// search moves l.at along l.dir to a point that meets the strong Wolfe
// conditions, or to the best point met; it reports whether P decreased.
func (l *lbfgs) search(size, slope float64) bool {
	const evaluations = 30
	ls := optimize.MoreThuente{CurvatureFactor: 0.9, DecreaseFactor: 1e-4}
	ls.Init(l.at.F, slope, size)
	for range evaluations {
		if l.ctx.Err() != nil {
			return false
		}
		floats.AddScaledTo(l.next.X, l.at.X, size, l.dir)
		l.evaluate(&l.next)
		end := floats.Dot(l.next.Gradient, l.dir)
		if math.IsInf(l.next.F, 1) || math.IsNaN(end) || math.IsInf(end, 0) { // beyond the domain of double precision: start again from a shorter step
			if size /= 10; size == 0 {
				return false
			}
			ls.Init(l.at.F, slope, size)
			continue
		}
		f := l.next.F
		if math.Abs(f-l.at.F) <= 1e-13*math.Abs(l.at.F) {
			f = l.at.F + size/2*(slope+end) // the difference of two close values is noise; the slopes are not
		}
		op, step, err := ls.Iterate(f, end)
		if err != nil || op == optimize.MajorIteration {
			if err != nil && !(f < l.at.F) {
				return false
			}
			l.at, l.next = l.next, l.at
			return true
		}
		size = step
	}
	return false
}

// certifyWhenClose asks for the lower bound at the point last evaluated, which
// may cost half a pass, only when the gradient says that it could end the solve.
func (r *run) certifyWhenClose() {
	c := r.cert
	copy(c.bound, c.g)
	if c.free {
		c.bound[c.d-1] = 0
	}
	if c.p.Primal.FenchelYoung(c.x, c.bound) <= r.settings.RelativeGap*max(1e-12, math.Abs(c.objective)) {
		c.certify()
	}
}

func (l *lbfgs) check() { l.cert.certify() }
