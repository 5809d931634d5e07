package newton

import (
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/shard"
	"gonum.org/v1/gonum/mat"
)

// A gram accumulates a weighted Gram matrix as one partial sum for each shard.
type gram struct {
	d, count int
	rows     *ranks.Rows     // distribution of the samples over ranks; nil for a single process
	part     *shard.Partials // d²
	total    []float64       // d²
}

// newGram returns partial sums of d×d matrices over n samples: at most 64 MiB of them but at least one, so that
// their number depends only on n and d. Samples on several MPI ranks have one sum for each shard.
func newGram(rows *ranks.Rows, n, d int) *gram {
	count := rows.Count(n, (8<<20)/(d*d))
	return &gram{d: d, count: count, rows: rows, part: rows.Partials(count, d*d)}
}

// sumTo stores the sum in the first d rows of h.
func (g *gram) sumTo(h *mat.SymDense) {
	if g.total == nil {
		g.total = make([]float64, g.d*g.d)
	}
	g.rows.SumTriangleTo(g.total, g.d, g.part)
	for i := range g.d {
		for j := i; j < g.d; j++ {
			h.SetSym(i, j, g.total[i*g.d+j])
		}
	}
}

// ComputeTo stores Σ_j weight_j z_j z_jᵀ in the first d rows of h.
func (g *gram) ComputeTo(h *mat.SymDense, o engine.LinearModel, weight []float64) {
	g.part.Clear()
	g.rows.RunCount(len(weight), g.count, func(s, lo, hi int) { o.AddGramTo(g.part.Shard(s), weight, lo, hi) })
	g.sumTo(h)
}
