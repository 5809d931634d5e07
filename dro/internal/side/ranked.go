package side

import (
	"github.com/drotrain/drotrain/dro/internal/saddle"
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

// Over implements Ranked. Losses are to be ≥ 0.
func (p Protected) Over(rows *ranks.Rows) (saddle.Dual, bool) {
	p.rows = rows
	return p, true
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
