package newton

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/bound"
	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/tuning"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Minimax solves problems whose risk is the largest of many smooth pieces, ν = 0: CVaR, the
// largest loss, plain group DRO. It is sequential quadratic programming for minimax problems
// (Pshenichnyi's linearisation with the Hessian of the Lagrangian): pieces are linear in a
// step, the Hessian is that of ⟨y, f⟩ + φ at the weights y of the step before, and the
// weights that solve the quadratic problem prove the bound from below. Pieces are the
// groups, or the samples near the threshold: the others keep their weight for a step. A
// step that does not lower the objective is taken again with the values met at its end. It
// needs second derivatives, the L2 regulariser and d ≤ 2000. Where samples lie with several
// ranks each has copies of those near the threshold where they are few, sums of all elsewhere.
type Minimax struct{}

var _ saddle.Method = Minimax{}

var (
	kinkShare = tuning.New("minimax: samples near the threshold whose weights a step decides", "of all", 0.125, 0.03, 0.5)
	kinkGap   = tuning.New("minimax: gap of a step's problem", "of the fall expected before", 0.01, 0.001, 0.1)
)

// Name implements Method.
func (Minimax) Name() string { return "minimax" }

// Start implements Method.
func (Minimax) Start(r *saddle.Run) (saddle.Stepper, error) {
	phi, err := saddle.Required[saddle.Smooth](r.Problem.Primal)
	if err != nil {
		return nil, err
	}
	products, err := saddle.Required[saddle.Products](r.Problem.Oracle)
	if err != nil {
		return nil, err
	}
	n, d := r.Cert.N, r.Cert.D
	m := &minimax{Run: r, phi: phi, products: products, x: append([]float64(nil), r.Start...), y: r.Cert.Vector(n), trial: make([]float64, d),
		weight: r.Cert.Vector(n), ridge: saddle.RidgeOf(r.Problem.Primal, d), last: math.Inf(1)}
	m.majorised, _ = saddle.Ability[saddle.Majorised](r.Problem.Oracle)
	if m.majorised != nil && !m.majorised.MajorantTo(nil, nil, nil, 0, 0) {
		m.majorised = nil
	}
	lo, hi := r.Cert.Rows.Here(n)
	vec.Fill(m.y[lo:hi], 1/float64(n))
	if k, ok := saddle.Ability[saddle.KinkedPieces](r.Problem.Dual); ok {
		m.groups = k
		return m, nil
	}
	kinked, err := saddle.Required[saddle.Kinked](r.Problem.Dual)
	if err != nil {
		return nil, err
	}
	if m.selectable, err = saddle.Required[saddle.Selectable](r.Problem.Oracle); err != nil {
		return nil, err
	}
	m.cap = r.Cert.Vector(n)
	kinked.CapTo(m.cap)
	return m, nil
}

type minimax struct {
	*saddle.Run
	products   saddle.Products
	phi        saddle.Smooth
	majorised  saddle.Majorised    // nil: nothing better than second derivatives
	groups     saddle.KinkedPieces // nil: pieces are samples
	selectable saddle.Selectable   // of these
	ridge      []float64
	cap        []float64 // n, of samples; nil where pieces are groups
	x, trial   []float64
	y          []float64 // n: the weights of the Lagrangian
	weight     []float64 // n, scratch
	slope      []float64 // n; allocated where samples are pieces where they lie

	value  float64 // P(x)
	last   float64 // fall expected of the step before
	wide   bool    // majorants in the place of second derivatives
	lambda float64 // of the diagonal, added to H
	all    bool    // fewer samples than all did not do, where they lie with several ranks
}

// Step implements Stepper.
func (m *minimax) Step() error {
	c := m.Cert
	if !slices.Equal(c.X, m.x) || math.IsInf(c.Objective, 1) {
		c.Evaluate(m.x)
	}
	m.value = c.Objective
	goal := m.Settings.RelativeGap * m.Cert.Best.Magnitude(m.value)
	h := m.hessian()
	for share := kinkShare.Value; ; share *= 4 {
		p, err := m.pieces(h, share)
		if err != nil {
			return err
		}
		tolerance := max(1e-15*math.Abs(m.value), min(kinkGap.Value*min(m.last, math.Abs(m.value)), math.Max(0.1*goal, 1e-4*m.last)))
		exact := p.solve(tolerance)
		fall := p.fall(p.start)
		if !exact && !(fall > 0) || math.IsNaN(fall) {
			return saddle.ErrStalled
		}
		m.Logf("minimax: %d pieces, %d factors, fall expected %.3g of %.10g, %.4g passes", p.layout.of(len(p.v)), p.rounds, fall, m.value, c.Passes)
		if m.majorised != nil && !m.wide && fall > m.value-c.Best.Lower { // more than there is
			m.wide = true
			h = m.hessian()
			share /= 4 // the same samples
			continue
		}
		lo, hi := c.Rows.Here(c.N)
		copy(m.weight[lo:hi], c.Y[lo:hi])
		psi := p.weigh(m.weight, p.q)
		if fall <= goal { // worth a bound from below
			if m.prove(p, psi, fall); m.Certified() {
				return nil
			}
			if c.Evaluate(m.x); !(fall > 0) { // nowhere to go
				return saddle.ErrStalled
			}
		}
		m.last = max(fall, goal)
		if m.search(p, fall) {
			m.all = p.layout != nil
			copy(m.y[lo:hi], m.weight[lo:hi])
			return nil
		}
		if m.groups == nil && share < 1 && p.layout == nil && len(p.v) < c.N*9/10 {
			m.Logf("minimax: no decrease along the step: more samples")
			c.Evaluate(m.x)
			continue
		}
		if !m.damp() {
			return saddle.ErrStalled
		}
		copy(m.y[lo:hi], m.weight[lo:hi])
		return nil
	}
}

// damp raises what is added to the Hessian after a step that did not lower P.
func (m *minimax) damp() bool {
	switch {
	case m.majorised != nil && !m.wide:
		m.wide = true
	case m.lambda < 1e6:
		m.lambda = max(1e-3, 100*m.lambda)
	default:
		return false
	}
	m.Logf("minimax: no decrease along the step: quadratics above the losses %v, damping %.3g", m.wide, m.lambda)
	return true
}

// hessian returns Σ_j y_j ℓ″_j z_j z_jᵀ + ∇²φ at the point last evaluated: one pass.
func (m *minimax) hessian() *mat.SymDense {
	c := m.Cert
	c.Spend(1)
	more := c.Scratch()
	c.Rows.Run(c.N, func(_, lo, hi int) {
		m.products.CurvatureTo(m.weight, c.Slope, lo, hi)
		if m.wide && m.majorised != nil {
			m.majorised.MajorantTo(more, c.Value, c.Slope, lo, hi)
			for j := lo; j < hi; j++ {
				m.weight[j] = max(m.weight[j], more[j])
			}
		}
		for j := lo; j < hi; j++ {
			m.weight[j] *= m.y[j]
		}
	})
	h := mat.NewSymDense(c.D, nil)
	hessian.NewGram(c.Rows, c.N, c.D).SumOf(h, m.products, m.weight)
	hessian.AddDiagonal(h, m.ridge)
	for i := range c.D {
		if v := h.At(i, i); v > 0 {
			h.SetSym(i, i, v*(1+m.lambda+1e-12))
		}
	}
	return h
}

// prove takes the bounds from below of the weights in weight at the point last evaluated,
// where the objective is expected to be as much above the optimum as fall.
func (m *minimax) prove(p *kinkStep, psi, fall float64) {
	c := m.Cert
	c.Adopt(m.weight, psi)
	if saddle.FreeLast(m.Problem.Primal) {
		for range 2 { // once more, for rounding
			psi = m.balance(p, psi)
			c.Adopt(m.weight, psi)
		}
	}
	if c.CertifyAdopted(); m.Certified() {
		return
	}
	bound.AtDecrement(m.Run, 2*fall)
	if !m.Certified() {
		bound.FromCurvature(c, c.N, c.N, math.Inf(1))
	}
}

// balance moves weight among the pieces that have some to spare so that nothing is left of
// the derivative in the free coordinate, or as little as can be, and returns ψ.
func (m *minimax) balance(p *kinkStep, psi float64) float64 {
	k, d := len(p.v), m.Cert.D
	unit, slope := make([]float64, d), make([]float64, k)
	unit[d-1] = 1
	p.j.TimesTo(slope, unit)
	spare := func(i int) float64 { return min(p.q[i], max(0, p.u[i]-p.q[i])) }
	sums := p.layout.sums(k, 3, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			w, s := spare(i), slope[i]
			sum[0] += w
			sum[1] += w * s
			sum[2] += w * s * s
		}
	})
	mass, first, second := sums[0], sums[1], sums[2]
	scatter := second - first/mass*first
	if !(scatter > 1e-12*second) {
		return psi
	}
	rate, most := -m.Cert.G[d-1]/scatter, 1.0
	for i, s := range slope {
		if spare(i) > 0 {
			most = max(most, math.Abs(rate*(s-first/mass)))
		}
	}
	most = -p.layout.least(-most)
	for i, s := range slope {
		p.q[i] = max(0, p.q[i]+spare(i)*rate/most*(s-first/mass))
	}
	return p.weigh(m.weight, p.q)
}

// search moves along the step, along that of the values met at its end, or along a part of
// the first, to where P is lower by enough.
func (m *minimax) search(p *kinkStep, fall float64) bool {
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
		m.wide = false
		m.follow(first, fall)
		return arrive()
	}
	if !math.IsInf(c.Objective, 1) {
		v := p.values()
		along := make([]float64, len(v))
		p.j.TimesTo(along, first)
		again := *p.quadratic
		again.v = floats.SubTo(along, v, along)
		if again.solve(0.1*fall) && reaches(again.delta, 1) {
			return arrive()
		}
	}
	for t := 0.25; t >= shortest && m.Ctx.Err() == nil; t /= 4 {
		if reaches(first, t) {
			m.wide = true
			return arrive()
		}
	}
	return false
}

// follow goes on along the step from its end, which the certifier evaluated last, while the
// objective goes on to fall there and halves what it may still fall by.
func (m *minimax) follow(delta []float64, fall float64) {
	const half, farthest = 0.5, 1e6 // of the gap, worth another step; of a full step
	c := m.Cert
	lower, before := c.Best.Lower, m.value
	end := append([]float64(nil), m.trial...)
	for t := 2.0; t < farthest && m.Ctx.Err() == nil; t *= 2 {
		copy(end, c.G)
		m.phi.AddGradTo(end, c.X)
		if now := c.Objective; !(-floats.Dot(end, delta) > steadySlope.Value/2*min(fall, now)) || now-lower > half*(before-lower) {
			return
		}
		before = c.Objective
		floats.AddScaledTo(end, m.x, t, delta)
		if !(c.Evaluate(end) < before) {
			c.Evaluate(m.trial)
			return
		}
		copy(m.trial, end)
	}
}

// MoveToBest implements Moving: it goes to the best point.
func (m *minimax) MoveToBest() { copy(m.x, m.Cert.BestX) }

// Check implements Stepper.
func (m *minimax) Check() {}

// WantsCheck reports that a check is due: there is a line to write.
func (m *minimax) WantsCheck() bool { return true }

// Needs implements Method.
func (Minimax) Needs() []saddle.Need {
	return []saddle.Need{saddle.NeedKinks, saddle.NeedProducts, saddle.NeedSelectable, saddle.NeedRidge, hessian.NeedFewColumns}
}

// RunsEverywhere implements Everywhere.
func (Minimax) RunsEverywhere() bool { return true }
