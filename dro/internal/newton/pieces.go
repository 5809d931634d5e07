package newton

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/internal/ranks"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// An sqpStep is the quadratic problem at a point, with its solution.
type sqpStep struct {
	*quadratic
	start float64 // value of the maximum at Δ = 0
	// number of samples of every part that are pieces; 0 if pieces are groups
	count int
	weigh func(y, q []float64) (groups []float64) // stores the weights of the samples in y
}

// maxPieces returns the maximum number of samples of a part that can be pieces.
func (m *sqp) maxPieces() int {
	most := engine.MaxSelected(m.Problem.Oracle)
	if most < m.Cert.N { // little memory
		most /= len(m.parts)
	}
	return max(1, most)
}

// formSubproblem returns the quadratic problem of a step, with about share·n samples as pieces.
func (m *sqp) formSubproblem(h *mat.SymDense, share float64) (*sqpStep, error) {
	c := m.Cert
	g := make([]float64, c.D)
	if m.groups != nil {
		of := m.groups(c.Evaluator)
		u := make([]float64, len(of.Loss))
		engine.Fill(u, math.Inf(1))
		m.phi.AddGradTo(g, c.X)
		q := &quadratic{h: h, g: g, j: dense(of.Rows), v: of.Loss, u: u, ends: []int{len(u)}, mass: []float64{1}}
		m.freezeStep(q)
		return &sqpStep{quadratic: q, start: c.Risk, weigh: of.Weigh}, nil
	}
	count := min(c.N, max(int(share*float64(c.N)), engine.RowsPerColumn*c.D), m.maxPieces())
	p := &sqpStep{quadratic: &quadratic{h: h, g: g}, count: count}
	var ids []int
	var own []float64 // weights of the pieces
	for _, of := range m.parts {
		if engine.RegionOf(of.dual.Dual) == engine.Point { // the weights of this part do not change
			continue
		}
		y, tau := c.Y, c.Tau
		if of.y != nil {
			_, tau = of.dual.BestResponseTo(of.y, c.Value)
			floats.Scale(of.dual.Share, of.y)
			y = of.y
		}
		near := m.nearestSamples(count, of.cap, tau)
		at := ranks.GatherAt(c.Rows, near, c.Value, of.cap, y)
		if mass := engine.Sum(at[2]); mass > 0 {
			ids, p.v, p.u, own = append(ids, near...), append(p.v, at[0]...), append(p.u, at[1]...), append(own, at[2]...)
			p.ends, p.mass = append(p.ends, len(ids)), append(p.mass, mass)
		}
	}
	s := &samples{oracle: m.model.Select(ids), scratch: make([]float64, len(ids)), d: c.D,
		slope: ranks.GatherAt(c.Rows, ids, c.Slope)[0]}
	var err error
	// Select returns a LinearModel, since the oracle of all samples is one
	if s.products, err = engine.Require[engine.LinearModel](s.oracle); err != nil {
		return nil, err
	}
	p.j = s
	now := ranks.GatherAt(c.Rows, ids, c.Y)[0] // a sample may be a piece of every part
	p.weigh = func(y, q []float64) []float64 {
		lo, hi := c.Rows.LocalRange(c.N)
		each := func(set func(k, j int)) {
			for k, j := range ids {
				if lo <= j && j < hi {
					set(k, j)
				}
			}
		}
		if len(m.parts) == 1 {
			each(func(k, j int) { y[j] = q[k] })
			return nil
		}
		each(func(k, j int) { y[j] = now[k] })
		each(func(k, j int) { y[j] = max(0, y[j]+(q[k]-own[k])) })
		return nil
	}
	m.fixOtherWeights(p, own, float64(len(ids))/float64(c.N))
	return p, nil
}

// fixOtherWeights adds the gradient of the samples that are not pieces, whose weights are fixed, to the subproblem. own
// holds the weights of the pieces, and part is the proportion of the samples that are pieces.
func (m *sqp) fixOtherWeights(p *sqpStep, own []float64, part float64) {
	c := m.Cert
	c.Spend(part)
	p.spend = func() { c.Spend(part) }
	p.j.AddTransposedTo(p.g, own)
	floats.Scale(-1, p.g)
	floats.Add(p.g, c.G)
	m.phi.AddGradTo(p.g, c.X)
	p.start = floats.Dot(own, p.v)
	m.freezeStep(p.quadratic)
}

// freezeStep removes the frozen coordinates from the gradients of q, so that its solution leaves them.
func (m *sqp) freezeStep(q *quadratic) {
	if slices.Contains(m.frozen, true) {
		clearFrozen(q.g, m.frozen)
		q.j = frozen{q.j, m.frozen}
	}
}

// nearestSamples returns count samples with positive caps, in ascending order, whose losses are nearest to the
// threshold tau. If weights have no caps, tau is the largest loss.
func (m *sqp) nearestSamples(count int, caps []float64, tau float64) []int {
	c := m.Cert
	return engine.SamplesWithSmallestKeys(c.Rows, c.N, count, func(j int) float64 {
		if !(caps[j] > 0) {
			return math.Inf(1)
		}
		return math.Abs(c.Value[j] - tau)
	})
}

// A samples value is the Jacobian of the losses of samples.
type samples struct {
	oracle         saddle.Oracle
	products       engine.LinearModel
	slope, scratch []float64
	d              int
}

func (s *samples) TimesTo(dst, delta []float64) {
	s.products.MarginsTo(dst, delta, 0, len(dst))
	floats.Mul(dst, s.slope)
}

func (s *samples) AddTransposedTo(dst, q []float64) {
	s.oracle.AddGradTo(dst, q, s.slope, 0, len(q))
}

func (s *samples) AddGramTo(dst *mat.SymDense, w []float64) {
	for k, v := range w {
		s.scratch[k] = v * s.slope[k] * s.slope[k]
	}
	sum := mat.NewSymDense(s.d, nil)
	newGram(nil, len(w), s.d).ComputeTo(sum, s.products, s.scratch)
	dst.AddSym(dst, sum)
}

// A dense is a Jacobian with a few rows.
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
