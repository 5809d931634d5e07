package design

import (
	"github.com/drotrain/drotrain/memory"
)

// A Mapped is a matrix whose entries are memory-mapped from an unnamed file. They are evicted from memory when the
// process approaches its memory limit, and are read again when needed. Its methods panic if a slice is shorter than
// they need, or a row or column is out of range.
type Mapped struct {
	Matrix // dense or sparse, with its slices in the arena
	arena  *memory.Arena
	memory int64 // maximum size in bytes of selected rows
	free   func()
}

// NewMapped returns a Mapped for m, whose slices are in the arena. Selected rows may take at most memory bytes.
// free releases the slices; it may be nil.
func NewMapped(m Matrix, arena *memory.Arena, memory int64, free func()) *Mapped {
	return &Mapped{Matrix: m, arena: arena, memory: memory, free: free}
}

// Free releases the entries. The matrix must not be used afterwards.
func (m *Mapped) Free() {
	if m.free != nil {
		m.free()
	}
}

// chunkBytes is the number of bytes read before the arena may evict its slices.
const chunkBytes = 1 << 20

// eachBlock calls do with consecutive parts of [lo, hi), each a multiple of the rows whose sums are taken together
// except the last.
func (m *Mapped) eachBlock(lo, hi int, do func(lo, hi int)) {
	n, _ := m.Dims()
	together := 16
	if _, ok := m.Matrix.(*grouped); ok {
		together = groupedRows
	}
	rows := max(together, int(chunkBytes/max(1, m.Bytes()/int64(max(1, n))))/together*together)
	for lo < hi {
		end := min(lo+rows, hi)
		do(lo, end)
		m.arena.Yield()
		lo = end
	}
}

// MarginsTo implements Matrix.
func (m *Mapped) MarginsTo(dst, x []float64, lo, hi int) {
	m.eachBlock(lo, hi, func(lo, hi int) { m.Matrix.MarginsTo(dst, x, lo, hi) })
}

// AddRowsTo implements Matrix.
func (m *Mapped) AddRowsTo(dst, u, v []float64, lo, hi int) {
	m.eachBlock(lo, hi, func(lo, hi int) { m.Matrix.AddRowsTo(dst, u, v, lo, hi) })
}

// AddGramTo implements Matrix.
func (m *Mapped) AddGramTo(dst, w []float64, lo, hi int) {
	m.eachBlock(lo, hi, func(lo, hi int) { m.Matrix.AddGramTo(dst, w, lo, hi) })
}

// AddSquaresTo implements Matrix.
func (m *Mapped) AddSquaresTo(dst, w []float64, lo, hi int) {
	m.eachBlock(lo, hi, func(lo, hi int) { m.Matrix.AddSquaresTo(dst, w, lo, hi) })
}

// SquaredNormsTo implements Matrix.
func (m *Mapped) SquaredNormsTo(dst, scale []float64, lo, hi int) {
	m.eachBlock(lo, hi, func(lo, hi int) { m.Matrix.SquaredNormsTo(dst, scale, lo, hi) })
}

// Arena returns the arena for vectors with one entry for each row.
func (m *Mapped) Arena() *memory.Arena { return m.arena }

// MaxSelected returns the maximum number of rows that Select accepts, which memory limits.
func (m *Mapped) MaxSelected() int {
	n, _ := m.Dims()
	return int(m.memory / max(1, m.Bytes()/int64(max(1, n))))
}

// Subset returns a copy of the given rows that is also memory-mapped and must be freed.
func (m *Mapped) Subset(rows []int) *Mapped {
	switch of := m.Matrix.(type) {
	case *Dense:
		x := copyRows(m.arena, of.x, of.d, rows)
		return NewMapped(&Dense{len(rows), of.d, x, of.largest}, m.arena, m.memory, func() { memory.Release(m.arena, x) })
	case *Dense32:
		x := copyRows(m.arena, of.x, of.d, rows)
		return NewMapped(&Dense32{len(rows), of.d, x, of.largest}, m.arena, m.memory, func() { memory.Release(m.arena, x) })
	case *grouped:
		base := NewMapped(of.base, m.arena, m.memory, nil).Subset(rows)
		return NewMapped(of.withRows(base.Matrix, rows), m.arena, m.memory, base.free)
	}
	return NewMapped(m.Select(rows), m.arena, m.memory, nil)
}
