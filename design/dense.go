package design

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/memory"
)

// Dense is a row-major matrix of float64: Z[i] is X[i·d : (i+1)·d]. Its methods panic if a slice is shorter than they
// need, or a row or column is out of range.
type Dense struct {
	n, d    int
	x       []float64
	largest []float64
}

var _ Matrix = (*Dense)(nil)

// NewDense returns the matrix of n rows and d columns with the entries x, row after row. The slice is not copied
// and must not be changed. Errors name the shape, or the first entry that is not finite.
func NewDense(n, d int, x []float64) (*Dense, error) {
	if err := checkShape(n, d, len(x)); err != nil {
		return nil, err
	}
	largest, err := largestByColumn(n, d, x)
	if err != nil {
		return nil, err
	}
	return &Dense{n, d, x, largest}, nil
}

// largestByColumn returns the largest |x| in every column of n rows, or an error that names the first entry that is
// not finite.
func largestByColumn[T float32 | float64](n, d int, x []T) ([]float64, error) {
	if d == 0 { // there is nothing to visit, however many rows there are
		return []float64{}, nil
	}
	part := make([][]uint64, shard.Limit) // bits of |x|, which have the order of the numbers, with NaN above all
	shard.Run(n, func(s, lo, hi int) {
		most := make([]uint64, d)
		for ; lo < hi; lo++ {
			for k, v := range x[lo*d : (lo+1)*d] {
				most[k] = max(most[k], math.Float64bits(float64(v))&^(1<<63))
			}
		}
		part[s] = most
	})
	largest := make([]float64, d)
	for k := range largest {
		var most uint64
		for _, p := range part {
			if p != nil {
				most = max(most, p[k])
			}
		}
		largest[k] = math.Float64frombits(most)
	}
	for _, v := range largest {
		if v-v != 0 {
			for i, v := range x {
				if v-v != 0 {
					return nil, notFiniteError(i/d, i%d, float64(v))
				}
			}
		}
	}
	return largest, nil
}

func checkShape(n, d, entries int) error {
	if n < 0 || d < 0 || d != 0 && n > math.MaxInt/d || entries != n*d {
		return fmt.Errorf("design: %d entries for %d rows × %d columns", entries, n, d)
	}
	return nil
}

func notFiniteError(row, column int, v float64) error {
	return fmt.Errorf("design: the entry at row %d, column %d is %v; it must be finite", row, column, v)
}

// Dims implements Matrix.
func (m *Dense) Dims() (n, d int) { return m.n, m.d }

// MarginsTo implements Matrix.
func (m *Dense) MarginsTo(dst, x []float64, lo, hi int) {
	kernel.MarginsTo(dst, m.x, m.d, x, lo, hi)
}

// AddRowsTo implements Matrix.
func (m *Dense) AddRowsTo(dst, u, v []float64, lo, hi int) {
	kernel.AddRowsTo(dst, m.x, m.d, u, v, lo, hi)
}

// AddGramTo implements Matrix.
func (m *Dense) AddGramTo(dst, w []float64, lo, hi int) {
	kernel.AddGramTo(dst, m.x, m.d, w, lo, hi)
}

// AddSquaresTo implements Matrix.
func (m *Dense) AddSquaresTo(dst, w []float64, lo, hi int) { addSquares(dst[:m.d], m.x, w, lo, hi) }

// addSquares adds the weighted squares of the rows [lo, hi) of x to dst, four rows at a time.
func addSquares[T float32 | float64](dst []float64, x []T, w []float64, lo, hi int) {
	d := len(dst)
	for ; lo+4 <= hi; lo += 4 {
		w0, w1, w2, w3 := w[lo], w[lo+1], w[lo+2], w[lo+3]
		if w0 == 0 && w1 == 0 && w2 == 0 && w3 == 0 {
			continue
		}
		rows := x[lo*d : (lo+4)*d]
		r0, r1, r2, r3 := rows[:d], rows[d:][:d], rows[2*d:][:d], rows[3*d:][:d]
		for k := range dst {
			v0, v1, v2, v3 := float64(r0[k]), float64(r1[k]), float64(r2[k]), float64(r3[k])
			dst[k] += (w0*v0*v0 + w1*v1*v1) + (w2*v2*v2 + w3*v3*v3)
		}
	}
	for ; lo < hi; lo++ {
		for k, v := range x[lo*d : (lo+1)*d] {
			dst[k] += w[lo] * float64(v) * float64(v)
		}
	}
}

// SquaredNormsTo implements Matrix.
func (m *Dense) SquaredNormsTo(dst, scale []float64, lo, hi int) {
	rowNorms(dst, m.x, scale[:m.d], lo, hi)
}

// rowNorms computes the scaled squared norms of the rows [lo, hi) of x, four rows at a time.
func rowNorms[T float32 | float64](dst []float64, x []T, scale []float64, lo, hi int) {
	d := len(scale)
	for ; lo+4 <= hi; lo += 4 {
		rows := x[lo*d : (lo+4)*d]
		r0, r1, r2, r3 := rows[:d], rows[d:][:d], rows[2*d:][:d], rows[3*d:][:d]
		var s0, s1, s2, s3 float64
		for k, a := range scale {
			v0, v1, v2, v3 := float64(r0[k]), float64(r1[k]), float64(r2[k]), float64(r3[k])
			s0 += a * v0 * v0
			s1 += a * v1 * v1
			s2 += a * v2 * v2
			s3 += a * v3 * v3
		}
		dst[lo], dst[lo+1], dst[lo+2], dst[lo+3] = s0, s1, s2, s3
	}
	for ; lo < hi; lo++ {
		s := 0.0
		for k, v := range x[lo*d : (lo+1)*d] {
			s += scale[k] * float64(v) * float64(v)
		}
		dst[lo] = s
	}
}

// RowTo implements Matrix.
func (m *Dense) RowTo(dst []float64, i int) { copy(dst, m.row(i)) }

// Select implements Matrix.
func (m *Dense) Select(rows []int) Matrix {
	x := copyRows(nil, m.x, m.d, rows)
	return &Dense{len(rows), m.d, x, m.largest}
}

// copyRows returns a copy of the given rows, allocated in arena.
func copyRows[T float32 | float64](arena *memory.Arena, x []T, d int, rows []int) []T {
	out := memory.Make[T](arena, len(rows)*d)
	shard.Run(len(rows), func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			copy(out[k*d:(k+1)*d], x[rows[k]*d:])
		}
	})
	return out
}

// Largest implements Matrix.
func (m *Dense) Largest() []float64 { return m.largest }

// Terms implements Matrix.
func (m *Dense) Terms() int { return m.d }

// Bytes implements Matrix.
func (m *Dense) Bytes() int64 { return 8 * int64(len(m.x)) }

// Work implements Matrix.
func (m *Dense) Work() (pass, gram float64) { return denseWork(m.n, m.d, densePass) }

func denseWork(n, d int, entry float64) (pass, gram float64) {
	entries := float64(n) * float64(d)
	return entry * entries, denseGram * entries * float64(d+1) / 2
}

func (m *Dense) row(i int) []float64 { return m.x[i*m.d : (i+1)*m.d] }
