package design

import (
	"errors"
	"fmt"

	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/memory"
)

// Rows describes the rows of a table that this process has, if several processes train together. Package train
// creates it; nil means that this process has all rows.
type Rows = interface {
	// LocalRange returns the range [lo, hi) of rows, out of n, that this process has.
	LocalRange(n int) (lo, hi int)
}

// A Sharded is a matrix whose rows are distributed over ranks. Methods must be called with rows of this rank; Select
// is a collective call. Its methods panic if a slice is shorter than they need, or a row or column is out of range.
type Sharded struct {
	rows    *ranks.Rows
	here    Matrix // rows [lo, hi), which begin at 0 in it
	n, d    int
	lo, hi  int
	largest []float64
	terms   int
	bytes   int64
	pass    float64
	gram    float64
	arena   *memory.Arena
}

var _ Matrix = (*Sharded)(nil)

// NewSharded returns the matrix of n rows of all ranks; here holds the rows of this rank. It is a collective call.
// It returns an error if package train did not create of.
func NewSharded(of Rows, n int, here Matrix) (*Sharded, error) {
	rows := ranks.RowsOf(of)
	if rows == nil {
		return nil, errors.New("design: a sharded matrix needs the rows of a training run on several ranks")
	}
	m := &Sharded{rows: rows, here: here, n: n, arena: memory.NewVirtual()}
	m.lo, m.hi = rows.LocalRange(n)
	var own int
	if own, m.d = here.Dims(); own != m.hi-m.lo {
		return nil, fmt.Errorf("design: %d rows were read, but %d are expected", own, m.hi-m.lo)
	}
	c := rows.Comm()
	m.largest = append([]float64(nil), here.Largest()...)
	c.Max(m.largest)
	most := []float64{float64(here.Terms())}
	c.Max(most)
	m.terms = int(most[0])
	pass, gram := here.Work()
	sums := []float64{float64(here.Bytes()), pass, gram} // dense rows yield whole numbers except for the last
	_, sparse := here.(*Sparse)
	if sparse {
		sums[0] -= 8 // the row starts have one more entry than there are rows
	}
	c.Sum(sums)
	m.bytes, m.pass, m.gram = int64(sums[0]), sums[1], sums[2]
	switch here.(type) {
	case *Dense:
		m.pass, m.gram = denseWork(n, m.d, densePass)
	case *Dense32:
		m.pass, m.gram = denseWork(n, m.d, dense32Pass)
	}
	return m, nil
}

// Rows returns the distribution of the rows over ranks.
func (m *Sharded) Rows() Rows { return m.rows }

// Arena returns the arena for vectors with one entry for each row, in which only entries of this rank occupy
// memory.
func (m *Sharded) Arena() *memory.Arena { return m.arena }

// MaxSelected returns the maximum number of rows that Select accepts. It does not depend on the number of ranks.
func (m *Sharded) MaxSelected() int {
	const (
		fewest  = 1 << 16
		entries = 1 << 27 // maximum size of the copies: one gigabyte
	)
	return min(m.n, max(fewest, m.n/64), max(1, entries/m.d))
}

// Dims implements Matrix.
func (m *Sharded) Dims() (n, d int) { return m.n, m.d }

// MarginsTo implements Matrix.
func (m *Sharded) MarginsTo(dst, x []float64, lo, hi int) {
	m.here.MarginsTo(dst[m.lo:m.hi], x, lo-m.lo, hi-m.lo)
}

// AddRowsTo implements Matrix.
func (m *Sharded) AddRowsTo(dst, u, v []float64, lo, hi int) {
	m.here.AddRowsTo(dst, u[m.lo:m.hi], v[m.lo:m.hi], lo-m.lo, hi-m.lo)
}

// AddGramTo implements Matrix.
func (m *Sharded) AddGramTo(dst, w []float64, lo, hi int) {
	m.here.AddGramTo(dst, w[m.lo:m.hi], lo-m.lo, hi-m.lo)
}

// AddSquaresTo implements Matrix.
func (m *Sharded) AddSquaresTo(dst, w []float64, lo, hi int) {
	m.here.AddSquaresTo(dst, w[m.lo:m.hi], lo-m.lo, hi-m.lo)
}

// SquaredNormsTo implements Matrix.
func (m *Sharded) SquaredNormsTo(dst, scale []float64, lo, hi int) {
	m.here.SquaredNormsTo(dst[m.lo:m.hi], scale, lo-m.lo, hi-m.lo)
}

// RowTo implements Matrix for rows of this rank.
func (m *Sharded) RowTo(dst []float64, i int) { m.here.RowTo(dst, i-m.lo) }

// Select implements Matrix. It is a collective call: every rank receives copies of all the selected rows.
func (m *Sharded) Select(rows []int) Matrix {
	copies, _ := m.SelectWith(rows, nil)
	return copies
}

// SelectWith works like Select, but also returns the entries of v at these rows. v has one entry for each row, or
// is nil.
func (m *Sharded) SelectWith(rows []int, v []float64) (copies Matrix, beside []float64) {
	c, width := m.rows.Comm(), m.d
	if v != nil {
		width++
	}
	place := make([]int, len(rows)) // index of each row in the order of the ranks
	ends := make([]int, c.Size())
	for r, at := 0, 0; r < len(ends); r++ {
		lo, hi := m.rows.Bounds(m.n, r)
		for k, i := range rows {
			if i >= lo && i < hi {
				place[k] = at
				at++
			}
		}
		ends[r] = at * width
	}
	all := make([]float64, len(rows)*width)
	for k, i := range rows {
		if i >= m.lo && i < m.hi {
			at := place[k] * width
			m.RowTo(all[at:at+m.d], i)
			if v != nil {
				all[at+m.d] = v[i]
			}
		}
	}
	c.Gather(all, ends)
	if v != nil {
		beside = make([]float64, len(rows))
		for k, p := range place {
			beside[k] = all[p*width+m.d]
		}
	}
	for k := range place {
		place[k] *= width
	}
	return gatherMatrix(m.here, all, place, m.d, m.largest), beside
}

// gatherMatrix returns a matrix of the same type as like. Its rows begin at the given indices of x.
func gatherMatrix(like Matrix, x []float64, place []int, d int, largest []float64) Matrix {
	switch like.(type) {
	case *Dense32:
		out := make([]float32, len(place)*d)
		for k, p := range place {
			for i, v := range x[p : p+d] {
				out[k*d+i] = float32(v)
			}
		}
		return &Dense32{len(place), d, out, largest}
	case *Sparse:
		csr := kernel.CSR{D: d, Start: make([]int, 1, len(place)+1)}
		for _, p := range place {
			for i, v := range x[p : p+d] {
				if v != 0 {
					csr.Column, csr.Value = append(csr.Column, int32(i)), append(csr.Value, v)
				}
			}
			csr.Start = append(csr.Start, len(csr.Column))
		}
		return newSparse(csr, largest)
	}
	out := make([]float64, len(place)*d)
	for k, p := range place {
		copy(out[k*d:(k+1)*d], x[p:p+d])
	}
	return &Dense{len(place), d, out, largest}
}

// Largest implements Matrix for the rows of all ranks.
func (m *Sharded) Largest() []float64 { return m.largest }

// Terms implements Matrix for the rows of all ranks.
func (m *Sharded) Terms() int { return m.terms }

// Bytes implements Matrix for the rows of all ranks.
func (m *Sharded) Bytes() int64 { return m.bytes }

// Work implements Matrix for the rows of all ranks.
func (m *Sharded) Work() (pass, gram float64) { return m.pass, m.gram }
