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
	Nullable() bool // Nullable reports whether there may be nulls.

	// Open returns the values of the part from the given row on.
	Open(row int, b *Buffers) (Values, error)

	// Pages lists the pieces in which the part is decoded, in the order of rows.
	Pages() []Page
}

// A Page is a range of rows that is decoded as a whole.
type Page struct {
	Row, Rows  int // first row of the page in the part, and number of rows
	Bytes      int // size in memory after decompression
	Dictionary int // memory in bytes of the dictionary that the page needs, or 0
}

// Values reads the values of a part sequentially. Errors name the file and the column; the methods do not panic.
type Values interface {
	// Numbers reads the next len(dst) values of a Numeric or Bool column. It stores 0 for nulls, returns their
	// number and, if null is not nil, marks them in null.
	Numbers(dst []float64, null []bool) (nulls int, err error)

	// Codes works like Numbers for a Categorical column: it reads codes of levels, with −1 for nulls.
	Codes(dst []int32, null []bool, levels *Levels) (nulls int, err error)

	// Inexact returns the first row read so far (1-based, within the part) whose value float64 cannot hold
	// exactly, or 0.
	Inexact() int

	Close()
}

// NewStored returns a column whose values are stored in parts.
func NewStored(name, typ string, kind Kind, integer bool, parts []Part) *Column {
	return &Column{Name: name, Type: typ, Kind: kind, Integer: integer, Parts: append([]Part{}, parts...)}
}

// IsStored reports whether the values are still in files.
func (c *Column) IsStored() bool { return c.Parts != nil }

// Nullable reports whether the column may have nulls.
func (c *Column) Nullable() bool {
	return c.IsStored() && c.TakesNaNAsNull() || c.Null != nil || slices.ContainsFunc(c.Parts, Part.Nullable)
}

// Derived is the type of columns that are computed from others.
const Derived = "made"

// TakesNaNAsNull reports whether a NaN in the column is a null. This holds for numbers of a file or of a caller. It
// does not hold if values are copied exactly, or for derived columns, in which a NaN means that a function is
// undefined.
func (c *Column) TakesNaNAsNull() bool {
	return c.Kind == Numeric && !c.Integer && c.Type != Derived && !c.HoldsBits()
}

// WithoutNaN returns a column in memory with nulls in place of NaN, or c itself if it has no NaN.
func (c *Column) WithoutNaN() *Column {
	if c.IsStored() || !c.TakesNaNAsNull() || !slices.ContainsFunc(c.Number, math.IsNaN) {
		return c
	}
	out := *c
	out.Number, out.Null = slices.Clone(c.Number), make([]bool, len(c.Number))
	copy(out.Null, c.Null)
	numeral.ReplaceNaNByNull(out.Number, out.Null)
	return &out
}

// ReadFull fills b with the bytes of a file that begin at an offset.
func ReadFull(src io.ReaderAt, b []byte, at int64) error {
	n, err := src.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &Error{Msg: "the file became shorter while it was being read"}
	}
	return &Error{Msg: "cannot read", Err: Cause(err)}
}

// ReadDoubles fills dst with the little-endian float64 numbers of a file that begin at an offset.
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

// Get returns a slice of at least n bytes with arbitrary content. It panics if n is negative.
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
	// Few different sizes, so that a returned slice fits a later request.
	step := max(4<<10, 1<<bits.Len(uint(n))>>3)
	return make([]byte, n, (n+step-1)/step*step)
}

// Put returns a slice to the pool.
func (b *Buffers) Put(s []byte) {
	if cap(s) > 0 {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.free = append(b.free, s)
	}
}
