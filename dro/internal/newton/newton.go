package newton

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
	"gonum.org/v1/gonum/floats"
)

const (
	// pairsKept is the number of steps, with the corresponding changes of the gradient, that L-BFGS and the
	// corrections of a Hessian keep.
	pairsKept = 10

	// A sampled Hessian is poor if the squared decrement after its first step exceeds poorDecrease times the squared
	// decrement before this step. The next Hessian then uses sampleGrowth times as many rows.
	poorDecrease = 0.1
	sampleGrowth = 4

	// sampleRows is the number of rows for each column from which a Hessian is estimated; more rows are used as
	// long as the Hessian costs less than samplePasses passes.
	sampleRows   = 64
	samplePasses = 0.25

	// minDecrease is the proportion of the decrease predicted by the derivative that a step must achieve
	// (Armijo). minStep is the shortest step that is tried, relative to the full one, before a new Hessian is
	// formed or the Hessian is damped. maxDamping is the λ of H + λD beyond which the method is considered to
	// have stalled.
	minDecrease = 1e-4
	minStep     = 1.0 / 512
	maxDamping  = 1e9

	// minPasses is the minimum budget, in passes over its rows, of an inner solve; spareEvaluations is the
	// number of evaluations of all rows that are reserved for the time after it.
	minPasses        = 3
	spareEvaluations = 2

	rarely = 5 // minimum number of passes between two checks, relative to CheckEvery
)

// Newton minimises the exact objective P by Newton's method (dro/internal/newton/solver.md). The Hessian is formed
// from some or all of the rows, or only multiplied by vectors if there are more than 2000 columns, and is corrected
// by BFGS pairs. The line search only accepts decreases. L-BFGS takes the first steps if a Hessian costs as much as
// several of them. If the losses are much larger than ν, or a nonsmooth point of a ball is near, problems with
// decreasing penalties are solved first. If there is no penalty, the objective is the maximum of many smooth
// pieces, and the steps are those of sequential quadratic programming. The method requires second derivatives, and the
// L2 or the Wasserstein regulariser.
type Newton struct {
	// number of rows from which the Hessian is estimated; 0 means a number that depends on the columns
	Sample   int
	Products bool // use conjugate gradients on products with the Hessian, if the oracle supports products
}

var _ saddle.Method = Newton{}

// Name implements Method.
func (Newton) Name() string { return "newton" }

// Start implements Method.
func (m Newton) Start(run saddle.Run) (saddle.Stepper, error) {
	r, err := engine.RunOf(run)
	if err != nil {
		return nil, err
	}
	if m.Sample < 0 {
		return nil, fmt.Errorf("dro: Newton.Sample is %d; it must be ≥ 0, where 0 selects a number of rows", m.Sample)
	}
	if err := startOnPrefix(r); err != nil {
		return nil, err
	}
	switch {
	case engine.Implements[saddle.Wasserstein](r.Problem.Primal):
		return newNorm(r, m)
	case !engine.IsDifferentiable(r.Problem) && !supportsSQP(r.Problem):
		return newContinuation(r, m, math.Inf(1))
	case !engine.IsDifferentiable(r.Problem):
		return newSQP(r)
	}
	return m.start(r)
}

// start starts the iteration on all rows of the run.
func (m Newton) start(r *engine.Run) (*newton, error) {
	phi, err := engine.Require[saddle.Smooth](r.Problem.Primal)
	if err != nil {
		return nil, err
	}
	d := r.Cert.D
	n := &newton{Run: r, method: m, phi: phi, decrement: math.Inf(1)}
	if m.Products && engine.NeedLinearModel.IsMet(r.Problem) || !IsFormable(r.Problem) {
		n.h = newOperator(r.Problem, r.Cert.Evaluator)
	} else {
		f := NewFactored(r.Problem, false, r.Cert.Evaluator)
		if f.Samples = m.Sample; f.Samples == 0 {
			f.Samples = hessianSampleSize(r.Problem.Oracle)
		}
		if 2*f.Samples >= r.Cert.N {
			f.Samples = 0
		}
		n.h = f
	}
	for _, v := range []*[]float64{&n.x, &n.g, &n.dir, &n.trial} {
		*v = make([]float64, d)
	}
	return n, nil
}

// hessianSampleSize returns the number of rows from which a Hessian is estimated; 0 means all.
func hessianSampleSize(o saddle.Oracle) int {
	n, d, _ := o.Dims()
	pass, gram := engine.WorkOf(o)
	if m := max(sampleRows*d, int(samplePasses*float64(n)*pass/(pass+gram))); 2*m < n {
		return m
	}
	return 0
}

// A hessian is the Hessian of P plus λD, with D diagonal and positive, for which linear systems can be solved.
type hessian interface {
	// Update computes the matrix at the point with best response r and these slopes. After an error Solve must
	// not be called.
	Update(r *engine.Response, slope []float64) error

	Solve(v []float64) // replaces v by its product with the inverse

	Damping() float64 // λ
	Redamp(lambda float64) error

	// Cost returns the cost of Update in evaluations of P.
	Cost() float64
}

// A newton holds the state of Newton's method.
type newton struct {
	*engine.Run
	method           Newton
	h                hessian
	phi              saddle.Smooth
	x, g, dir, trial []float64
	value, first     float64 // P(x), and P at the start of the solve
	began            bool
	fault            error // error in forming the Hessian, which ends the solve

	warm        *warmStart    // L-BFGS for the first steps; nil if it is not running
	path        *continuation // continuation with decreasing penalties; nil if none is running
	continued   bool          // a continuation has been run, or must not be run
	unpenalised bool          // the problem at ν = 0 has been solved
	// the problem on the rows with the largest weights has been solved, or must not be solved
	restricted bool
	checked    float64     // passes at the last check
	stepsDone  int         // number of line searches that succeeded
	formed     bool        // whether there is a Hessian
	stale      bool        // the Hessian is that at an earlier point
	decrement  float64     // ∇PᵀH⁻¹∇P at the previous step; 0 if that step was shortened
	steps      [][]float64 // steps since the Hessian was formed; the newest is last
	changes    [][]float64 // changes of the gradient in these steps
}

// acceptPoint makes the last point evaluated by the certifier the current one.
func (m *newton) acceptPoint() {
	step, change := make([]float64, len(m.x)), make([]float64, len(m.x))
	floats.SubTo(step, m.Cert.X, m.x)
	copy(m.x, m.Cert.X)
	copy(change, m.Cert.G)
	m.phi.AddGradTo(change, m.x)
	floats.Sub(change, m.g)
	floats.Add(m.g, change)
	if floats.Dot(step, change) > 1e-10*floats.Norm(step, 2)*floats.Norm(change, 2) {
		m.steps, m.changes = append(m.steps, step), append(m.changes, change)
		if len(m.steps) > pairsKept {
			m.steps, m.changes = m.steps[1:], m.changes[1:]
		}
	}
	m.value = m.Cert.Objective
	m.CertifyWhenClose()
}

func (m *newton) forgetPairs() { m.steps, m.changes = nil, nil }

// formHessian forms the Hessian at the current point, which must be the last point evaluated by the certifier.
func (m *newton) formHessian() {
	m.fault = m.h.Update(&m.Cert.Response, m.Cert.Slope)
	m.formed, m.stale = true, false
	m.forgetPairs()
}

// computeDirection stores H⁻¹∇P in dir, where the two-loop recursion of L-BFGS corrects H for the steps since H was
// formed. It returns the squared Newton decrement, or NaN if there is no H.
func (m *newton) computeDirection() float64 {
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
	if m.path != nil {
		return m.followPath()
	}
	err := m.takeStep()
	if m.fault != nil {
		err = m.fault
	}
	if errors.Is(err, ErrIndefinite) { // there is no step to take
		m.fault, err = nil, saddle.ErrStalled
	}
	if err != saddle.ErrStalled {
		return err
	}
	if m.solveUnpenalised() {
		return nil
	}
	if !m.Certified() && m.Cert.D <= MaxColumns {
		if !slices.Equal(m.Cert.X, m.x) {
			m.Cert.Evaluate(m.x)
		}
		certifyFromAllSamples(m.Run)
	}
	return err
}

// takeStep takes one step.
func (m *newton) takeStep() error {
	if !m.began {
		m.began, m.first = true, m.Cert.Objective
		m.acceptPoint()
		m.forgetPairs() // the start is not a step
		m.beginWarmStart()
	}
	if m.warm != nil {
		return m.stepLBFGS()
	}
	if m.beginContinuation() || m.stepsDone >= 2 && m.solveUnpenalised() {
		return nil
	}
	if !m.formed {
		m.solveHeaviest() // this call may form a Hessian
	}
	if !m.formed {
		m.formHessian()
	}
	slope := m.computeDirection()
	if CertifyAtDecrement(m.Run, slope); m.Certified() {
		return nil
	}
	if m.stale && m.wantsNewHessian(slope) {
		if m.solveHeaviest() {
			return nil
		}
		m.growSample(slope)
		m.formHessian()
		slope = m.computeDirection()
	}
	for ; m.Ctx.Err() == nil; slope = m.computeDirection() {
		if !(slope > 0) {
			return saddle.ErrStalled
		}
		moved, err := m.search(slope)
		if moved || err != nil {
			return err
		}
		if m.solveUnpenalised() {
			return nil
		}
		m.decrement = 0
		if more := m.growSample(slope); m.stale || more {
			m.Cert.Evaluate(m.x)
			m.formHessian()
		} else if err := m.raiseDamping(); err != nil {
			return err
		}
	}
	return nil
}

// wantsNewHessian reports whether a new Hessian is likely to reach the required gap in fewer passes than the current
// one, judging by the last step's decrease of the squared decrement to slope.
func (m *newton) wantsNewHessian(slope float64) bool {
	rate := slope / m.decrement
	if !(rate < 1) {
		return true
	}
	left := slope / (m.Settings.RelativeGap * m.Cert.Best.Magnitude(m.value))
	return math.Log(left)/-math.Log(rate) > m.h.Cost()+1
}

// growSample makes the next Hessian use sampleGrowth times as many rows if the current one, which was estimated from a
// sample, is poor: its first step was shortened, or reduced the squared decrement too little (to slope). It reports
// whether the sample grows.
func (m *newton) growSample(slope float64) (more bool) {
	h, ok := m.h.(*Factored)
	if !ok || h.Samples == 0 || m.decrement > 0 && !(len(m.steps) == 1 && slope > poorDecrease*m.decrement) {
		return false
	}
	if h.Samples *= sampleGrowth; 2*h.Samples >= h.N {
		h.Samples = 0
	}
	return true
}

// search moves along −dir by a full step, or by the first shorter step that decreases P enough. Each step tried is
// between a tenth and a half of the previous one, as determined by a parabola. slope is the derivative along dir.
func (m *newton) search(slope float64) (moved bool, err error) {
	noise := 1e-15 * math.Abs(m.value)
	for t := 1.0; t >= minStep; {
		floats.AddScaledTo(m.trial, m.x, -t, m.dir)
		now := m.Cert.Evaluate(m.trial)
		if now <= m.value-minDecrease*t*slope || (slope <= noise && now <= m.value+noise) {
			if now >= m.value {
				err = saddle.ErrStalled // only rounding errors are left
			}
			if m.decrement, m.stale = slope, true; t < 1 {
				m.decrement = 0 // far from quadratic, so a new Hessian will be formed next
			}
			m.stepsDone++
			if lambda := m.h.Damping(); t == 1 && lambda > 0 {
				if lambda /= 10; lambda < LeastDamping {
					lambda = 0
				}
				m.fault = m.h.Redamp(lambda)
			}
			m.acceptPoint()
			return true, err
		}
		lowest := t * t * slope / (2 * (now - m.value + t*slope)) // 0 if now is +Inf
		t = max(t/10, min(t/2, lowest))
	}
	return false, nil
}

// raiseDamping raises the damping of the Hessian.
func (m *newton) raiseDamping() error {
	lambda := m.h.Damping()
	if lambda >= maxDamping {
		return saddle.ErrStalled
	}
	m.fault = m.h.Redamp(max(FirstDamping, 100*lambda))
	m.Logf("newton: the step does not decrease the objective: damping raised to %.3g", m.h.Damping())
	return nil
}

// takeOverHessian continues with the Hessian of a solve on some of the rows, if both Hessians are formed.
func (m *newton) takeOverHessian(from hessian) {
	formed, ok := from.(*Factored)
	to, may := m.h.(*Factored)
	if !ok || !may {
		return
	}
	m.fault = to.CopyFrom(formed)
	m.forgetPairs()
	m.formed, m.stale = true, true
}

// moveTo moves to x and evaluates it.
func (m *newton) moveTo(x []float64) {
	if !slices.Equal(m.Cert.X, x) {
		m.Cert.Evaluate(slices.Clone(x))
	}
	m.acceptPoint()
	m.forgetPairs()
	m.stale, m.decrement = true, 0
}

// IsCheckDue implements Stepper. Every step tries the bounds that could end the solve, so other bounds, which may take
// as much as two steps, are rare.
func (m *newton) IsCheckDue(byPasses bool) bool {
	return byPasses && m.Cert.Passes >= m.checked+rarely*m.Settings.CheckEvery
}

// Check implements Stepper.
func (m *newton) Check() {
	m.Cert.Certify()
	m.checked = m.Cert.Passes
}

// Needs implements Method.
func (Newton) Needs() []saddle.Need {
	risk := engine.NeedGradient.Or(engine.NeedPolyhedral).Or(engine.NeedSmoothable)
	risk.Holds = func(p *saddle.Problem) bool {
		return engine.IsDifferentiable(p) || supportsSQP(p) || engine.NeedSmoothable.IsMet(p)
	}
	response := engine.NeedResponse
	response.Holds = func(p *saddle.Problem) bool {
		return engine.Implements[engine.Curved](p.Dual) || !engine.IsDifferentiable(p)
	}
	return []saddle.Need{risk, engine.NeedLinearModel.Or(engine.NeedClassModel), response, engine.NeedRidge.Or(needNorm)}
}
