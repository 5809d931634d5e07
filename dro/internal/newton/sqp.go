package newton

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// nearestRows is the proportion of rows whose weights a step may change: those nearest to the threshold. After a
// failed step it is quadrupled.
const nearestRows = 0.125

// supportsSQP reports whether sequential quadratic programming can solve p: ν = 0, and the objective is the maximum
// of many smooth pieces.
func supportsSQP(p *saddle.Problem) bool {
	for _, n := range []saddle.Need{engine.NeedPolyhedral, engine.NeedLinearModel, engine.NeedRidge, needFewColumns} {
		if !n.IsMet(p) {
			return false
		}
	}
	return true
}

// newSQP starts sequential quadratic programming for CVaR, the largest loss, total variation and plain group DRO
// (Pshenichnyi's linearisation with the Hessian of the Lagrangian). In a step the pieces are linear, and the
// Hessian is that of ⟨y, f⟩ + φ at the weights y of the previous step. The weights that solve the
// quadratic problem prove the lower bound. The pieces are the groups, or the samples near the
// threshold; the other samples keep their weight during a step. A step that does not lower the objective
// is tried again with more samples or more damping.
func newSQP(r *engine.Run) (*sqp, error) {
	phi, err := engine.Require[saddle.Smooth](r.Problem.Primal)
	if err != nil {
		return nil, err
	}
	model, err := engine.Require[engine.LinearModel](r.Problem.Oracle)
	if err != nil {
		return nil, err
	}
	n, d := r.Cert.N, r.Cert.D
	m := &sqp{Run: r, phi: phi, model: model, x: slices.Clone(r.Start), y: r.Cert.Vector(n), trial: make([]float64, d),
		weight: r.Cert.Vector(n), ridge: engine.RidgeOf(r.Problem.Primal, d), last: math.Inf(1)}
	lo, hi := r.Cert.Rows.LocalRange(n)
	engine.Fill(m.y[lo:hi], 1/float64(n))
	pieces := engine.PiecesOf(r.Problem.Dual)
	m.groups = pieces.Groups
	for _, of := range pieces.Parts {
		p := sqpPart{dual: of, cap: r.Cert.Vector(n)}
		if of.CapTo(p.cap); len(pieces.Parts) > 1 {
			p.y = r.Cert.Vector(n)
			floats.Scale(of.Share, p.cap)
		}
		m.parts = append(m.parts, p)
	}
	return m, nil
}

// An sqpPart holds bounded weights, whose sum over the parts is the adversary's weights.
type sqpPart struct {
	dual engine.Portion
	cap  []float64 // maximum weights, of length n
	y    []float64 // n weights at the last point evaluated; nil for a single part, whose weights are all weights
}

// An sqp holds the state of sequential quadratic programming.
type sqp struct {
	*engine.Run
	model    engine.LinearModel
	phi      saddle.Smooth
	groups   func(e *engine.Evaluator) engine.GroupPieces // nil if the pieces are samples
	ridge    []float64
	parts    []sqpPart // set if the pieces are samples
	x, trial []float64
	y        []float64 // weights of the Lagrangian, of length n
	weight   []float64 // scratch memory, of length n

	// coordinates that steps do not change, since their columns are combinations of others; nil as long as H has not
	// been singular
	frozen []bool
	scale  []float64 // sup ℓ″ times the mean squares of the columns; nil as long as H has not been singular otherwise

	path   *continuation // nil as long as steps have not stalled
	value  float64       // P(x)
	last   float64       // predicted decrease of the previous step
	lambda float64       // multiple of the diagonal that is added to H
}

// Step takes a step or, once steps have stalled, a stage of a continuation with decreasing penalties.
func (m *sqp) Step() error {
	if m.path != nil {
		return m.path.Step()
	}
	err := m.takeStep()
	if err != saddle.ErrStalled || m.Certified() {
		return err
	}
	if m.Cert.IsDeficient {
		m.Logf("sqp: the unpenalised columns are linearly dependent up to rounding, so no lower bound can be proved")
		return err
	}
	path, unsupported := newContinuation(m.Run, Newton{}, math.Inf(1))
	if unsupported != nil {
		return err
	}
	copy(path.x, m.Cert.BestX)
	m.path = path
	return nil
}

// takeStep takes one step.
func (m *sqp) takeStep() error {
	c := m.Cert
	if !slices.Equal(c.X, m.x) || math.IsInf(c.Objective, 1) {
		c.Evaluate(m.x)
	}
	m.value = c.Objective
	goal := m.Settings.RelativeGap * m.Cert.Best.Magnitude(m.value)
	h := m.hessian()
	for share := nearestRows; ; share *= sampleGrowth {
		p, err := m.formSubproblem(h, share)
		if err != nil {
			return err
		}
		tolerance := max(1e-15*math.Abs(m.value), min(stageGap*min(m.last, math.Abs(m.value)),
			math.Max(0.1*goal, 1e-4*m.last)))
		exact := p.solve(tolerance)
		fall := p.modelDecrease(p.start)
		if !exact && !(fall > 0) || math.IsNaN(fall) {
			return saddle.ErrStalled
		}
		m.Logf("sqp: %d pieces, %d factorisations, predicted decrease %.3g of %.10g, %.4g passes", len(p.v), p.rounds,
			fall, m.value, c.Passes)
		lo, hi := c.Rows.LocalRange(c.N)
		copy(m.weight[lo:hi], c.Y[lo:hi])
		groups := p.weigh(m.weight, p.q)
		if fall <= goal { // close enough to try to compute a lower bound
			if m.tightenLowerBound(p, groups, fall); m.Certified() {
				return nil
			}
			if c.Evaluate(m.x); !(fall > 0) { // no descent is possible
				return saddle.ErrStalled
			}
		}
		m.last = max(fall, goal)
		if m.search(p, fall) {
			copy(m.y[lo:hi], m.weight[lo:hi])
			return nil
		}
		if m.groups == nil && share < 1 && p.count < min(c.N*9/10, m.maxPieces()) {
			m.Logf("sqp: the step does not decrease the objective: continuing with more samples")
			c.Evaluate(m.x)
			continue
		}
		if !m.raiseDamping() {
			return saddle.ErrStalled
		}
		copy(m.y[lo:hi], m.weight[lo:hi])
		return nil
	}
}

// raiseDamping raises the damping of the Hessian after a step that did not decrease P.
func (m *sqp) raiseDamping() bool {
	if m.lambda >= 1e6 {
		return false
	}
	m.lambda = max(1e-3, 100*m.lambda)
	m.Logf("sqp: the step does not decrease the objective: damping raised to %.3g", m.lambda)
	return true
}

// hessian returns Σ_j y_j ℓ″_j z_j z_jᵀ + ∇²φ at the last point evaluated. It takes one pass.
func (m *sqp) hessian() *mat.SymDense {
	c := m.Cert
	c.Spend(1)
	c.Rows.Run(c.N, func(_, lo, hi int) {
		m.model.CurvatureTo(m.weight, c.Slope, lo, hi)
		for j := lo; j < hi; j++ {
			m.weight[j] *= m.y[j]
		}
	})
	h := mat.NewSymDense(c.D, nil)
	newGram(c.Rows, c.N, c.D).ComputeTo(h, m.model, m.weight)
	addDiagonal(h, m.ridge)
	m.freezeRedundant(h)
	for i := range c.D {
		v := h.At(i, i)
		damping := v
		if m.scale != nil {
			damping = max(v, m.scale[i])
		}
		h.SetSym(i, i, v*(1+1e-12)+m.lambda*damping)
	}
	freeze(h, m.frozen)
	return h
}

// freezeRedundant finds the redundant columns when h is singular for the first time, and freezes their coordinates.
// If h is still singular, since few losses have curvature, the model may be unbounded: the steps are damped.
func (m *sqp) freezeRedundant(h *mat.SymDense) {
	c := m.Cert
	if m.frozen == nil {
		if !isSingular(h) {
			return
		}
		m.frozen = make([]bool, c.D)
		if slices.Contains(m.ridge, 0) {
			if c.Redundant == nil {
				findRedundant(c, m.model, m.ridge)
			}
			for i, mu := range m.ridge {
				m.frozen[i] = mu == 0 && c.IsRedundant(i)
			}
		}
	}
	if freeze(h, m.frozen); m.scale != nil || !isSingular(h) {
		return
	}
	c.Spend(1)
	m.scale = make([]float64, c.D)
	weight := c.ScratchSpace()
	_, _, smooth := m.model.Rounding()
	if !(smooth > 0) || math.IsInf(smooth, 1) {
		smooth = 1
	}
	lo, hi := c.Rows.LocalRange(c.N)
	engine.Fill(weight[lo:hi], smooth/float64(c.N))
	squares := mat.NewSymDense(c.D, nil)
	newGram(c.Rows, c.N, c.D).ComputeTo(squares, m.model, weight)
	for i := range m.scale {
		m.scale[i] = squares.At(i, i)
	}
	m.lambda = max(m.lambda, FirstDamping)
}

// tightenLowerBound improves the lower bound with the weights of the subproblem at the last point evaluated, where
// the objective is expected to exceed the optimum by fall.
func (m *sqp) tightenLowerBound(p *sqpStep, groups []float64, fall float64) {
	c := m.Cert
	c.AdoptWeights(m.weight, groups)
	if engine.FreeCount(m.Problem.Primal) == 1 {
		for range 2 { // the second pass reduces rounding errors
			groups = m.balanceWeights(p, groups)
			c.AdoptWeights(m.weight, groups)
		}
	}
	if c.RecordAdoptedBound(); m.Certified() {
		return
	}
	CertifyAtDecrement(m.Run, 2*fall)
	if !m.Certified() {
		certifyFromAllSamples(m.Run)
	}
}

// balanceWeights moves weight among the pieces within their bounds so that the derivative with respect to the free
// coordinate vanishes or is as small as possible. Given the weights over groups, it returns the changed ones.
func (m *sqp) balanceWeights(p *sqpStep, groups []float64) []float64 {
	d := m.Cert.D
	unit, slope := make([]float64, d), make([]float64, len(p.v))
	unit[d-1] = 1
	p.j.TimesTo(slope, unit)
	spare := func(i int) float64 { return min(p.q[i], max(0, p.u[i]-p.q[i])) }
	scatter, size := 0.0, 0.0
	// slopes relative to their mean, so that the sum of the weights of a part does not change
	p.eachPart(func(_, lo, hi int) {
		mass, first, second := 0.0, 0.0, 0.0
		for i, s := range slope[lo:hi] {
			w := spare(lo + i)
			mass += w
			first += w * s
			second += w * s * s
		}
		if mass > 0 {
			floats.AddConst(-first/mass, slope[lo:hi])
			scatter += second - first/mass*first
		}
		size += second
	})
	if !(scatter > 1e-12*size) {
		return groups
	}
	rate, most := -m.Cert.G[d-1]/scatter, 1.0
	for i, s := range slope {
		if spare(i) > 0 {
			most = max(most, math.Abs(rate*s))
		}
	}
	for i, s := range slope {
		p.q[i] = max(0, p.q[i]+spare(i)*rate/most*s)
	}
	return p.weigh(m.weight, p.q)
}

// search moves along the step, or a part of it, to a point at which P is sufficiently lower.
func (m *sqp) search(p *sqpStep, fall float64) bool {
	const enough, shortest = 1e-4, 1.0 / 64
	c := m.Cert
	first := append([]float64(nil), p.delta...)
	reaches := func(delta []float64, t float64) bool {
		floats.AddScaledTo(m.trial, m.x, t, delta)
		return c.Evaluate(m.trial) <= m.value-enough*t*fall && c.Objective < m.value
	}
	arrive := func() bool {
		copy(m.x, c.X)
		if m.lambda /= 10; m.lambda < 1e-6 {
			m.lambda = 0
		}
		return true
	}
	if reaches(first, 1) {
		return arrive()
	}
	for t := 0.25; t >= shortest && m.Ctx.Err() == nil; t /= 4 {
		if reaches(first, t) {
			return arrive()
		}
	}
	return false
}

// Check implements Stepper.
func (m *sqp) Check() {}

// IsCheckDue implements Stepper. A check is due after every step.
func (*sqp) IsCheckDue(bool) bool { return true }
