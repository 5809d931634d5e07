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
// needs second derivatives, the L2 regulariser and d ≤ 2000.
type Minimax struct{}

var _ saddle.Method = Minimax{}

var (
	kinkShare = tuning.New("minimax: samples near the threshold whose weights a step decides", "of all", 0.125, 0.03, 0.5)
	kinkRows  = tuning.New("minimax: of them", "a column at least", 8, 4, 32)
	kinkGap   = tuning.New("minimax: gap of a step's problem", "of the fall expected before", 0.01, 0.001, 0.1)
)

// Name implements Method.
func (Minimax) Name() string { return "minimax" }

// Start implements Method.
func (Minimax) Start(r *saddle.Run) (saddle.Stepper, error) {
	n, d := r.Cert.N, r.Cert.D
	m := &minimax{Run: r, x: append([]float64(nil), r.Start...), y: make([]float64, n), trial: make([]float64, d),
		weight: make([]float64, n), cap: make([]float64, n), ridge: saddle.RidgeOf(r.Problem.Primal, d), last: math.Inf(1)}
	m.oracle, _ = saddle.Ability[saddle.Curved](r.Problem.Oracle)
	m.majorised, _ = saddle.Ability[saddle.Majorised](r.Problem.Oracle)
	if m.majorised != nil && !m.majorised.MajorantTo(nil, nil, nil, 0, 0) {
		m.majorised = nil
	}
	vec.Fill(m.y, 1/float64(n))
	if k, ok := r.Problem.Dual.(saddle.KinkedPieces); ok {
		m.groups = k
	} else {
		r.Problem.Dual.(saddle.Kinked).CapTo(m.cap)
	}
	return m, nil
}

type minimax struct {
	*saddle.Run
	oracle    saddle.Curved
	majorised saddle.Majorised    // nil: nothing better than second derivatives
	groups    saddle.KinkedPieces // nil: pieces are samples
	ridge     []float64
	cap       []float64 // n, of samples
	x, trial  []float64
	y         []float64 // n: the weights of the Lagrangian
	weight    []float64 // n, scratch

	value  float64 // P(x)
	last   float64 // fall expected of the step before
	wide   bool    // majorants in the place of second derivatives
	lambda float64 // of the diagonal, added to H
}

// A step is the quadratic problem at a point, and what its solution means.
type kinkStep struct {
	*quadratic
	start  float64          // of the maximum at Δ = 0
	values func() []float64 // of the pieces at the losses last evaluated
	weigh  func(y, q []float64) (psi float64)
	rows   float64 // the pieces, of all samples
}

// Step implements Stepper.
func (m *minimax) Step() error {
	c := m.Cert
	if !slices.Equal(c.X, m.x) || math.IsInf(c.Objective, 1) {
		c.Evaluate(m.x)
	}
	m.value = c.Objective
	goal := m.Settings.RelativeGap * max(1e-12, math.Abs(m.value))
	h := m.hessian()
	for share := kinkShare.Value; ; share *= 4 {
		p := m.pieces(h, share)
		tolerance := max(1e-15*math.Abs(m.value), min(kinkGap.Value*min(m.last, math.Abs(m.value)), math.Max(0.1*goal, 1e-4*m.last)))
		exact := p.solve(tolerance)
		fall := p.fall(p.start)
		if !exact && !(fall > 0) || math.IsNaN(fall) {
			return saddle.ErrStalled
		}
		m.Logf("minimax: %d pieces, %d rounds, fall expected %.3g of %.10g, %.4g passes", len(p.v), p.rounds, fall, m.value, c.Passes)
		if m.majorised != nil && !m.wide && fall > m.value-c.Best.Lower { // more than there is
			m.wide = true
			h = m.hessian()
			share /= 4 // the same samples
			continue
		}
		copy(m.weight, c.Y)
		psi := p.weigh(m.weight, p.q)
		if fall <= goal { // worth a bound from below
			if m.prove(p, psi, fall); m.Certified() {
				return nil
			}
			c.Evaluate(m.x)
		}
		m.last = max(fall, goal)
		if m.search(p, fall) {
			copy(m.y, m.weight)
			return nil
		}
		if m.groups == nil && share < 1 && p.rows < 0.9 {
			m.Logf("minimax: no decrease along the step: more samples")
			c.Evaluate(m.x)
			continue
		}
		if !m.damp() {
			return saddle.ErrStalled
		}
		copy(m.y, m.weight)
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
	m.oracle.CurvatureTo(m.weight, c.Slope, 0, c.N)
	if m.wide && m.majorised != nil {
		more := c.Scratch()
		m.majorised.MajorantTo(more, c.Value, c.Slope, 0, c.N)
		for j, v := range more {
			m.weight[j] = max(m.weight[j], v)
		}
	}
	for j := range m.weight {
		m.weight[j] *= m.y[j]
	}
	h := mat.NewSymDense(c.D, nil)
	hessian.NewGram(nil, c.N, c.D).SumOf(h, m.oracle, m.weight)
	hessian.AddDiagonal(h, m.ridge)
	for i := range c.D {
		if v := h.At(i, i); v > 0 {
			h.SetSym(i, i, v*(1+m.lambda+1e-12))
		}
	}
	return h
}

// pieces returns the problem of a step with about a share of the samples.
func (m *minimax) pieces(h *mat.SymDense, share float64) *kinkStep {
	c := m.Cert
	g := make([]float64, c.D)
	if m.groups != nil {
		v, rows, weigh := m.groups.PiecesAt(c.Evaluator)
		u := make([]float64, len(v))
		vec.Fill(u, math.Inf(1))
		m.Problem.Primal.(saddle.Smooth).AddGradTo(g, c.X)
		return &kinkStep{quadratic: &quadratic{h: h, g: g, j: dense(rows), v: v, u: u, mass: 1}, start: c.Risk,
			values: func() []float64 { return m.groups.ValuesAt(c.Value) }, weigh: weigh}
	}
	count := min(c.N, max(int(share*float64(c.N)), kinkRows.Int()*c.D))
	ids := m.nearest(count)
	sub := m.Problem.Oracle.(saddle.Selectable).Select(ids)
	s := &samples{Curved: sub.(saddle.Curved), rows: sub.(saddle.RowProducts), slope: make([]float64, len(ids)), scratch: make([]float64, len(ids)), d: c.D}
	p := &kinkStep{quadratic: &quadratic{h: h, g: g, j: s, v: make([]float64, len(ids)), u: make([]float64, len(ids))}, rows: float64(len(ids)) / float64(c.N)}
	own := make([]float64, len(ids))
	for k, j := range ids {
		s.slope[k], p.v[k], p.u[k], own[k] = c.Slope[j], c.Value[j], m.cap[j], c.Y[j]
		p.mass += c.Y[j]
	}
	c.Spend(p.rows)
	p.spend = func() { c.Spend(p.rows) }
	s.AddTransposedTo(g, own)
	floats.Scale(-1, g)
	floats.Add(g, c.G)
	m.Problem.Primal.(saddle.Smooth).AddGradTo(g, c.X)
	p.start = floats.Dot(own, p.v)
	p.values = func() []float64 {
		v := make([]float64, len(ids))
		for k, j := range ids {
			v[k] = c.Value[j]
		}
		return v
	}
	p.weigh = func(y, q []float64) float64 {
		for k, j := range ids {
			y[j] = q[k]
		}
		return 0
	}
	return p
}

// nearest lists count of the samples with a weight, in order: those whose losses are nearest
// to the threshold, or the largest where weights have no caps.
func (m *minimax) nearest(count int) []int {
	c := m.Cert
	ids := make([]int, 0, c.N)
	for j, u := range m.cap {
		if u > 0 {
			ids = append(ids, j)
		}
	}
	if count >= len(ids) {
		return ids
	}
	away := func(j int) float64 {
		if math.IsInf(m.cap[j], 1) {
			return -c.Value[j]
		}
		return math.Abs(c.Value[j] - c.Tau)
	}
	sorted := make([]float64, len(ids))
	for k, j := range ids {
		sorted[k] = away(j)
	}
	slices.Sort(sorted)
	last := sorted[count-1]
	ties := 1 // of last, that are among them
	for ties < count && sorted[count-1-ties] == last {
		ties++
	}
	out := ids[:0]
	for _, j := range ids {
		v := away(j)
		if v == last {
			ties--
		}
		if v < last || v == last && ties >= 0 {
			out = append(out, j)
		}
	}
	return out
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
	bound.AtDecrement(m.Run, 2*fall, bound.StepPasses.Value)
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
	var mass, first, second float64
	for i, s := range slope {
		w := spare(i)
		mass += w
		first += w * s
		second += w * s * s
	}
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
		m.Problem.Primal.(saddle.Smooth).AddGradTo(end, c.X)
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

// Check implements Stepper.
func (m *minimax) Check() {}

// WantsCheck reports that a check is due: there is a line to write.
func (m *minimax) WantsCheck() bool { return true }

// Visit lists what a snapshot holds.
func (m *minimax) Visit(s *saddle.State) {
	s.Floats(m.x, m.y)
	s.Float(&m.last)
	s.Float(&m.lambda)
	s.Boolean(&m.wide)
}

// Needs implements Method.
func (Minimax) Needs() []saddle.Need {
	return []saddle.Need{saddle.NeedKinks, saddle.NeedProducts, saddle.NeedSelectable, saddle.NeedRidge, hessian.NeedFewColumns}
}

// samples is the Jacobian of samples.
type samples struct {
	saddle.Curved
	rows           saddle.RowProducts
	slope, scratch []float64
	d              int
}

func (s *samples) TimesTo(dst, delta []float64) {
	s.rows.MarginsTo(dst, delta, 0, len(dst))
	floats.Mul(dst, s.slope)
}

func (s *samples) AddTransposedTo(dst, q []float64) {
	s.Curved.(saddle.Oracle).AddGradTo(dst, q, s.slope, 0, len(q))
}

func (s *samples) AddGramTo(dst *mat.SymDense, w []float64) {
	for k, v := range w {
		s.scratch[k] = v * s.slope[k] * s.slope[k]
	}
	sum := mat.NewSymDense(s.d, nil)
	hessian.NewGram(nil, len(w), s.d).SumOf(sum, s.Curved, s.scratch)
	dst.AddSym(dst, sum)
}

// dense is the Jacobian of a few rows.
type dense [][]float64

func (j dense) TimesTo(dst, delta []float64) {
	for k, row := range j {
		dst[k] = floats.Dot(row, delta)
	}
}

func (j dense) AddTransposedTo(dst, q []float64) {
	for k, row := range j {
		floats.AddScaled(dst, q[k], row)
	}
}

func (j dense) AddGramTo(dst *mat.SymDense, w []float64) {
	for k, row := range j {
		dst.SymRankOne(dst, w[k], mat.NewVecDense(len(row), row))
	}
}
