package table

import (
	"fmt"
	"io"
	"slices"
	"sort"
	"unsafe"
)

// A Sparse holds a column of sparse vectors: for each row, the entries that its file lists, in ascending order of
// their indices, which are counted from 0. Every other entry is 0. The entries are in memory or, after
// [SparseBuilder.Store], in a file. Its methods panic if a row is out of range.
type Sparse struct {
	Width  int  // greater than the largest index of an entry
	AtZero bool // whether an entry is at index 0
	blocks []sparseBlock
	rows   int
}

// A sparseBlock holds the entries of consecutive rows.
type sparseBlock struct {
	first int      // index of its first row
	start []uint32 // index of the first entry of each row, followed by the index after the last entry
	index []int32
	value []float64

	from io.ReaderAt // the file that holds index and value instead; nil if they are in memory
	at   int64       // offset of the indices, which the values follow
	size int         // number of entries in the file
}

// entriesOfBlock is the number of entries after which a builder starts a new block, so that entries are never
// copied to grow a slice.
const entriesOfBlock = 1 << 16

// entries returns the number of entries of the rows of the block.
func (b *sparseBlock) entries() int { return int(b.start[len(b.start)-1] - b.start[0]) }

// rows returns the number of rows.
func (b *sparseBlock) rows() int { return len(b.start) - 1 }

// Rows returns the number of rows.
func (s *Sparse) Rows() int { return s.rows }

// Entries returns the total number of entries.
func (s *Sparse) Entries() (n int) {
	for _, b := range s.blocks {
		n += b.entries()
	}
	return n
}

// HeldEntries returns the number of entries that are in memory.
func (s *Sparse) HeldEntries() (n int) {
	for _, b := range s.blocks {
		if b.from == nil {
			n += b.entries()
		}
	}
	return n
}

// Slice returns the rows [lo, hi) without copying or reading their entries. Width and AtZero remain those of all rows.
func (s *Sparse) Slice(lo, hi int) *Sparse {
	out := &Sparse{Width: s.Width, AtZero: s.AtZero, rows: hi - lo}
	for _, b := range s.blocks {
		from, to := max(lo-b.first, 0), min(hi-b.first, b.rows())
		if from < to {
			b.first, b.start = b.first+from-lo, b.start[from:to+1]
			out.blocks = append(out.blocks, b)
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
		out.Width, out.AtZero = max(out.Width, p.Width), out.AtZero || p.AtZero
	}
	return out
}

// Reader returns a reader of the rows. Several readers can be used concurrently.
func (s *Sparse) Reader() *SparseReader { return &SparseReader{vectors: s} }

// A SparseReader reads the rows of a Sparse in any order; ascending order is the fastest. It is not safe for
// concurrent use.
type SparseReader struct {
	vectors *Sparse
	block   int    // block of the latest row
	lo, hi  int    // rows that were read from a file into index and value
	begin   uint32 // index in the block of the first of these entries
	ahead   uint32 // number of entries to read ahead
	index   []int32
	value   []float64
}

// Bounds of reading ahead in a file.
const (
	leastAhead  = 1 << 6  // number of entries that are read ahead at first
	mostAhead   = 1 << 14 // maximum number of entries that are read ahead
	skippedRows = 16      // maximum number of rows that may be skipped in ascending order
)

// Row returns the indices and the values of the entries of row i. They must not be changed, and are valid until the
// next call. It panics with an [*Error] if the file with the entries cannot be read; see [Catch].
func (r *SparseReader) Row(i int) (index []int32, value []float64) {
	blocks := r.vectors.blocks
	b := &blocks[r.block]
	if i < b.first || i >= b.first+b.rows() {
		r.block = sort.Search(len(blocks), func(k int) bool { return blocks[k].first > i }) - 1
		b = &blocks[r.block]
	}
	from, to := b.start[i-b.first], b.start[i-b.first+1]
	if b.from == nil {
		return b.index[from:to], b.value[from:to]
	}
	if i < r.lo || i >= r.hi {
		r.read(b, i)
	}
	return r.index[from-r.begin : to-r.begin], r.value[from-r.begin : to-r.begin]
}

// read reads row i of a block from its file, and further rows if the rows are read in ascending order. It panics like
// Row.
func (r *SparseReader) read(b *sparseBlock, i int) {
	if i >= r.hi && i <= r.hi+skippedRows {
		r.ahead = min(max(2*r.ahead, leastAhead), mostAhead)
	} else {
		r.ahead = 0
	}
	first := i - b.first
	end := first + 1
	for end < b.rows() && b.start[end+1]-b.start[first] <= r.ahead {
		end++
	}
	r.lo, r.hi, r.begin = i, b.first+end, b.start[first]
	n := int(b.start[end] - r.begin)
	if cap(r.index) < n {
		r.index, r.value = make([]int32, n, n+n/4), make([]float64, n, n+n/4)
	}
	r.index, r.value = r.index[:n], r.value[:n]
	err := ReadFull(b.from, bytesOfInts(r.index), b.at+4*int64(r.begin))
	if err == nil {
		err = ReadFull(b.from, bytesOfDoubles(r.value), b.at+4*int64(b.size)+8*int64(r.begin))
	}
	if err != nil {
		r.lo, r.hi = 0, 0
		panic(err)
	}
}

// A SparseBuilder builds a Sparse row by row. Add panics unless BeginRow has been called.
type SparseBuilder struct {
	all  Sparse
	last *sparseBlock // block of the current row; nil if there is none
	free sparseBlock  // memory of a block that was stored
}

// BeginRow begins the next row.
func (b *SparseBuilder) BeginRow() {
	if b.last == nil || len(b.last.index) >= entriesOfBlock {
		b.all.blocks = append(b.all.blocks, sparseBlock{first: b.all.rows, start: []uint32{0}, index: b.free.index,
			value: b.free.value})
		b.last, b.free = &b.all.blocks[len(b.all.blocks)-1], sparseBlock{}
	}
	b.last.start = append(b.last.start, uint32(len(b.last.index)))
	b.all.rows++
}

// Add appends an entry to the current row. Its index must be larger than those of the preceding entries. Add panics
// unless BeginRow was called before.
func (b *SparseBuilder) Add(index int32, value float64) {
	b.last.index, b.last.value = append(b.last.index, index), append(b.last.value, value)
	b.last.start[len(b.last.start)-1]++
	b.all.Width, b.all.AtZero = max(b.all.Width, int(index)+1), b.all.AtZero || index == 0
}

// Widen sets the width of the vectors to at least the given width.
func (b *SparseBuilder) Widen(width int) { b.all.Width = max(b.all.Width, width) }

// Bytes returns the memory in bytes that the entries take.
func (b *SparseBuilder) Bytes() (n int64) {
	for _, k := range b.all.blocks {
		n += 4*int64(cap(k.start)) + 4*int64(cap(k.index)) + 8*int64(cap(k.value))
	}
	return n
}

// Store moves the entries of all rows from memory to a file. put appends bytes to the file from and returns their
// offset. The file may be read only after the last call.
func (b *SparseBuilder) Store(from io.ReaderAt, put func([]byte) (at int64, err error)) error {
	for i := len(b.all.blocks) - 1; i >= 0 && b.all.blocks[i].from == nil; i-- {
		k := &b.all.blocks[i]
		b.free = sparseBlock{index: k.index[:0], value: k.value[:0]}
		if err := k.store(from, put); err != nil {
			return err
		}
	}
	b.last = nil
	return nil
}

// Store moves the entries that are in memory to a file, as [SparseBuilder.Store] does. No reader may be in use.
func (s *Sparse) Store(from io.ReaderAt, put func([]byte) (at int64, err error)) error {
	for i := range s.blocks {
		if s.blocks[i].from == nil {
			if err := s.blocks[i].store(from, put); err != nil {
				return err
			}
		}
	}
	return nil
}

// store moves the entries of a block from memory to a file.
func (b *sparseBlock) store(from io.ReaderAt, put func([]byte) (at int64, err error)) error {
	at, err := put(bytesOfInts(b.index))
	if err != nil {
		return err
	}
	if _, err := put(bytesOfDoubles(b.value)); err != nil {
		return err
	}
	*b = sparseBlock{first: b.first, start: slices.Clip(slices.Clone(b.start)), from: from, at: at, size: len(b.index)}
	return nil
}

// Sparse returns the vectors.
func (b *SparseBuilder) Sparse() *Sparse { return &b.all }

func bytesOfInts(v []int32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 4*len(v))
}

func bytesOfDoubles(v []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 8*len(v))
}

// checkScalar returns an error if the column holds vectors, so that it has no single value for each row.
func (c *Column) checkScalar() error {
	if c.Kind != Vector {
		return nil
	}
	return &Error{Column: c.Name, Msg: fmt.Sprintf("a column of type %s can only be a feature", c.Type)}
}
