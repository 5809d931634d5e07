package tune

import (
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/train/level"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// mostGroups is the number of groups whose mean gradients a metric has at most.
const mostGroups = 64

// A pull is how an adversary over groups answers a step: by G'CG more in the Hessian, G being
// the mean gradients of the groups at a point, a row each, and C the covariance of their
// weights over ν. The smaller ν, the further the metric of the average is from the Hessian of
// such candidates, and the more steps it takes.
type pull struct {
	gradient [][]float64 // G
	solved   [][]float64 // the metric's inverse times every row of G
	inner    *mat.Dense  // G times these
	share    []float64   // of the rows, by group
}

// pulls reports whether the adversary of a level is such.
func pulls(l level.Level) bool {
	return l.Groupwise() && l.Penalty == "kl" && l.Nu != nil && *l.Nu > 0
}

// pullAt is that at x, nil where there are no groups, or too many.
func (t *Table) pullAt(x []float64, m *metric) *pull {
	groups, d := len(t.Labels), len(x)
	if t.Group == nil || groups < 2 || groups > mostGroups {
		return nil
	}
	share := make([]float64, groups)
	for j, g := range t.Group {
		if g >= 0 {
			share[g] += t.Weight(j)
		}
	}
	slope, value := make([]float64, t.N), make([]float64, t.N)
	within := make([][]float64, groups)
	slopes := make([][]float64, groups)
	for g := range within {
		within[g], slopes[g] = make([]float64, t.N), slope
	}
	for j, g := range t.Group {
		if g >= 0 && share[g] > 0 {
			within[g][j] = t.Weight(j) / share[g]
		}
	}
	shard.Run(t.N, func(_, lo, hi int) {
		t.X.MarginsTo(slope, x, lo, hi)
		t.Loss.EvalTo(value[lo:hi], slope[lo:hi], slope[lo:hi], t.Target[lo:hi])
	})
	partials := shard.NewPartials(shard.Count(t.N), groups*d)
	partials.Clear()
	shard.Run(t.N, func(s, lo, hi int) {
		part := make([][]float64, groups)
		for g := range part {
			part[g] = partials.Of(s)[g*d : (g+1)*d]
		}
		design.ManyAddRowsTo(t.X, part, within, slopes, lo, hi)
	})
	sum := make([]float64, groups*d)
	partials.SumTo(sum)
	floats.Scale(1/floats.Sum(share), share)
	p := &pull{share: share, inner: mat.NewDense(groups, groups, nil)}
	for g := range groups {
		p.gradient = append(p.gradient, sum[g*d:(g+1)*d])
		p.solved = append(p.solved, make([]float64, d))
		m.multiply(p.solved[g], p.gradient[g])
	}
	for a := range groups {
		for b := range groups {
			p.inner.Set(a, b, floats.Dot(p.gradient[a], p.solved[b]))
		}
	}
	return p
}

// under is (I + CGM⁻¹G')⁻¹C of weights half way from q to the shares of the groups, which q
// begins near the edge of where ν is small; nil where that is no number. By the formula of
// Woodbury, M⁻¹ less M⁻¹G' times this times GM⁻¹ is the inverse of M + G'CG.
func (p *pull) under(q []float64, nu float64) *mat.Dense {
	n := len(q)
	c := mat.NewDense(n, n, nil)
	for a := range n {
		u := (q[a] + p.share[a]) / 2
		for b := range n {
			c.Set(a, b, -u*(q[b]+p.share[b])/(2*nu))
		}
		c.Set(a, a, c.At(a, a)+u/nu)
	}
	var left, out mat.Dense
	left.Mul(c, p.inner)
	for a := range n {
		left.Set(a, a, 1+left.At(a, a))
	}
	if out.Solve(&left, c) != nil {
		return nil
	}
	return &out
}

// correct takes from v = M⁻¹w what the pull makes of it.
func (p *pull) correct(v, w []float64, under *mat.Dense) {
	n := len(p.gradient)
	along := make([]float64, n)
	for g, s := range p.solved {
		along[g] = floats.Dot(s, w)
	}
	for a := range n {
		sum := 0.0
		for b, u := range along {
			sum += under.At(a, b) * u
		}
		floats.AddScaled(v, -sum, p.solved[a])
	}
}
