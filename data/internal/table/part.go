package table

import (
	"errors"
	"io"
	"math"
	"math/bits"
	"slices"
	"sync"
)

// A Source is a file for readers.
type Source interface {
	io.ReaderAt
	Name() string // for messages
	Size() int64

	// Afford refuses what would take more memory than there is; the use is said as
	// in "for 5 rows".
	Afford(bytes int64, use string) error
}

// A Table is the result of reading a file.
type Table struct {
	Rows    int
	Columns []*Column
	Notes   []string // how it was read, for the user
	Remarks []*Error // what may not be meant as it was read

	// UnusedMissing and UnusedRelabel are texts of a Reading that occur nowhere.
	UnusedMissing, UnusedRelabel []string
}

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

// NullNaN replaces NaN by nulls, which it marks, and returns their number. A number of a null is 0.
func NullNaN(number []float64, null []bool) (nulls int) {
	for i, v := range number {
		if v != v && !null[i] {
			number[i], null[i] = 0, true
			nulls++
		}
	}
	return nulls
}

// WithoutNaN returns a column in memory with nulls in place of NaN: c itself if it has none.
func (c *Column) WithoutNaN() *Column {
	if c.IsStored() || !c.TakesNaNAsNull() || !slices.ContainsFunc(c.Number, math.IsNaN) {
		return c
	}
	out := *c
	out.Number, out.Null = slices.Clone(c.Number), make([]bool, len(c.Number))
	copy(out.Null, c.Null)
	NullNaN(out.Number, out.Null)
	return &out
}

// A resident is a part of a stored column whose values are in memory.
type resident struct {
	rows   int
	column *Column
}

func (m resident) Rows() int      { return m.rows }
func (m resident) Nullable() bool { return m.column.Null != nil }
func (m resident) Pages() []Page  { return nil }

func (m resident) Open(row int, _ *Buffers) (Values, error) {
	return &residentValues{c: m.column, row: row}, nil
}

type residentValues struct {
	c    *Column
	row  int
	code []int32 // by its own code, the one in the levels of the reader; -1 before its first value
}

// Inexact and Close implement Values.
func (v *residentValues) Inexact() int { return v.c.InexactRow }
func (v *residentValues) Close()       {}

// countNulls advances by n rows and returns the number of their nulls.
func (v *residentValues) countNulls(n int, null []bool) (nulls int) {
	if v.c.Null != nil {
		for _, b := range v.c.Null[v.row : v.row+n] {
			if b {
				nulls++
			}
		}
		copy(null, v.c.Null[v.row:v.row+n])
	}
	v.row += n
	return nulls
}

func (v *residentValues) Numbers(dst []float64, null []bool) (int, error) {
	if v.c.Number != nil { // as it is of texts that are all null
		copy(dst, v.c.Number[v.row:])
	}
	return v.countNulls(len(dst), null), nil
}

func (v *residentValues) Codes(dst []int32, null []bool, levels *Levels) (int, error) {
	for len(v.code) < len(v.c.Level) {
		v.code = append(v.code, -1)
	}
	for i, k := range v.c.Code[v.row : v.row+len(dst)] {
		if dst[i] = -1; k < 0 || v.c.IsNull(v.row+i) {
			continue
		}
		if v.code[k] < 0 {
			v.code[k] = levels.Code(v.c.Level[k])
		}
		dst[i] = v.code[k]
	}
	return v.countNulls(len(dst), null), nil
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

// MaxCells returns the largest plausible number of values of a file of a given size: runs and dictionaries make
// constant columns very small.
func MaxCells(size int64) int64 {
	const cellsPerByte, free = 1 << 13, 1 << 22
	return free + size*cellsPerByte
}

// Buffers is a pool of byte slices that is safe for concurrent use.
type Buffers struct {
	mu   sync.Mutex
	free [][]byte
}

// Get returns a slice of at least n bytes with arbitrary content.
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

// InMemory returns a part with the given number of rows and the values of a column in memory.
func InMemory(rows int, c *Column) Part { return resident{rows, c} }
