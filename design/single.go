package design

import (
	"math"

	"github.com/drotrain/drotrain/internal/shard"
)

// singleEnough is what rounding to single precision may be, at most, of the deviation of a column.
const singleEnough = 1e-5

// Single returns a copy of the given rows in single precision, in their order. It is nil where m
// is no [Dense] matrix, and where rounding would take more than a hundred thousandth of what
// tells the rows of m apart in some column, as of years in seconds.
func Single(m Matrix, rows []int) *Dense32 {
	dense, ok := m.(*Dense)
	if !ok || !dense.roundable() {
		return nil
	}
	d := dense.d
	x := make([]float32, len(rows)*d)
	shard.Run(len(rows), func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			to := x[k*d : (k+1)*d]
			for j, v := range dense.row(rows[k]) {
				to[j] = float32(v)
			}
		}
	})
	return &Dense32{len(rows), d, x, dense.largest}
}

// roundable compares, for every column, the root of the mean square of
// what rounding to single precision takes with that of the deviations from the mean.
func (m *Dense) roundable() bool {
	const sums = 3 // of deviations from the first row, of their squares, of the squares of what is taken
	for _, v := range m.largest {
		if v > math.MaxFloat32 {
			return false
		}
	}
	if m.n == 0 {
		return true
	}
	first := m.row(0)
	partials := shard.NewPartials(shard.Count(m.n), sums*m.d)
	partials.Clear()
	shard.Run(m.n, func(s, lo, hi int) {
		to := partials.Of(s)
		one, two, lost := to[:m.d], to[m.d:][:m.d], to[2*m.d:]
		for k := lo; k < hi; k++ {
			for j, v := range m.row(k) {
				off, left := v-first[j], v-float64(float32(v))
				one[j] += off
				two[j] += off * off
				lost[j] += left * left
			}
		}
	})
	sum := make([]float64, sums*m.d)
	partials.SumTo(sum)
	for j := range m.d {
		square := sum[m.d+j] - sum[j]*sum[j]/float64(m.n)
		if !(sum[2*m.d+j] <= singleEnough*singleEnough*square) {
			return false
		}
	}
	return true
}

// Between returns the rows from lo on and before hi, without a copy of them.
func (m *Dense32) Between(lo, hi int) *Dense32 {
	return &Dense32{hi - lo, m.d, m.x[lo*m.d : hi*m.d], m.largest}
}
