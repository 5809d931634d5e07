package design

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/internal/kernel"
)

// Sparse is a matrix of float64 in compressed rows: for row i only the entries value[k] in the columns column[k],
// for k in [start[i], start[i+1]), are stored, and operations only access these. It is efficient if few entries are
// nonzero, as for one-hot columns and word counts. Its methods panic if a slice is shorter than they need, or a row
// or column is out of range.
type Sparse struct {
	csr     kernel.CSR
	pairs   float64 // number of pairs of entries in the same row
	longest int     // number of entries of the longest row
	largest []float64
}

var _ Matrix = (*Sparse)(nil)

// NewSparse returns the matrix of n rows and d columns whose row i has the entries value[k] in the columns
// column[k], for k in [start[i], start[i+1]). start has n+1 entries and begins with 0. The columns of a row are
// strictly ascending and in [0, d). A row may be empty, and a stored value may be zero. The slices are not copied
// and must not be changed. Errors name the lengths, or the first invalid row and column.
func NewSparse(n, d int, start []int, column []int32, value []float64) (*Sparse, error) {
	if n < 0 || d < 0 || n == math.MaxInt || len(start) != n+1 {
		return nil, fmt.Errorf("design: %d row starts for %d rows × %d columns: one more start than rows is needed",
			len(start), n, d)
	}
	if start[0] != 0 {
		return nil, fmt.Errorf("design: row 0 starts at entry %d, not 0", start[0])
	}
	if len(column) != len(value) || start[n] != len(value) {
		return nil, fmt.Errorf("design: %d column numbers and %d values, but the last row ends at entry %d", len(column),
			len(value), start[n])
	}
	largest := make([]float64, d)
	for i := range n {
		lo, hi := start[i], start[i+1]
		if hi < lo || hi > len(value) {
			return nil, fmt.Errorf("design: row %d starts at entry %d and ends at %d of %d", i, lo, hi, len(value))
		}
		before := -1
		for k := lo; k < hi; k++ {
			j := int(column[k])
			if j < 0 || j >= d {
				return nil, fmt.Errorf("design: row %d has an entry in column %d, but there are %d columns", i, j, d)
			}
			if j <= before {
				return nil, fmt.Errorf("design: row %d has column %d after column %d: the columns of a row must ascend", i, j,
					before)
			}
			if v := value[k]; v-v != 0 {
				return nil, notFiniteError(i, j, v)
			}
			largest[j] = max(largest[j], math.Abs(value[k]))
			before = j
		}
	}
	return newSparse(kernel.CSR{D: d, Start: start, Column: column, Value: value}, largest), nil
}

func newSparse(csr kernel.CSR, largest []float64) *Sparse {
	m := &Sparse{csr: csr, largest: largest}
	for i, end := range csr.Start[1:] {
		k := end - csr.Start[i]
		m.pairs += float64(k) * float64(k+1) / 2
		m.longest = max(m.longest, k)
	}
	return m
}

// Dims implements Matrix.
func (m *Sparse) Dims() (n, d int) { return len(m.csr.Start) - 1, m.csr.D }

// Row returns the columns and values of the entries that row i stores. They must not be changed.
func (m *Sparse) Row(i int) (columns []int32, values []float64) {
	lo, hi := m.csr.Start[i], m.csr.Start[i+1]
	return m.csr.Column[lo:hi], m.csr.Value[lo:hi]
}

// MarginsTo implements Matrix.
func (m *Sparse) MarginsTo(dst, x []float64, lo, hi int) { m.csr.MarginsTo(dst, x, lo, hi) }

// AddRowsTo implements Matrix.
func (m *Sparse) AddRowsTo(dst, u, v []float64, lo, hi int) { m.csr.AddRowsTo(dst, u, v, lo, hi) }

// AddGramTo implements Matrix.
func (m *Sparse) AddGramTo(dst, w []float64, lo, hi int) { m.csr.AddGramTo(dst, w, lo, hi) }

// AddSquaresTo implements Matrix.
func (m *Sparse) AddSquaresTo(dst, w []float64, lo, hi int) { m.csr.AddSquaresTo(dst, w, lo, hi) }

// SquaredNormsTo implements Matrix.
func (m *Sparse) SquaredNormsTo(dst, scale []float64, lo, hi int) {
	m.csr.SquaredNormsTo(dst, scale, lo, hi)
}

// RowTo implements Matrix.
func (m *Sparse) RowTo(dst []float64, i int) {
	clear(dst[:m.csr.D])
	for k := m.csr.Start[i]; k < m.csr.Start[i+1]; k++ {
		dst[m.csr.Column[k]] = m.csr.Value[k]
	}
}

// Select implements Matrix.
func (m *Sparse) Select(rows []int) Matrix {
	from := &m.csr
	to := kernel.CSR{D: from.D, Start: make([]int, len(rows)+1)}
	for k, i := range rows {
		to.Start[k+1] = to.Start[k] + from.Start[i+1] - from.Start[i]
	}
	to.Column = make([]int32, to.Start[len(rows)])
	to.Value = make([]float64, len(to.Column))
	for k, i := range rows {
		copy(to.Column[to.Start[k]:], from.Column[from.Start[i]:from.Start[i+1]])
		copy(to.Value[to.Start[k]:], from.Value[from.Start[i]:from.Start[i+1]])
	}
	return newSparse(to, m.largest)
}

// Largest implements Matrix.
func (m *Sparse) Largest() []float64 { return m.largest }

// Terms implements Matrix.
func (m *Sparse) Terms() int { return m.longest }

// Bytes implements Matrix.
func (m *Sparse) Bytes() int64 {
	return 8*int64(len(m.csr.Start)) + 4*int64(len(m.csr.Column)) + 8*int64(len(m.csr.Value))
}

// Work implements Matrix. It counts pairs of entries, since rows of very different lengths have many more pairs
// than the number of entries suggests.
func (m *Sparse) Work() (pass, gram float64) {
	rows, entries := float64(len(m.csr.Start)-1), float64(len(m.csr.Value))
	return sparsePassRow*rows + sparsePass*entries, sparseGramRow*rows + sparseGram*m.pairs
}
