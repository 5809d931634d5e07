package design

import (
	"github.com/drotrain/drotrain/internal/kernel"
)

// Dense32 is a row-major matrix of float32, which takes half the memory and half the memory bandwidth of [Dense].
// Only the entries are in single precision: products and sums are float64, and certificates refer to the problem
// with the rounded entries. Its methods panic if a slice is shorter than they need, or a row or column is out of
// range.
type Dense32 struct {
	n, d    int
	x       []float32
	largest []float64
}

var _ Matrix = (*Dense32)(nil)

// NewDense32 returns the matrix of n rows and d columns with the entries x, row after row. The slice is not copied
// and must not be changed. Errors name the shape, or the first entry that is not finite, such as a float64 value
// beyond ±3.4e38 that was converted.
func NewDense32(n, d int, x []float32) (*Dense32, error) {
	if err := checkShape(n, d, len(x)); err != nil {
		return nil, err
	}
	largest, err := largestByColumn(n, d, x)
	if err != nil {
		return nil, err
	}
	return &Dense32{n, d, x, largest}, nil
}

// Dims implements Matrix.
func (m *Dense32) Dims() (n, d int) { return m.n, m.d }

// MarginsTo implements Matrix.
func (m *Dense32) MarginsTo(dst, x []float64, lo, hi int) {
	kernel.Margins32To(dst, m.x, m.d, x, lo, hi)
}

// AddRowsTo implements Matrix.
func (m *Dense32) AddRowsTo(dst, u, v []float64, lo, hi int) {
	kernel.AddRows32To(dst, m.x, m.d, u, v, lo, hi)
}

// AddGramTo implements Matrix.
func (m *Dense32) AddGramTo(dst, w []float64, lo, hi int) {
	kernel.AddGram32To(dst, m.x, m.d, w, lo, hi)
}

// AddSquaresTo implements Matrix.
func (m *Dense32) AddSquaresTo(dst, w []float64, lo, hi int) { addSquares(dst[:m.d], m.x, w, lo, hi) }

// SquaredNormsTo implements Matrix.
func (m *Dense32) SquaredNormsTo(dst, scale []float64, lo, hi int) {
	rowNorms(dst, m.x, scale[:m.d], lo, hi)
}

// RowTo implements Matrix.
func (m *Dense32) RowTo(dst []float64, i int) {
	for k, v := range m.row(i) {
		dst[k] = float64(v)
	}
}

// Select implements Matrix.
func (m *Dense32) Select(rows []int) Matrix {
	x := copyRows(nil, m.x, m.d, rows)
	return &Dense32{len(rows), m.d, x, m.largest}
}

// Largest implements Matrix.
func (m *Dense32) Largest() []float64 { return m.largest }

// Terms implements Matrix.
func (m *Dense32) Terms() int { return m.d }

// Bytes implements Matrix.
func (m *Dense32) Bytes() int64 { return 4 * int64(len(m.x)) }

// Work implements Matrix.
func (m *Dense32) Work() (pass, gram float64) { return denseWork(m.n, m.d, dense32Pass) }

func (m *Dense32) row(i int) []float32 { return m.x[i*m.d : (i+1)*m.d] }
