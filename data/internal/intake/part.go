package intake

import (
	"io"

	"github.com/drotrain/drotrain/data/table"
)

// A Source is a file to be read.
type Source interface {
	io.ReaderAt
	Name() string // the name used in messages
	Size() int64

	// Afford returns an error if the memory does not suffice for the given number of bytes. use states the
	// purpose, such as "for 5 rows".
	Afford(bytes int64, use string) error
}

// A Table is the result of reading a file.
type Table struct {
	Rows    int
	Columns []*table.Column
	Notes   []string       // how the file was read, for the user
	Remarks []*table.Error // possible misreadings

	// UnusedMissing and UnusedRelabel hold texts of a Reading that no cell contains.
	UnusedMissing, UnusedRelabel []string
}

// A resident is a part of a stored column whose values are in memory.
type resident struct {
	rows   int
	column *table.Column
}

func (m resident) Rows() int { return m.rows }

func (m resident) Nullable() bool { return m.column.Null != nil }

func (m resident) Pages() []table.Page { return nil }

func (m resident) Open(row int, _ *table.Buffers) (table.Values, error) {
	return &residentValues{c: m.column, row: row}, nil
}

type residentValues struct {
	c    *table.Column
	row  int
	code []int32 // code in the levels of the reader for each code of the part; -1 if it has not been looked up
}

// Inexact and Close implement Values.
func (v *residentValues) Inexact() int { return v.c.InexactRow }

func (v *residentValues) Close() {}

// countNulls advances by n rows and returns the number of nulls among them, which it marks in null.
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
	if v.c.Number != nil { // nil for texts that are all null
		copy(dst, v.c.Number[v.row:])
	}
	return v.countNulls(len(dst), null), nil
}

func (v *residentValues) Codes(dst []int32, null []bool, levels *table.Levels) (int, error) {
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

// MaxCells returns the maximum plausible number of values in a file of the given size. It is large, since runs and
// dictionaries store constant columns in very few bytes.
func MaxCells(size int64) int64 {
	const cellsPerByte, free = 1 << 13, 1 << 22
	return free + size*cellsPerByte
}

// InMemory returns a part with the given number of rows that holds the values of a column in memory.
func InMemory(rows int, c *table.Column) table.Part { return resident{rows, c} }
