package dro

import (
	"github.com/drotrain/drotrain/internal/shard"
	"gonum.org/v1/gonum/mat"
)

// A grams is the weighted Gram matrix of samples in the making: one partial sum a
// shard.
type grams struct {
	d, count int
	part     []float64 // count·d²
}

// newGrams bounds the partial sums of n samples to 64 MiB, as a function of n and d
// alone, but for one sum of any size.
func newGrams(n, d int) *grams {
	return &grams{d: d, count: max(1, min(shard.Count(n), (8<<20)/(d*d)))}
}

// clear makes room for the sums.
func (g *grams) clear() {
	if g.part == nil {
		g.part = make([]float64, g.count*g.d*g.d)
		return
	}
	clear(g.part)
}

// of is where shard s adds.
func (g *grams) of(s int) []float64 { return g.part[s*g.d*g.d : (s+1)*g.d*g.d] }

// sumTo stores the sum in the first d rows of h.
func (g *grams) sumTo(h *mat.SymDense) {
	dd := g.d * g.d
	for i := range g.d {
		for j := i; j < g.d; j++ {
			v := 0.0
			for s := range g.count {
				v += g.part[s*dd+i*g.d+j]
			}
			h.SetSym(i, j, v)
		}
	}
}

// gram stores Σ_j weight_j z_j z_jᵀ in the first d rows of h.
func (g *grams) gram(h *mat.SymDense, o Curved, weight []float64) {
	g.clear()
	shard.RunCount(len(weight), g.count, func(s, lo, hi int) { o.AddGramTo(g.of(s), weight, lo, hi) })
	g.sumTo(h)
}
