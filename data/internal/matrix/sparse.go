package matrix

import (
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/memory"
)

// A sparse is a sink that builds a sparse matrix: it counts the entries of each row before it stores them.
type sparse struct {
	*plan
	arena  *memory.Arena
	rows   []int
	start  []int // row starts as in design.NewSparse; while counting, the number of entries of each row
	column []int32
	value  []float64
}

func (b *sparse) reset(rows []int) {
	b.rows, b.start = rows, makeZeros(b.arena, b.start, len(rows)+1)
}

// A rowReader reads the entries of rows of a sparse matrix, for a single goroutine.
type rowReader struct {
	*plan
	vectors []*table.SparseReader // one for each source; nil for numbers and categories
}

// newRowReader returns a reader of rows.
func (p *plan) newRowReader() *rowReader {
	r := &rowReader{p, make([]*table.SparseReader, len(p.sources))}
	for k, o := range p.sources {
		if o.Vector != nil {
			r.vectors[k] = o.Vector.Sparse.Reader()
		}
	}
	return r
}

// eachEntry calls entry with the column and value of each entry of a row. The row has index i in columns, which
// hold its numbers; if columns is nil, every number counts as an entry. Standardised numbers are always entries.
func (p *rowReader) eachEntry(columns [][]float64, i int32, row int, entry func(column int, value float64)) {
	j := 0
	for k, o := range p.sources {
		if x := o.Number; x != nil {
			v := 1.0
			if len(columns) > 0 {
				v = columns[j][i]
			}
			if !p.Zeros || v != 0 {
				entry(x.First, v)
			}
			j++
		} else if o.Vector != nil {
			o.Vector.each(p.vectors[k], row, entry)
		} else if c := o.Category.Get(row); c >= 2 {
			entry(o.Category.First+c-2, 1)
		}
	}
	if p.Intercept >= 0 {
		entry(p.Intercept, 1)
	}
}

// countEntries stores the number of entries of each row of a piece in start, and returns their total.
func (b *sparse) countEntries(p piece) (toAllocate int) {
	from := b.newRowReader()
	for k, place := range p.places {
		n := 0
		from.eachEntry(p.columns, p.rows[k], b.rows[place], func(int, float64) { n++ })
		b.start[place+1] = n
		toAllocate += n
	}
	return toAllocate
}

func (b *sparse) bytes(entries int) int64 { return 12 * int64(entries) }

func (b *sparse) allocate(entries int) {
	for i := range b.rows {
		b.start[i+1] += b.start[i]
	}
	b.column, b.value = makeZeros(b.arena, b.column, entries), makeZeros(b.arena, b.value, entries)
}

func (b *sparse) put(p piece) {
	from := b.newRowReader()
	for k, place := range p.places {
		at, i := b.start[place], p.rows[k]
		from.eachEntry(p.columns, i, b.rows[place], func(column int, value float64) {
			b.column[at], b.value[at] = int32(column), value
			at++
		})
	}
}

// addCategories implements sink.
func (b *sparse) addCategories(lo, hi int) {}

func (b *sparse) copyFrom(from sink, lo int) {
	part := from.(*sparse)
	at := b.start[lo]
	for i, end := range part.start[1:] {
		b.start[lo+i+1] = at + end
	}
	copy(b.column[at:], part.column)
	copy(b.value[at:], part.value)
}

func (b *sparse) matrix() (design.Matrix, error) {
	return design.NewSparse(len(b.rows), b.Width, b.start, b.column, b.value)
}

func (b *sparse) release() {
	memory.Release(b.arena, b.start)
	memory.Release(b.arena, b.column)
	memory.Release(b.arena, b.value)
}
