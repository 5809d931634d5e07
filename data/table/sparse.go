package table

import (
	"fmt"
	"sort"
)

// A Sparse holds a column of sparse vectors: for each row, the entries that its file lists, in ascending order of
// their indices, which are counted from 0. Every other entry is 0. Its methods panic if a row is out of range.
type Sparse struct {
	Width  int // greater than the largest index of an entry
	blocks []sparseBlock
	rows   int
}

// A sparseBlock holds the entries of consecutive rows.
type sparseBlock struct {
	first int   // index of its first row
	start []int // index of the first entry of each row, followed by the total number of entries
	index []int32
	value []float64
}

// entriesOfBlock is the number of entries after which a builder starts a new block, so that entries are never
// copied to grow a slice.
const entriesOfBlock = 1 << 16

// Rows returns the number of rows.
func (s *Sparse) Rows() int { return s.rows }

// Entries returns the total number of entries.
func (s *Sparse) Entries() (n int) {
	for _, b := range s.blocks {
		n += b.start[len(b.start)-1] - b.start[0]
	}
	return n
}

// Row returns the indices and the values of the entries of row i. They must not be changed.
func (s *Sparse) Row(i int) (index []int32, value []float64) {
	k := sort.Search(len(s.blocks), func(k int) bool { return s.blocks[k].first > i }) - 1
	b := &s.blocks[k]
	from, to := b.start[i-b.first], b.start[i-b.first+1]
	return b.index[from:to], b.value[from:to]
}

// Slice returns the rows [lo, hi) without copying their entries.
func (s *Sparse) Slice(lo, hi int) *Sparse {
	out := &Sparse{Width: s.Width, rows: hi - lo}
	for _, b := range s.blocks {
		from, to := max(lo-b.first, 0), min(hi-b.first, len(b.start)-1)
		if from < to {
			out.blocks = append(out.blocks, sparseBlock{b.first + from - lo, b.start[from : to+1], b.index, b.value})
		}
	}
	return out
}

// JoinSparse returns the rows of all parts, in order, without copying their entries. Its width is the largest width
// of a part.
func JoinSparse(parts []*Sparse) *Sparse {
	out := &Sparse{}
	for _, p := range parts {
		for _, b := range p.blocks {
			b.first += out.rows
			out.blocks = append(out.blocks, b)
		}
		out.rows += p.rows
		out.Width = max(out.Width, p.Width)
	}
	return out
}

// A SparseBuilder builds a Sparse row by row. Its methods panic unless BeginRow has been called.
type SparseBuilder struct {
	all  Sparse
	last *sparseBlock
}

// BeginRow begins the next row.
func (b *SparseBuilder) BeginRow() {
	if b.last == nil || len(b.last.index) >= entriesOfBlock {
		b.all.blocks = append(b.all.blocks, sparseBlock{first: b.all.rows, start: []int{0}})
		b.last = &b.all.blocks[len(b.all.blocks)-1]
	}
	b.last.start = append(b.last.start, len(b.last.index))
	b.all.rows++
}

// Add appends an entry to the current row. Its index must be larger than those of the preceding entries.
func (b *SparseBuilder) Add(index int32, value float64) {
	b.last.index, b.last.value = append(b.last.index, index), append(b.last.value, value)
	b.last.start[len(b.last.start)-1]++
	b.all.Width = max(b.all.Width, int(index)+1)
}

// Widen sets the width of the vectors to at least the given width.
func (b *SparseBuilder) Widen(width int) { b.all.Width = max(b.all.Width, width) }

// Bytes returns the memory in bytes that the entries take.
func (b *SparseBuilder) Bytes() (n int64) {
	for _, k := range b.all.blocks {
		n += 8*int64(cap(k.start)) + 4*int64(cap(k.index)) + 8*int64(cap(k.value))
	}
	return n
}

// Sparse returns the vectors.
func (b *SparseBuilder) Sparse() *Sparse { return &b.all }

// checkScalar returns an error if the column holds vectors, so that it has no single value for each row.
func (c *Column) checkScalar() error {
	if c.Kind != Vector {
		return nil
	}
	return &Error{Column: c.Name, Msg: fmt.Sprintf("a column of type %s can only be a feature", c.Type)}
}
