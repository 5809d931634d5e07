package table

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/bits"
	"slices"
	"sync"
	"unsafe"

	"github.com/drotrain/drotrain/data/internal/numeral"
)

// A Part is a range of rows of a column whose values are still in a file, such as a column chunk of Parquet.
type Part interface {
	Rows() int
	Nullable() bool // there may be nulls

	// Open gives the values from a row of the part on.
	Open(row int, b *Buffers) (Values, error)

	// Pages lists the pieces that the part is decoded by, in the order of rows.
	Pages() []Page
}

// A Page is a range of rows that is decoded as a whole.
type Page struct {
	Row, Rows  int // its first row in the part, and how many there are
	Bytes      int // what it takes decompressed
	Dictionary int // what the dictionary takes that it needs, or 0
}

// Values reads the values of a part sequentially. Errors name file and column; it does not panic.
type Values interface {
	// Numbers reads the next len(dst) values of a Numeric or Bool column, 0 for
	// the nulls, which it counts and, if null is not nil, marks there.
	Numbers(dst []float64, null []bool) (nulls int, err error)

	// Codes reads those of a Categorical column as codes of levels, −1 for nulls.
	Codes(dst []int32, null []bool, levels *Levels) (nulls int, err error)

	// Inexact gives the first row (1-based, in the part) read so far whose value
	// float64 cannot hold exactly, or 0.
	Inexact() int

	Close()
}

// NewStored returns a column whose values are in parts.
func NewStored(name, typ string, kind Kind, integer bool, parts []Part) *Column {
	return &Column{Name: name, Type: typ, Kind: kind, Integer: integer, Parts: append([]Part{}, parts...)}
}

// IsStored reports whether the values are still in parts.
func (c *Column) IsStored() bool { return c.Parts != nil }

// Nullable reports whether the column may have nulls.
func (c *Column) Nullable() bool {
	return c.IsStored() && c.TakesNaNAsNull() || c.Null != nil || slices.ContainsFunc(c.Parts, Part.Nullable)
}

// Derived is the type of columns that are computed from others.
const Derived = "made"

// TakesNaNAsNull reports whether a NaN of the column is a null: in numbers of a file or of a caller, but not where
// values are copied exactly, nor in derived columns, where it says that a function has no value.
func (c *Column) TakesNaNAsNull() bool {
	return c.Kind == Numeric && !c.Integer && c.Type != Derived && !c.HoldsBits()
}

// WithoutNaN returns a column in memory with nulls in place of NaN: c itself if it has none.
func (c *Column) WithoutNaN() *Column {
	if c.IsStored() || !c.TakesNaNAsNull() || !slices.ContainsFunc(c.Number, math.IsNaN) {
		return c
	}
	out := *c
	out.Number, out.Null = slices.Clone(c.Number), make([]bool, len(c.Number))
	copy(out.Null, c.Null)
	numeral.NullNaN(out.Number, out.Null)
	return &out
}

// ReadFull fills b with the bytes of a file at an offset.
func ReadFull(src io.ReaderAt, b []byte, at int64) error {
	n, err := src.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &Error{Msg: "the file became shorter while it was read"}
	}
	return &Error{Msg: "cannot read", Err: Cause(err)}
}

// ReadDoubles fills dst with the little-endian doubles of a file at an offset.
func ReadDoubles(src io.ReaderAt, dst []float64, at int64) error {
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), 8*len(dst))
	if err := ReadFull(src, b, at); err != nil {
		return err
	}
	if !isLittleEndian {
		for i := range dst {
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
	}
	return nil
}

// isLittleEndian reports whether numbers in memory begin with their lowest byte.
var isLittleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// Buffers is a pool of byte slices that is safe for concurrent use.
type Buffers struct {
	mu   sync.Mutex
	free [][]byte
}

// Get returns a slice of at least n bytes with arbitrary content. It panics if n is below 0.
func (b *Buffers) Get(n int) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	best := -1
	for i, f := range b.free {
		if cap(f) >= n && cap(f)/2 <= max(n, 4<<10) && (best < 0 || cap(f) < cap(b.free[best])) {
			best = i
		}
	}
	if best >= 0 {
		f, last := b.free[best], len(b.free)-1
		b.free[best], b.free[last] = b.free[last], nil
		b.free = b.free[:last]
		return f[:n]
	}
	// Few sizes, so that what is given back fits what is asked for next.
	grain := max(4<<10, 1<<bits.Len(uint(n))>>3)
	return make([]byte, n, (n+grain-1)/grain*grain)
}

// Put returns a slice to the pool.
func (b *Buffers) Put(s []byte) {
	if cap(s) > 0 {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.free = append(b.free, s)
	}
}
