package table

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/internal/shard"
)

// An Element is the stored type of the numbers of a [DenseVector]. Its methods panic if there are fewer bytes than
// the size of the element.
type Element struct {
	Size   int  // size of an element, in bytes
	Float  bool // whether elements are floats, not integers
	Signed bool // whether integer elements are signed
	Bool   bool
	Big    bool // big-endian
	AsBits bool // 64-bit integers are read as their bits, see [Column.LoadInts]
}

// String returns the name of the type: float32, int64, uint8, bool.
func (e Element) String() string {
	switch {
	case e.Bool:
		return "bool"
	case e.Float:
		return fmt.Sprintf("float%d", 8*e.Size)
	case e.Signed:
		return fmt.Sprintf("int%d", 8*e.Size)
	}
	return fmt.Sprintf("uint%d", 8*e.Size)
}

// Exact returns the exact type of 64-bit integers.
func (e Element) Exact() ExactType {
	if e.Signed {
		return ExactType{Form: SignedForm, Bits: 64}
	}
	return ExactType{Form: UnsignedForm, Bits: 64}
}

// Order returns the byte order.
func (e Element) Order() binary.ByteOrder {
	if e.Big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// Bits returns the bits of the number at the start of b.
func (e Element) Bits(b []byte) uint64 {
	order := e.Order()
	switch e.Size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(order.Uint16(b))
	case 4:
		return uint64(order.Uint32(b))
	}
	return order.Uint64(b)
}

// Number returns the number at the start of b; exact reports whether a float64 represents it exactly.
func (e Element) Number(b []byte) (v float64, exact bool) { return e.Value(e.Bits(b)) }

// Value returns the number with the bits u; exact reports whether a float64 represents it exactly.
func (e Element) Value(u uint64) (v float64, exact bool) {
	switch {
	case e.AsBits:
		return math.Float64frombits(u), true
	case e.Bool:
		if u != 0 {
			u = 1
		}
		return float64(u), true
	case e.Float && e.Size == 2:
		return numeral.HalfToFloat(uint16(u)), true
	case e.Float && e.Size == 4:
		return float64(math.Float32frombits(uint32(u))), true
	case e.Float:
		return math.Float64frombits(u), true
	case e.Signed:
		shift := 64 - 8*e.Size
		i := int64(u<<shift) >> shift
		return float64(i), numeral.IsExactInt64(i)
	}
	return float64(u), numeral.IsExactUint64(int64(u))
}

// A DenseVector is a column of vectors of equal width, one for each row. Their numbers are stored contiguously in a
// file or in memory and are read in blocks of rows.
type DenseVector struct {
	Name        string
	Rows, Width int
	Element     Element
	ByColumn    bool // stored in Fortran order: the first entries of all rows come first
	From        io.ReaderAt
	Offset      int64 // offset of the first number

	mu     sync.Mutex
	blocks []*vectorBlock // most recently used blocks, the latest first
	free   [][]byte       // memory of evicted blocks
}

// Size of a block. Of narrow vectors, it holds all entries of as many rows as encoding reads at a time. Of wide
// vectors, it holds adjacent entries of fewer rows.
const (
	vectorRows  = 2048
	windowRows  = 256
	windowBytes = 4 << 10 // size of these entries in a row
)

// A vectorBlock holds the bytes of a range of rows, for a window of adjacent entries. Its memory is reused once the
// block has been evicted and its last reader has released it.
type vectorBlock struct {
	first   int // its first row
	lo      int // its first entry
	row     int // size in bytes of a row of the block
	once    sync.Once
	b       []byte
	err     error
	readers int
	evicted bool
}

// Columns returns the columns of the vector: name[0], name[1], …, or only name if single is set and the width is 1.
// It panics if the width is negative.
func (v *DenseVector) Columns(single bool) []*Column {
	kind := Numeric
	if v.Element.Bool {
		kind = Bool
	}
	out := make([]*Column, v.Width)
	for i := range out {
		name := v.Name
		if !single {
			name = fmt.Sprintf("%s[%d]", v.Name, i)
		}
		out[i] = NewStored(name, v.Element.String(), kind, !v.Element.Float, []Part{vectorPart{v, i}})
		if !single {
			out[i].Vector = v.Name
		}
	}
	return out
}

// isWide reports whether a block holds some of the entries only.
func (v *DenseVector) isWide() bool { return v.Width*v.Element.Size > 2*windowBytes }

// blockRows returns the number of rows of a block.
func (v *DenseVector) blockRows() int {
	if v.isWide() {
		return windowRows
	}
	return vectorRows
}

// window returns the range of the entries that a block with the given entry holds.
func (v *DenseVector) window(entry int) (lo, hi int) {
	if !v.isWide() {
		return 0, v.Width
	}
	n := windowBytes / v.Element.Size
	lo = entry / n * n
	return lo, min(lo+n, v.Width)
}

// block returns the block with an entry of the rows that begin at row first, a multiple of blockRows. The caller must
// release it.
func (v *DenseVector) block(first, entry int) (*vectorBlock, error) {
	lo, hi := v.window(entry)
	v.mu.Lock()
	at := slices.IndexFunc(v.blocks, func(b *vectorBlock) bool { return b.first == first && b.lo == lo })
	var k *vectorBlock
	if at >= 0 {
		k = v.blocks[at]
		v.blocks = slices.Delete(v.blocks, at, at+1)
	} else {
		k = &vectorBlock{first: first, lo: lo, row: (hi - lo) * v.Element.Size}
		if n := len(v.blocks); n > shard.Threads()*vectorRows/v.blockRows() {
			v.blocks[n-1].evicted = true
			v.recycle(v.blocks[n-1])
			v.blocks = v.blocks[:n-1]
		}
		if n := len(v.free); n > 0 {
			k.b, v.free = v.free[n-1], v.free[:n-1]
		}
	}
	k.readers++
	v.blocks = slices.Insert(v.blocks, 0, k)
	v.mu.Unlock()
	k.once.Do(func() {
		rows := min(v.blockRows(), v.Rows-first)
		if cap(k.b) < rows*k.row {
			k.b = make([]byte, rows*k.row)
		}
		k.b = k.b[:rows*k.row]
		at, stride := v.offsetOf(first, lo)
		if k.row == stride {
			k.err = ReadFull(v.From, k.b, at)
			return
		}
		for i := 0; i < rows && k.err == nil; i++ {
			k.err = ReadFull(v.From, k.b[i*k.row:(i+1)*k.row], at+int64(i)*int64(stride))
		}
	})
	return k, k.err
}

// release states that a reader no longer uses a block.
func (v *DenseVector) release(k *vectorBlock) {
	v.mu.Lock()
	defer v.mu.Unlock()
	k.readers--
	v.recycle(k)
}

// recycle frees the memory of an evicted block that has no readers.
func (v *DenseVector) recycle(k *vectorBlock) {
	if k.evicted && k.readers == 0 && k.b != nil {
		v.free, k.b = append(v.free, k.b), nil
	}
}

// ReleaseBlocks frees the cached blocks of the vector to which the column belongs, if there is one.
func (c *Column) ReleaseBlocks() {
	for _, p := range c.Parts {
		if p, ok := p.(vectorPart); ok {
			p.v.mu.Lock()
			p.v.blocks, p.v.free = nil, nil
			p.v.mu.Unlock()
		}
	}
}

// SharesBlocks reports whether the column is an entry of vectors that are read in blocks, so that the entries of the
// same rows should be read one after another.
func (c *Column) SharesBlocks() bool {
	return slices.ContainsFunc(c.Parts, func(p Part) bool {
		for cut, ok := p.(window); ok; cut, ok = p.(window) {
			p = cut.Part
		}
		v, ok := p.(vectorPart)
		return ok && !v.v.ByColumn
	})
}

// offsetOf returns the offset of an entry of a row, and the distance in bytes to the same entry of the next
// row.
func (v *DenseVector) offsetOf(row, entry int) (at int64, stride int) {
	if v.ByColumn {
		return v.Offset + (int64(entry)*int64(v.Rows)+int64(row))*int64(v.Element.Size), v.Element.Size
	}
	return v.Offset + (int64(row)*int64(v.Width)+int64(entry))*int64(v.Element.Size), v.Width * v.Element.Size
}

// A vectorPart is a part that holds one entry of all vectors.
type vectorPart struct {
	v     *DenseVector
	entry int
}

func (p vectorPart) Rows() int { return p.v.Rows }

func (p vectorPart) Nullable() bool { return false }

func (p vectorPart) Pages() []Page { return nil }

func (p vectorPart) Open(row int, b *Buffers) (Values, error) {
	return &vectorValues{vectorPart: p, row: row, buffers: b}, nil
}

type vectorValues struct {
	vectorPart
	row, inexact int
	buffers      *Buffers
}

func (r *vectorValues) Inexact() int { return r.inexact }

func (r *vectorValues) Close() {}

func (r *vectorValues) Codes([]int32, []bool, *Levels) (int, error) {
	return 0, &Error{Column: r.v.Name, Msg: "the column holds numbers, but is read as text"}
}

// Numbers reads the next values.
func (r *vectorValues) Numbers(dst []float64, null []bool) (nulls int, err error) {
	clear(null)
	size := r.v.Element.Size
	if r.v.ByColumn {
		b := r.buffers.Get(len(dst) * size)
		defer r.buffers.Put(b)
		at, stride := r.v.offsetOf(r.row, r.entry)
		if err := ReadFull(r.v.From, b, at); err != nil {
			return 0, err
		}
		r.decode(dst, b, stride)
		return 0, nil
	}
	for len(dst) > 0 {
		rows := r.v.blockRows()
		first := r.row / rows * rows
		k, err := r.v.block(first, r.entry)
		if err == nil {
			n := min(len(dst), first+rows-r.row)
			r.decode(dst[:n], k.b[(r.row-first)*k.row+(r.entry-k.lo)*size:], k.row)
			dst = dst[n:]
		}
		r.v.release(k)
		if err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// decode decodes numbers that are stride bytes apart.
func (r *vectorValues) decode(dst []float64, b []byte, stride int) {
	e := r.v.Element
	if e.Float && e.Size == 4 && !e.Big {
		for i := range dst {
			dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[i*stride:])))
		}
		r.row += len(dst)
		return
	}
	for i := range dst {
		var exact bool
		if dst[i], exact = e.Number(b[i*stride:]); !exact && r.inexact == 0 {
			r.inexact = r.row + i + 1
		}
	}
	r.row += len(dst)
}

// Exact returns an entry of vectors as a column of unconverted numbers: 64-bit integers as bits, and floats
// including NaN. It returns any other column unchanged.
func (c *Column) Exact() *Column {
	out := *c
	out.Parts = nil
	for _, part := range c.Parts {
		p, ok := part.(vectorPart)
		e := Element{}
		if ok {
			e = p.v.Element
		}
		switch {
		case e.Float:
			out.Type, out.Parts = numeral.BitsType(e.String()), append(out.Parts, part)
		case e.Size == 8:
			v := &DenseVector{Name: p.v.Name, Rows: p.v.Rows, Width: p.v.Width, Element: e, ByColumn: p.v.ByColumn,
				From: p.v.From, Offset: p.v.Offset}
			v.Element.AsBits = true
			out.Type, out.Parts = e.Exact().AsBits(), append(out.Parts, vectorPart{v, p.entry})
		default:
			return c
		}
	}
	return &out
}
