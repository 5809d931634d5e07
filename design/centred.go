package design

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/shard"
)

// nearShare is how near to one number all of a column are that is worth moving there, as a
// share of it: margins of such columns cancel by more than that.
const nearShare = 1.0 / 64

// Near returns an entry of v that all entries are near: within a 64th of it, so that their
// differences from it are exact. It reports false where there is none.
func Near(v []float64) (at float64, ok bool) {
	at = middle(slices.Clone(v[:min(len(v), centreSample)]))
	if at == 0 {
		return 0, false
	}
	for _, a := range v {
		if !near(a, at) {
			return 0, false
		}
	}
	return at, true
}

const centreSample = 64 // entries that are looked at first

func near(v, at float64) bool { return math.Abs(v-at) <= nearShare*math.Abs(at) }

// middle returns the median of v, one of its entries, and orders v.
func middle(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// Centred returns a copy of m with every column but the last kept ones moved to near zero
// that lies away from there, and by what the columns were moved, of length d: entries are
// exact, for they are within a 64th of that, which is one of them. It returns nil where no
// column is such, after a look at the first rows as a rule, or where the rows are not in
// memory.
func Centred(m Matrix, kept int) (moved Matrix, by []float64) {
	n, d := m.Dims()
	if n == 0 || kept >= d {
		return nil, nil
	}
	switch m.(type) {
	case *Dense, *Dense32, *Sparse:
	default:
		return nil, nil
	}
	first := make([]float64, min(n, centreSample)*d)
	for i := range len(first) / d {
		m.RowTo(first[i*d:(i+1)*d], i)
	}
	by = make([]float64, d)
	var columns []int
	entries := make([]float64, len(first)/d)
	for k := range d - kept {
		for i := range entries {
			entries[i] = first[i*d+k]
		}
		if at, ok := Near(entries); ok {
			by[k] = at
			columns = append(columns, k)
		}
	}
	if len(columns) == 0 {
		return nil, nil
	}
	switch m := m.(type) {
	case *Dense:
		if settle(columns, by, n, func(i, k int) float64 { return m.x[i*d+k] }) {
			x := slices.Clone(m.x)
			return &Dense{n, d, x, move(x, columns, by, n, d, m.largest)}, by
		}
	case *Dense32:
		if settle(columns, by, n, func(i, k int) float64 { return float64(m.x[i*d+k]) }) {
			x := slices.Clone(m.x)
			return &Dense32{n, d, x, move(x, columns, by, n, d, m.largest)}, by
		}
	case *Sparse:
		return m.centred(by)
	}
	return nil, nil
}

// settle clears those of by whose columns have an entry that is not near, and reports whether
// any are left.
func settle(columns []int, by []float64, n int, entry func(i, k int) float64) bool {
	var far [shard.Limit][]bool
	shard.Run(n, func(s, lo, hi int) {
		far[s] = make([]bool, len(columns))
		for i := lo; i < hi; i++ {
			for c, k := range columns {
				far[s][c] = far[s][c] || !near(entry(i, k), by[k])
			}
		}
	})
	left := false
	for c, k := range columns {
		for _, f := range far {
			if f != nil && f[c] {
				by[k] = 0
			}
		}
		left = left || by[k] != 0
	}
	return left
}

// move takes by from the columns of x and returns the largest entries then.
func move[T float32 | float64](x []T, columns []int, by []float64, n, d int, largest []float64) []float64 {
	var part [shard.Limit][]float64
	shard.Run(n, func(s, lo, hi int) {
		most := make([]float64, len(columns))
		for i := lo; i < hi; i++ {
			row := x[i*d : (i+1)*d]
			for c, k := range columns {
				row[k] -= T(by[k])
				most[c] = max(most[c], math.Abs(float64(row[k])))
			}
		}
		part[s] = most
	})
	largest = slices.Clone(largest)
	for c, k := range columns {
		largest[k] = 0
		for _, most := range part {
			if most != nil {
				largest[k] = max(largest[k], most[c])
			}
		}
	}
	return largest
}

// centred is Centred of columns without a zero that is not stored. Entries that become zero
// stay stored, but those of columns that all do.
func (m *Sparse) centred(by []float64) (Matrix, []float64) {
	n, d := m.Dims()
	count, most := make([]int, d), make([]float64, d)
	for e, k := range m.csr.Column {
		v := m.csr.Value[e]
		if by[k] != 0 && near(v, by[k]) {
			count[k]++
			most[k] = max(most[k], math.Abs(v-by[k]))
		}
	}
	left, largest := false, slices.Clone(m.largest)
	for k := range by {
		if by[k] == 0 || count[k] < n {
			by[k] = 0
			continue
		}
		left, largest[k] = true, most[k]
	}
	if !left {
		return nil, nil
	}
	to := kernel.CSR{D: d, Start: make([]int, 1, n+1)}
	for i := range n {
		for e := m.csr.Start[i]; e < m.csr.Start[i+1]; e++ {
			k := m.csr.Column[e]
			if by[k] != 0 && largest[k] == 0 {
				continue
			}
			to.Column, to.Value = append(to.Column, k), append(to.Value, m.csr.Value[e]-by[k])
		}
		to.Start = append(to.Start, len(to.Column))
	}
	return newSparse(to, largest), by
}
