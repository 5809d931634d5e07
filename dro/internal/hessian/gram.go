package hessian

import (
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/shard"
	"gonum.org/v1/gonum/mat"
)

// A gram is the weighted Gram matrix of samples in the making: one partial sum a
// shard.
type gram struct {
	d, count int
	part     *shard.Partials // d²
	total    []float64       // d²
}

// NewGram bounds the partial sums of n samples to 64 MiB, as a function of n and d
// alone, but for one sum of any size.
func NewGram(n, d int) *gram {
	count := max(1, min(shard.Count(n), (8<<20)/(d*d)))
	return &gram{d: d, count: count, part: shard.NewPartials(count, d*d)}
}

// sumTo stores the sum in the first d rows of h.
func (g *gram) sumTo(h *mat.SymDense) {
	if g.total == nil {
		g.total = make([]float64, g.d*g.d)
	}
	g.part.SumTo(g.total)
	for i := range g.d {
		for j := i; j < g.d; j++ {
			h.SetSym(i, j, g.total[i*g.d+j])
		}
	}
}

// SumOf stores Σ_j weight_j z_j z_jᵀ in the first d rows of h.
func (g *gram) SumOf(h *mat.SymDense, o saddle.Curved, weight []float64) {
	g.part.Clear()
	shard.RunCount(len(weight), g.count, func(s, lo, hi int) { o.AddGramTo(g.part.Of(s), weight, lo, hi) })
	g.sumTo(h)
}
