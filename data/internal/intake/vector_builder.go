package intake

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/limit"
	"github.com/drotrain/drotrain/internal/printable"
)

// vectorsInMemory is the maximum size in bytes of vectors that stay in memory. Larger ones are stored in an unnamed
// file.
const vectorsInMemory = 64 << 20

// A VectorBuilder stores lists of numbers, one for each row, as a [DenseVector]. If a list lacks a number or its
// length differs from that of the first list, building fails; Columns then states the row and the reason.
type VectorBuilder struct {
	rows, size int
	row        int    // number of complete rows
	length     int    // number of numbers in the current row
	begun      bool   // whether a row was begun
	width      int    // number of numbers in every row; −1 until the first row is complete
	faultRow   int    // first row (1-based) that is not a vector; 0 if there is none
	fault      string // what is wrong with this row
	b          []byte // bytes that are not yet written
	file       *os.File
}

// NewVectorBuilder returns a builder for floats of size bytes and for a table with the given number of rows.
func NewVectorBuilder(rows, size int) *VectorBuilder {
	return &VectorBuilder{rows: rows, size: size, width: -1}
}

// HasFailed reports whether the lists cannot be vectors.
func (w *VectorBuilder) HasFailed() bool { return w.faultRow > 0 }

// fail records why the lists cannot be vectors.
func (w *VectorBuilder) fail(row int, format string, args ...any) {
	w.faultRow, w.fault = row, fmt.Sprintf(format, args...)
}

// BeginRow completes the current row and begins the next one.
func (w *VectorBuilder) BeginRow() {
	w.endRow()
	w.begun, w.length = true, 0
}

// InRow reports whether a row has begun.
func (w *VectorBuilder) InRow() bool { return w.begun }

// AddNull records that the next number of the row is null.
func (w *VectorBuilder) AddNull() { w.fail(w.row+1, "entry %d is null", w.length+1) }

// AddNullRow records that the list of the row is null.
func (w *VectorBuilder) AddNullRow() { w.fail(w.row+1, "the list is null") }

// Add appends a number, given by its bits, to the row.
func (w *VectorBuilder) Add(bits uint64) {
	if w.length++; w.length > MostWidth {
		w.fail(w.row+1, "the list has more than %d entries", MostWidth)
		return
	}
	switch w.size {
	case 2:
		w.b = binary.LittleEndian.AppendUint16(w.b, uint16(bits))
	case 4:
		w.b = binary.LittleEndian.AppendUint32(w.b, uint32(bits))
	default:
		w.b = binary.LittleEndian.AppendUint64(w.b, bits)
	}
}

// endRow completes the current row, if one has begun, and checks its length.
func (w *VectorBuilder) endRow() {
	if !w.begun || w.HasFailed() {
		return
	}
	if w.width < 0 {
		w.width = w.length
	}
	w.begun = false
	if w.row++; w.width == 0 {
		w.fail(w.row, "the list is empty")
	} else if w.length != w.width {
		w.fail(w.row, "the list has %s, but earlier lists have %d", printable.Plural(w.length, "entry", "entries"),
			w.width)
	}
}

// Spill moves the stored numbers to a file if the vectors are too large for memory. Call it after every batch, so
// that the buffer stays small.
func (w *VectorBuilder) Spill() error {
	expected := int64(w.rows) * int64(max(w.width, 1)) * int64(w.size)
	if w.file == nil && expected <= vectorsInMemory && len(w.b) <= vectorsInMemory {
		return nil
	}
	if w.file == nil {
		var err error
		if w.file, err = limit.NewUnnamedFile(os.TempDir()); err != nil {
			return &table.Error{Msg: "cannot create a temporary file for the vectors", Err: err,
				Hint: "set TMPDIR to a writable directory"}
		}
	}
	if _, err := w.file.Write(w.b); err != nil {
		return &table.Error{Msg: "cannot write the vectors to a temporary file", Err: err}
	}
	w.b = w.b[:0]
	return nil
}

// Columns completes the last row and returns the columns of the vector. If building has failed, it returns only
// col, with the reason in Type and UnexpectedRow.
func (w *VectorBuilder) Columns(col *table.Column) ([]*table.Column, error) {
	w.endRow()
	if !w.HasFailed() && w.row != w.rows {
		return nil, table.Damaged("a list column has %d rows, but the file has %d", w.row, w.rows)
	}
	if w.HasFailed() || w.rows == 0 {
		w.Close()
		if w.HasFailed() {
			col.Type, col.UnexpectedRow = "list ("+w.fault+")", w.faultRow
		}
		return []*table.Column{col}, nil
	}
	var from io.ReaderAt = bytes.NewReader(w.b)
	if w.file != nil {
		if err := w.Spill(); err != nil {
			return nil, err
		}
		from = w.file
	}
	v := &table.DenseVector{Name: col.Name, Rows: w.rows, Width: w.width,
		Element: table.Element{Size: w.size, Float: true},
		From:    from}
	return v.Columns(false), nil
}

// Close releases the memory of a builder whose columns are not used.
func (w *VectorBuilder) Close() {
	if w.file != nil {
		w.file.Close()
	}
}
