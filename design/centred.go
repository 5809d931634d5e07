package design

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/memory"
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
	if !AllNear(v, at) {
		return 0, false
	}
	return at, true
}

// AllNear reports that all entries of v are near at, as Near says it.
func AllNear(v []float64, at float64) bool {
	return !slices.ContainsFunc(v, func(a float64) bool { return !near(a, at) })
}

const centreSample = 64 // entries that are looked at first

func near(v, at float64) bool { return math.Abs(v-at) <= nearShare*math.Abs(at) }

// middle returns the median of v, one of its entries, and orders v.
func middle(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// Centred returns m with every column but the last kept ones moved to near zero that lies away
// from there, and by what the columns were moved, of length d: entries are exact, for they are
// within a 64th of that, which is one of them. It returns nil where no column is such, after
// a look at the first rows as a rule. Rows are copied, on disk to the same disk and once for all
// solves, and of rows that lie with several ranks each moves its own, a collective
// call. A Matrix that wraps another has to say what it makes of that (Centrable); of others
// nothing is known.
func Centred(m Matrix, kept int) (moved Matrix, by []float64) {
	n, d := m.Dims()
	if n == 0 {
		return nil, nil
	}
	switch m := m.(type) {
	case Centrable:
		return m.Centred(kept)
	case *Dense, *Dense32, *Sparse:
		by = centres(m, d-kept)
		least, most := spans(m, by)
		return movedBy(m, by, least, most, nil, nil)
	case *Mapped:
		return m.centred(kept)
	case *Sharded:
		return m.centred(kept)
	}
	return nil, nil
}

// Centrable is the ability of a Matrix that is not of this package to be moved: as Centred.
type Centrable interface {
	Centred(kept int) (moved Matrix, by []float64)
}

// centres returns entries that the first of the columns are near to in the first rows, 0 where
// there are none, of length d.
func centres(m Matrix, columns int) []float64 {
	n, d := m.Dims()
	by := make([]float64, d)
	first := make([]float64, min(n, centreSample)*d)
	entries := make([]float64, len(first)/d)
	for i := range entries {
		m.RowTo(first[i*d:(i+1)*d], i)
	}
	for k := range columns {
		for i := range entries {
			entries[i] = first[i*d+k]
		}
		if at, ok := Near(entries); ok {
			by[k] = at
		}
	}
	return by
}

// spans returns the least and the largest entry of every column that has a centre.
func spans(m Matrix, by []float64) (least, most []float64) {
	n, d := m.Dims()
	least, most = make([]float64, d), make([]float64, d)
	if !slices.ContainsFunc(by, func(v float64) bool { return v != 0 }) {
		return least, most
	}
	var parts [shard.Limit]*span
	shard.Run(n, func(s, lo, hi int) {
		parts[s] = newSpan(by)
		parts[s].add(m, lo, hi)
	})
	all := newSpan(by)
	for _, p := range parts {
		if p != nil {
			for c := range all.columns {
				all.least[c], all.most[c] = min(all.least[c], p.least[c]), max(all.most[c], p.most[c])
			}
		}
	}
	for c, k := range all.columns {
		least[k], most[k] = all.least[c], all.most[c]
	}
	return least, most
}

// A span is the least and the largest entry of some columns.
type span struct {
	columns     []int
	place       []int // by column of the matrix: in columns, or −1
	least, most []float64
}

func newSpan(by []float64) *span {
	p := &span{place: make([]int, len(by))}
	for k, v := range by {
		if p.place[k] = -1; v != 0 {
			p.place[k] = len(p.columns)
			p.columns = append(p.columns, k)
			p.least, p.most = append(p.least, math.Inf(1)), append(p.most, math.Inf(-1))
		}
	}
	return p
}

func (p *span) entry(c int, v float64) { p.least[c], p.most[c] = min(p.least[c], v), max(p.most[c], v) }

func (p *span) add(m Matrix, lo, hi int) {
	switch m := m.(type) {
	case *Dense:
		spanOf(p, m.x, m.d, lo, hi)
	case *Dense32:
		spanOf(p, m.x, m.d, lo, hi)
	case *Sparse:
		count := make([]int, len(p.columns))
		for e := m.csr.Start[lo]; e < m.csr.Start[hi]; e++ {
			if c := p.place[m.csr.Column[e]]; c >= 0 {
				count[c]++
				p.entry(c, m.csr.Value[e])
			}
		}
		for c, stored := range count {
			if stored < hi-lo {
				p.entry(c, 0)
			}
		}
	}
}

func spanOf[T float32 | float64](p *span, x []T, d, lo, hi int) {
	for i := lo; i < hi; i++ {
		row := x[i*d : (i+1)*d]
		for c, k := range p.columns {
			p.entry(c, float64(row[k]))
		}
	}
}

// movedBy returns m with its columns moved by by, from which the columns are cleared whose
// entries are not all near; nil, and no by, where none are. A copy lies in the arena; copied,
// unless it is nil, is then a function that gives it back.
func movedBy(m Matrix, by, least, most []float64, arena *memory.Arena, copied *func()) (Matrix, []float64) {
	largest, left := slices.Clone(m.Largest()), false
	for k, at := range by {
		switch {
		case at == 0:
		case !near(least[k], at) || !near(most[k], at):
			by[k] = 0
		default:
			largest[k], left = max(math.Abs(least[k]-at), math.Abs(most[k]-at)), true
		}
	}
	if !left {
		return nil, nil
	}
	n, d := m.Dims()
	switch m := m.(type) {
	case *Dense:
		return &Dense{n, d, movedCopy(arena, copied, m.x, by), largest}, by
	case *Dense32:
		return &Dense32{n, d, movedCopy(arena, copied, m.x, by), largest}, by
	case *Sparse:
		return m.movedBy(by, largest), by
	}
	return nil, nil
}

// movedCopy returns rows with by taken from them.
func movedCopy[T float32 | float64](arena *memory.Arena, copied *func(), x []T, by []float64) []T {
	out := memory.Make[T](arena, len(x))
	d := len(by)
	shard.Run(len(x)/d, func(_, lo, hi int) {
		copy(out[lo*d:hi*d], x[lo*d:hi*d])
		move(out[lo*d:hi*d], by)
	})
	if copied != nil {
		*copied = func() { memory.Release(arena, out) }
	}
	return out
}

// move takes by from rows.
func move[T float32 | float64](x []T, by []float64) {
	for k, at := range by {
		if at != 0 {
			for i := k; i < len(x); i += len(by) {
				x[i] -= T(at)
			}
		}
	}
}

// movedBy returns a copy with by taken from the entries, all of which are stored. Those that
// become zero stay stored, but those of columns that all do.
func (m *Sparse) movedBy(by, largest []float64) Matrix {
	n, d := m.Dims()
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
	return newSparse(to, largest)
}

// centred works like Centred of rows that lie with several ranks: by the centres of the first rows.
func (m *Sharded) centred(kept int) (Matrix, []float64) {
	switch m.here.(type) {
	case *Dense, *Dense32, *Sparse:
	default:
		return nil, nil
	}
	c := m.rows.Comm()
	by := make([]float64, m.d)
	if m.lo == 0 && m.hi > 0 {
		by = centres(m.here, m.d-kept)
	}
	c.Sum(by) // zeros of all others
	if !slices.ContainsFunc(by, func(v float64) bool { return v != 0 }) {
		return nil, nil
	}
	least, most := spans(m.here, by)
	for k := range least {
		least[k] = -least[k]
	}
	c.Max(least)
	c.Max(most)
	for k := range least {
		least[k] = -least[k]
	}
	here, by := movedBy(m.here, by, least, most, nil, nil)
	if here == nil {
		return nil, nil
	}
	moved, err := NewSharded(m.rows, m.n, here)
	if err != nil {
		panic(err) // the rows are as many
	}
	return moved, by
}
