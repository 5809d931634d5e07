package side

import (
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/paged"
	"github.com/drotrain/drotrain/internal/ranks"
)

// Duals over samples that lie with several ranks: each is the same dual, that knows where.
var (
	_ saddle.Ranked = KL{}
	_ saddle.Ranked = ChiSquare{}
	_ saddle.Ranked = Uniform{}
	_ saddle.Ranked = Fixed{}
	_ saddle.Ranked = Ball{}
	_ saddle.Ranked = (*Groups)(nil)
	_ saddle.Ranked = Protected{}

	_ saddle.Sampled = Fixed{}
	_ saddle.Sampled = Ball{}
	_ saddle.Sampled = (*Groups)(nil)
	_ saddle.Sampled = Protected{}
)

// Over implements Ranked.
func (k KL) Over(rows *ranks.Rows) (saddle.Dual, bool) { return KL{k.Nu, rows}, true }

// Over implements Ranked.
func (c ChiSquare) Over(rows *ranks.Rows) (saddle.Dual, bool) { return ChiSquare{c.Nu, rows}, true }

// Over implements Ranked.
func (Uniform) Over(rows *ranks.Rows) (saddle.Dual, bool) { return Uniform{rows}, true }

// Over implements Ranked.
func (d Fixed) Over(rows *ranks.Rows) (saddle.Dual, bool) { return Fixed{d.weights, rows}, true }

// Over implements Ranked.
func (b Ball) Over(rows *ranks.Rows) (saddle.Dual, bool) {
	b.rows = rows
	return b, true
}

// Over implements Ranked.
func (g *Groups) Over(rows *ranks.Rows) (saddle.Dual, bool) {
	over := *g
	over.rows = rows
	return &over, true
}

// Over implements Ranked.
func (p Protected) Over(rows *ranks.Rows) (saddle.Dual, bool) {
	p.rows = rows
	return p, true
}

// roomOf is where vectors of one entry a sample lie: of samples of several ranks they take
// memory for those that are here.
func roomOf(rows *ranks.Rows) *paged.Room {
	if rows == nil {
		return nil
	}
	return paged.Virtual()
}

// OfSamples implements Sampled.
func (d Fixed) OfSamples(samples []int) saddle.Dual {
	return Fixed{weights: ranks.At(d.rows, d.weights, samples)}
}

// OfPart implements Sampled.
func (d Fixed) OfPart(count int) saddle.Dual { return Fixed{weights: partOf(d.rows, d.weights, count)} }

// OfSamples implements Sampled.
func (b Ball) OfSamples(samples []int) saddle.Dual {
	b.Weights, b.rows = ranks.At(b.rows, b.Weights, samples), nil
	return b
}

// OfPart implements Sampled.
func (b Ball) OfPart(count int) saddle.Dual {
	b.Weights, b.rows = partOf(b.rows, b.Weights, count), nil
	return b
}

// OfSamples implements Sampled.
func (p Protected) OfSamples(samples []int) saddle.Dual {
	p.Weights, p.rows = ranks.At(p.rows, p.Weights, samples), nil
	return p
}

// OfPart implements Sampled.
func (p Protected) OfPart(count int) saddle.Dual {
	p.Weights, p.rows = partOf(p.rows, p.Weights, count), nil
	return p
}

// OfSamples implements Sampled.
func (g *Groups) OfSamples(samples []int) saddle.Dual {
	of := *g
	of.rows, of.weight, of.of = nil, ranks.At(g.rows, g.weight, samples), nil
	for _, ids := range g.of {
		of.of = append(of.of, ranks.At(g.rows, ids, samples))
	}
	return &of
}

// OfPart implements Sampled.
func (g *Groups) OfPart(count int) saddle.Dual {
	of := *g
	of.rows, of.weight, of.of = nil, partOf(g.rows, g.weight, count), nil
	for _, ids := range g.of {
		of.of = append(of.of, partOf(g.rows, ids, count))
	}
	return &of
}

// partOf returns the entries of a vector of one entry a sample at the first samples of every
// shard, as long as there are, with those that are here; nil of nil.
func partOf[T int32 | float64](rows *ranks.Rows, v []T, count int) []T {
	if v == nil {
		return nil
	}
	lo, _ := rows.Part(count).Here(count)
	out := paged.Make[T](roomOf(rows), count)
	for k, j := range rows.StratifiedHere(len(v), count) {
		out[lo+k] = v[j]
	}
	return out
}

// scale multiplies the entries that are here by a.
func scale(rows *ranks.Rows, v []float64, a float64) {
	rows.Run(len(v), func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			v[j] *= a
		}
	})
}

// divide makes the numbers v ≥ 0 shares of their sum, which may be so small that its inverse
// overflows.
func divide(rows *ranks.Rows, v []float64, sum float64) {
	if sum < 0x1p-1000 {
		scale(rows, v, 0x1p500)
		sum *= 0x1p500
	}
	scale(rows, v, 1/sum)
}
