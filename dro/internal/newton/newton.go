package newton

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/bound"
	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/tuning"
	"gonum.org/v1/gonum/floats"
)

// Newton minimises the exact objective P by Newton's method on its Hessian
// (math: §9), semismooth where the χ² adversary's active set changes, with a line
// search that only accepts a decrease and damping where the Hessian says too
// little. A step is two and a half passes, one where the Hessian of the step before
// still serves, more when the search shortens it. Where a Hessian costs four passes or more,
// and near kinks, where fewer samples have second derivatives than there are columns, L-BFGS
// takes the first steps while it does well. It needs ν > 0 (or fixed
// weights), second derivatives, the L2 regulariser and d ≤ 2000.
type Newton struct {
	Sample int        // samples that the Hessian is estimated from, drawn by their weight in it; 0: all
	Search LineSearch // how steps are shortened and damped
}

// A LineSearch says how Newton's method shortens and damps its steps. 0 stands for the
// default of a field.
type LineSearch struct {
	Decrease    float64 // of the decrease that the derivative promises, the part that a step must reach (Armijo); in (0, 1), 0: 1e-4
	Shortest    float64 // step tried, of the full one, before the Hessian is renewed or damped; in (0, 1], 0: 1/512
	Damping     float64 // λ of H + λ·diag after the first search without a decrease, 100 times as much after the next, a tenth after a full step; > 0, 0: 1e-3
	MostDamping float64 // λ beyond which the method has stalled; > 0, 0: 1e9
}

// resolved returns the search with its defaults, or the first field that is out of range.
func (s LineSearch) resolved() (LineSearch, error) {
	for _, f := range []struct {
		name           string
		v              *float64
		standard, most float64
	}{
		{"Decrease", &s.Decrease, 1e-4, 1}, {"Shortest", &s.Shortest, 1.0 / 512, 1},
		{"Damping", &s.Damping, hessian.FirstDamping, math.MaxFloat64}, {"MostDamping", &s.MostDamping, 1e9, math.MaxFloat64},
	} {
		if *f.v == 0 {
			*f.v = f.standard
		}
		if !(*f.v > 0 && *f.v <= f.most) {
			return s, fmt.Errorf("dro: newton's line search has %s = %v: it must be > 0 and at most %v", f.name, *f.v, f.most)
		}
	}
	return s, nil
}

var _ saddle.Method = Newton{}

// Name implements Method.
func (Newton) Name() string { return "newton" }

// Start implements Method.
func (m Newton) Start(r *saddle.Run) (saddle.Stepper, error) {
	if m.Sample < 0 {
		return nil, errors.New("dro: newton cannot estimate a Hessian from fewer than no samples")
	}
	h := hessian.NewFactored(r.Problem, false, r.Cert.Evaluator)
	if 2*m.Sample < r.Cert.N {
		h.Samples = m.Sample
	}
	n, err := newNewton(r, m, h)
	if err != nil {
		return nil, err
	}
	n.line, err = m.Search.resolved()
	return n, err
}

func newNewton(r *saddle.Run, m saddle.Method, h saddle.Hessian) (*newton, error) {
	phi, err := saddle.Required[saddle.Smooth](r.Problem.Primal)
	if err != nil {
		return nil, err
	}
	d := r.Cert.D
	line, _ := LineSearch{}.resolved()
	smoothable, _ := saddle.Ability[saddle.Smoothable](r.Problem.Dual)
	return &newton{Run: r, method: m, line: line, h: h, phi: phi, smoothable: smoothable,
		x: make([]float64, d), g: make([]float64, d), dir: make([]float64, d), trial: make([]float64, d), ahead: make([]float64, d)}, nil
}

type newton struct {
	*saddle.Run
	h                saddle.Hessian
	phi              saddle.Smooth
	smoothable       saddle.Smoothable // nil: there is no path of penalties
	x, g, dir, trial []float64
	ahead            []float64
	value, first     float64 // P(x), and where the solve began
	began            bool

	fault error // what ends the solve, of the Hessian

	line    LineSearch
	method  saddle.Method // of the solves on the working set
	working workingSet
	settled bool     // no more solves on working sets or coresets
	fallen  bool     // no path of penalties
	rent    *tenancy // l-bfgs in the place of the first steps; nil: these
	owned   bool     // the Hessian was formed after so many products

	// Steps and changes of gradient since the Hessian was formed, newest last: they
	// correct it by BFGS updates.
	steps, changes [][]float64

	// Of a stage that only serves as a start: the estimated relative gap that is near
	// enough, nil if there is none; that it is reached; and that the Hessian is handed on.
	tolerance          func() float64
	arrivedAt, handsOn bool

	stepsDone int // up to fallAfter

	steep    bool    // majorants served worse than second derivatives
	widened  float64 // the objective where majorants were taken in last, no step being short enough without; 0: nowhere
	lastFall float64 // of the objective in the last short step without majorants

	formed    bool    // there is a Hessian
	stale     bool    // it is of an earlier point
	decrement float64 // ∇PᵀH⁻¹∇P at the step before
	poorSteps int     // steps in a row that a new Hessian of samples did not serve well
}

var (
	pairsKept      = tuning.New("newton: steps, and changes of the gradient along them, that L-BFGS and corrections of a Hessian keep", "steps", 10, 2, 40)
	renewedSteps   = tuning.New("newton: steps expected in a new Hessian", "passes", 1.5, 0.5, 5)
	distrustRate   = tuning.New("newton: fall of the squared decrement below which two samples of a Hessian were too small", "× at most", 0.1, 0.01, 0.5)
	distrustGrowth = tuning.New("newton: samples of the next Hessian then", "×", 4, 2, 16)
)

// accept makes the point the certifier evaluated last the current one.
func (m *newton) accept() {
	step, change := make([]float64, len(m.x)), make([]float64, len(m.x))
	floats.SubTo(step, m.Cert.X, m.x)
	copy(m.x, m.Cert.X)
	copy(change, m.Cert.G)
	m.phi.AddGradTo(change, m.x)
	floats.Sub(change, m.g)
	floats.Add(m.g, change)
	m.remember(step, change)
	m.value = m.Cert.Objective
	m.CertifyWhenClose()
}

// remember keeps a step and the change of the gradient along it, where they agree
// with a positive curvature.
func (m *newton) remember(step, change []float64) {
	if !(floats.Dot(step, change) > 1e-10*floats.Norm(step, 2)*floats.Norm(change, 2)) {
		return
	}
	m.steps, m.changes = append(m.steps, step), append(m.changes, change)
	if len(m.steps) > pairsKept.Int() {
		m.steps, m.changes = m.steps[1:], m.changes[1:]
	}
}

func (m *newton) forget() { m.steps, m.changes = nil, nil }

// refresh forms the Hessian at the current point, which the certifier evaluated
// last.
func (m *newton) refresh() {
	m.fault = m.h.Update(m.Cert.Y, m.Cert.Slope)
	m.formed, m.stale = true, false
	m.forget()
}

// direction stores H⁻¹∇P in dir, H corrected for the steps since it was formed by the
// two loops of L-BFGS, and returns the squared Newton decrement; NaN without an H.
func (m *newton) direction() float64 {
	if m.fault != nil {
		return math.NaN()
	}
	v := m.dir
	copy(v, m.g)
	share := make([]float64, len(m.steps))
	for k := len(m.steps) - 1; k >= 0; k-- {
		share[k] = floats.Dot(m.steps[k], v) / floats.Dot(m.steps[k], m.changes[k])
		floats.AddScaled(v, -share[k], m.changes[k])
	}
	m.h.Solve(v)
	for k, s := range m.steps {
		floats.AddScaled(v, share[k]-floats.Dot(m.changes[k], v)/floats.Dot(s, m.changes[k]), s)
	}
	return floats.Dot(v, m.g)
}

// Step implements Stepper.
func (m *newton) Step() error {
	err := m.advance()
	if m.fault != nil {
		err = m.fault
	}
	if errors.Is(err, hessian.ErrIndefinite) { // no step to take
		m.fault, err = nil, saddle.ErrStalled
	}
	if err == saddle.ErrStalled && m.fall() {
		return nil
	}
	if err == saddle.ErrStalled && m.tolerance == nil && !m.Certified() && m.Cert.D <= hessian.MaxColumns {
		if !slices.Equal(m.Cert.X, m.x) {
			m.Cert.Evaluate(m.x)
		}
		bound.FromCurvature(m.Cert, m.Cert.N, m.Cert.N, math.Inf(1)) // whatever it costs
	}
	return err
}

// begin takes the point evaluated last for the first one, and reports whether a working set led
// on from there.
func (m *newton) begin() (moved bool) {
	m.began = true
	m.accept()
	m.forget() // this was no step
	if m.tryWorkingSet(math.Inf(1)) {
		return true
	}
	if !m.formed && !m.buy() {
		m.refresh()
	}
	return false
}

func (m *newton) advance() error {
	if m.rent != nil || !m.began && m.rents() {
		if !m.rent.pays(m) {
			return m.giveWay()
		}
		if m.arrivedAt {
			return saddle.ErrStalled
		}
		return nil
	}
	if !m.began {
		m.first = m.Cert.Objective
		if m.begin() {
			return nil
		}
	}
	if m.stepsDone >= fallAfter.Int() && (m.fall() || m.Certified()) {
		return nil
	}
	m.buy()
	_, atHand := m.h.(*hessian.Factored) // else a direction takes passes
	if !atHand && m.working.in != nil && m.tryWorkingSet(math.Inf(1)) {
		return nil
	}
	slope := m.direction()
	if m.tolerance != nil {
		if m.arrived(slope) {
			return saddle.ErrStalled
		}
	} else if bound.AtDecrement(m.Run, slope); m.Certified() {
		return nil
	}
	if atHand && m.working.in != nil { // again, while it pays
		if m.tryWorkingSet(slope / 2) {
			return nil
		}
		slope = m.direction()
	}
	if m.stale && m.refreshPays(slope) {
		if m.tryWorkingSet(slope / 2) {
			return nil
		}
		if m.stale {
			if m.sampleMore(slope) && m.rents() {
				return nil
			}
			m.refresh()
		}
		slope = m.direction()
	}
	for t := 1.0; m.Ctx.Err() == nil; slope = m.direction() {
		if !(slope > 0) {
			return saddle.ErrStalled
		}
		shorter, err := m.search(slope, t)
		if shorter == 0 || err != nil {
			return err
		}
		if t = 1; m.stale {
			m.Cert.Evaluate(m.x)
			m.refresh()
		} else if m.goesShorter() {
			t = shorter
		} else if m.widen() {
		} else if m.fall() || m.Certified() {
			return nil
		} else if err := m.damp(); err != nil {
			return err
		}
	}
	return nil
}

// arrived reports whether half the squared decrement is the gap that is enough. Then it
// takes a new Hessian where that is handed on.
func (m *newton) arrived(slope float64) bool {
	if !(slope/2 <= m.tolerance()*m.Cert.Best.Magnitude(m.value)) {
		return false
	}
	if m.stale && m.handsOn {
		m.refresh()
	}
	m.arrivedAt = true
	return true
}

// TakeOver implements Heir, where both Hessians are formed.
func (m *newton) TakeOver(from saddle.Hessian) {
	formed, ok := from.(*hessian.Factored)
	to, may := m.h.(*hessian.Factored)
	if !ok || !may {
		return
	}
	m.fault = to.TakeOver(formed)
	m.forget()
	m.formed, m.stale, m.decrement = true, true, math.Inf(1)
}

// MoveToBest implements Moving: it goes to the best point where that is lower.
func (m *newton) MoveToBest() {
	if !m.began || !(m.Cert.BestObjective < m.value) {
		return
	}
	if m.rent != nil {
		m.rent.method.MoveToBest()
		return
	}
	if !slices.Equal(m.Cert.X, m.Cert.BestX) {
		m.Cert.Evaluate(slices.Clone(m.Cert.BestX))
	}
	m.accept()
	m.forget()
	m.stale, m.decrement = true, 0
}

// Check implements Stepper.
func (m *newton) Check() { m.Cert.Certify() }

// Needs implements Method.
func (Newton) Needs() []saddle.Need {
	return append([]saddle.Need{hessian.NeedFewColumns}, hessian.Needs...)
}

// RunsEverywhere implements Everywhere.
func (Newton) RunsEverywhere() bool { return true }
