package newton

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/ranks"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// An sqpStep is the quadratic problem at a point with its solution.
type sqpStep struct {
	*quadratic
	start float64                                 // of the maximum at Δ = 0
	weigh func(y, q []float64) (groups []float64) // stores the weights of the samples in y
}

// formSubproblem returns the quadratic problem of a step, with about share·n samples as pieces.
func (m *sqp) formSubproblem(h *mat.SymDense, share float64) (*sqpStep, error) {
	c := m.Cert
	g := make([]float64, c.D)
	if m.groups != nil {
		v, rows, weigh := m.groups.PiecesAt(c.Evaluator)
		u := make([]float64, len(v))
		saddle.Fill(u, math.Inf(1))
		m.phi.AddGradTo(g, c.X)
		return &sqpStep{quadratic: &quadratic{h: h, g: g, j: dense(rows), v: v, u: u, mass: 1}, start: c.Risk, weigh: weigh}, nil
	}
	count := min(c.N, max(int(share*float64(c.N)), saddle.RowsPerColumn*c.D), max(1, saddle.MostSelected(m.Problem.Oracle)))
	ids := m.nearestSamples(count)
	s := &samples{oracle: m.model.Select(ids), scratch: make([]float64, len(ids)), d: c.D}
	var err error
	if s.products, err = saddle.Required[saddle.LinearModel](s.oracle); err != nil { // those of all samples have
		return nil, err
	}
	p := &sqpStep{quadratic: &quadratic{h: h, g: g, j: s}}
	at := ranks.GatherAt(c.Rows, ids, c.Slope, c.Value, m.cap, c.Y)
	s.slope, p.v, p.u = at[0], at[1], at[2]
	p.weigh = func(y, q []float64) []float64 {
		lo, hi := c.Rows.LocalRange(c.N)
		for k, j := range ids {
			if j >= lo && j < hi {
				y[j] = q[k]
			}
		}
		return nil
	}
	m.fixOtherWeights(p, at[3], float64(len(ids))/float64(c.N))
	return p, nil
}

// fixOtherWeights adds the gradient of all samples that are not pieces, whose weights stay as they are,
// to the subproblem. own are the weights of the pieces, part their proportion of all samples.
func (m *sqp) fixOtherWeights(p *sqpStep, own []float64, part float64) {
	c := m.Cert
	c.Spend(part)
	p.spend = func() { c.Spend(part) }
	p.mass = p.j.AddTransposedTo(p.g, own)
	floats.Scale(-1, p.g)
	floats.Add(p.g, c.G)
	m.phi.AddGradTo(p.g, c.X)
	p.start = floats.Dot(own, p.v)
}

// nearestSamples returns count samples with weight, ascending, whose losses are nearest to the threshold, which
// is the largest loss if weights have no caps.
func (m *sqp) nearestSamples(count int) []int {
	c := m.Cert
	return saddle.SmallestKeys(c.Rows, c.N, count, func(j int) float64 {
		if !(m.cap[j] > 0) {
			return math.Inf(1)
		}
		return math.Abs(c.Value[j] - c.Tau)
	})
}

// samples is the Jacobian of the margins of samples.
type samples struct {
	oracle         saddle.Oracle
	products       saddle.LinearModel
	slope, scratch []float64
	d              int
}

func (s *samples) TimesTo(dst, delta []float64) {
	s.products.MarginsTo(dst, delta, 0, len(dst))
	floats.Mul(dst, s.slope)
}

func (s *samples) AddTransposedTo(dst, q []float64) float64 {
	s.oracle.AddGradTo(dst, q, s.slope, 0, len(q))
	return saddle.Sum(q)
}

func (s *samples) AddGramTo(dst *mat.SymDense, w []float64) {
	for k, v := range w {
		s.scratch[k] = v * s.slope[k] * s.slope[k]
	}
	sum := mat.NewSymDense(s.d, nil)
	newGram(nil, len(w), s.d).SumOf(sum, s.products, s.scratch)
	dst.AddSym(dst, sum)
}

// dense is the Jacobian of a few rows.
type dense [][]float64

func (j dense) TimesTo(dst, delta []float64) {
	for k, row := range j {
		dst[k] = floats.Dot(row, delta)
	}
}

func (j dense) AddTransposedTo(dst, q []float64) float64 {
	for k, row := range j {
		floats.AddScaled(dst, q[k], row)
	}
	return saddle.Sum(q)
}

func (j dense) AddGramTo(dst *mat.SymDense, w []float64) {
	for k, row := range j {
		dst.SymRankOne(dst, w[k], mat.NewVecDense(len(row), row))
	}
}
