package design

import "slices"

// A blockwise is the methods of a Matrix whose rows are at hand block by block.
type blockwise struct{ of inBlocks }

type inBlocks interface {
	// each calls do with the rows of [lo, hi) block by block: lo and hi count within what it
	// is given, whose row 0 is row base of the matrix.
	each(lo, hi int, do func(rows Matrix, base, lo, hi int))

	// blockEnd is the row after the last of the block that row i is in.
	blockEnd(i int) int
}

// MarginsTo implements Matrix.
func (m blockwise) MarginsTo(dst, x []float64, lo, hi int) {
	m.of.each(lo, hi, func(rows Matrix, base, lo, hi int) { rows.MarginsTo(dst[base:], x, lo, hi) })
}

// AddRowsTo implements Matrix.
func (m blockwise) AddRowsTo(dst, u, v []float64, lo, hi int) {
	m.of.each(lo, hi, func(rows Matrix, base, lo, hi int) { rows.AddRowsTo(dst, u[base:], v[base:], lo, hi) })
}

// AddChangeTo implements Matrix.
func (m blockwise) AddChangeTo(dst, u, v, p, q []float64, lo, hi int) {
	m.of.each(lo, hi, func(rows Matrix, base, lo, hi int) {
		rows.AddChangeTo(dst, u[base:], v[base:], p[base:], q[base:], lo, hi)
	})
}

// AddGramTo implements Matrix. Blocks without weight are not read.
func (m blockwise) AddGramTo(dst, w []float64, lo, hi int) {
	m.weighed(w, lo, hi, func(rows Matrix, base, lo, hi int) { rows.AddGramTo(dst, w[base:], lo, hi) })
}

// AddSquaresTo implements Matrix. Blocks without weight are not read.
func (m blockwise) AddSquaresTo(dst, w []float64, lo, hi int) {
	m.weighed(w, lo, hi, func(rows Matrix, base, lo, hi int) { rows.AddSquaresTo(dst, w[base:], lo, hi) })
}

// weighed is each of the blocks that have a weight in [lo, hi).
func (m blockwise) weighed(w []float64, lo, hi int, do func(rows Matrix, base, lo, hi int)) {
	for lo < hi {
		end := min(hi, m.of.blockEnd(lo))
		if slices.ContainsFunc(w[lo:end], func(v float64) bool { return v != 0 }) {
			m.of.each(lo, end, do)
		}
		lo = end
	}
}

// NormsTo implements Matrix.
func (m blockwise) NormsTo(dst, scale []float64, lo, hi int) {
	m.of.each(lo, hi, func(rows Matrix, base, lo, hi int) { rows.NormsTo(dst[base:], scale, lo, hi) })
}
