package design

import "github.com/drotrain/drotrain/internal/kernel"

// manyRows are so few that the rows stay in a cache while one vector after the other meets them.
const manyRows = 64

// ManyMarginsTo stores ⟨Z[i], x[k]⟩ in dst[k][i], for every k, for the rows i in [lo, hi):
// MarginsTo of several vectors in one reading of the rows. Of a [Dense] matrix it takes a
// fifth of the time, of a [Dense32] one half of that, with products in single precision: six
// digits are right, of estimates. Of others it takes about as long as one by one.
func ManyMarginsTo(m Matrix, dst, x [][]float64, lo, hi int) {
	switch m := m.(type) {
	case *Dense:
		kernel.ManyMarginsTo(dst, m.x, m.d, x, lo, hi)
		return
	case *Dense32:
		kernel.ManyMargins32To(dst, m.x, m.d, x, lo, hi)
		return
	}
	for ; lo < hi; lo += manyRows {
		for k := range x {
			m.MarginsTo(dst[k], x[k], lo, min(lo+manyRows, hi))
		}
	}
}

// ManyAddRowsTo adds Σ_i u[k][i]·v[k][i]·Z[i] over [lo, hi) to dst[k], for every k: AddRowsTo
// of several weights in one reading of the rows, as ManyMarginsTo is of MarginsTo.
func ManyAddRowsTo(m Matrix, dst, u, v [][]float64, lo, hi int) {
	switch m := m.(type) {
	case *Dense:
		kernel.ManyAddRowsTo(dst, m.x, m.d, u, v, lo, hi)
		return
	case *Dense32:
		kernel.ManyAddRows32To(dst, m.x, m.d, u, v, lo, hi)
		return
	}
	for ; lo < hi; lo += manyRows {
		for k := range u {
			m.AddRowsTo(dst[k], u[k], v[k], lo, min(lo+manyRows, hi))
		}
	}
}
