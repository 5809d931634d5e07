package hunt

import (
	"sync/atomic"

	"github.com/drotrain/drotrain/design"
)

// counted counts the multiplications with entries of a matrix, as if it were dense, and
// those of the copies of some of its rows.
type counted struct {
	design.Matrix
	work *atomic.Int64
}

func (m counted) add(lo, hi int) {
	_, d := m.Dims()
	m.work.Add(int64(hi-lo) * int64(d))
}

func (m counted) MarginsTo(dst, x []float64, lo, hi int) {
	m.add(lo, hi)
	m.Matrix.MarginsTo(dst, x, lo, hi)
}

func (m counted) AddRowsTo(dst, u, v []float64, lo, hi int) {
	m.add(lo, hi)
	m.Matrix.AddRowsTo(dst, u, v, lo, hi)
}

func (m counted) AddChangeTo(dst, u, v, p, q []float64, lo, hi int) {
	m.add(lo, hi)
	m.Matrix.AddChangeTo(dst, u, v, p, q, lo, hi)
}

func (m counted) AddGramTo(dst, w []float64, lo, hi int) {
	_, d := m.Dims()
	m.work.Add(int64(hi-lo) * int64(d) * int64(d+1) / 2)
	m.Matrix.AddGramTo(dst, w, lo, hi)
}

func (m counted) AddSquaresTo(dst, w []float64, lo, hi int) {
	m.add(lo, hi)
	m.Matrix.AddSquaresTo(dst, w, lo, hi)
}

func (m counted) NormsTo(dst, scale []float64, lo, hi int) {
	m.add(lo, hi)
	m.Matrix.NormsTo(dst, scale, lo, hi)
}

// Centred implements design.Centrable.
func (m counted) Centred(kept int) (design.Matrix, []float64) {
	z, by := design.Centred(m.Matrix, kept)
	if z == nil {
		return nil, nil
	}
	return counted{z, m.work}, by
}

func (m counted) Select(rows []int) design.Matrix { return counted{m.Matrix.Select(rows), m.work} }
