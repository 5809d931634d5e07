package data

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

// NewFrame returns a table of columns in memory, which [ColumnOf] or the caller made. The columns must have the
// same length and unique names. NaN is a null.
func NewFrame(columns ...Column) (*Frame, error) {
	f := &Frame{Sources: []Source{{Path: "memory"}}, inMemory: true}
	seen := map[string]bool{}
	for i := range columns {
		c := columns[i]
		fail := func(format string, args ...any) (*Frame, error) {
			return nil, &Error{Path: "memory", Column: c.Name, Msg: fmt.Sprintf(format, args...)}
		}
		switch {
		case c.Name == "":
			return fail("column %d has no name", i+1)
		case seen[c.Name]:
			return fail("two columns have this name")
		case i > 0 && c.Len() != f.Rows:
			return fail("the column has %d rows, but the others have %d", c.Len(), f.Rows)
		case c.Null != nil && len(c.Null) != c.Len():
			return fail("the column has %d rows, but Null has %d entries", c.Len(), len(c.Null))
		case differsFrom(&c, c.Len()):
			return fail("the column has %d rows, but one of its fields has a different length", c.Len())
		case c.Parts != nil:
			return fail("the values of the column are still in a file: load the column first")
		case c.Kind == Other:
			return fail("the column has no values")
		case c.Kind == Vector:
			return fail("vectors can only be read from files")
		case c.Kind > Bool:
			return fail("the column has the unknown kind %v", c.Kind)
		case c.Kind != Categorical && c.Code != nil:
			return fail("the column has level codes, but its kind is %v", c.Kind)
		}
		for r, k := range c.Code {
			if !c.IsNull(r) && (k < 0 || int(k) >= len(c.Level)) {
				return fail("row %d has the code %d, but the column has only %d levels", r+1, k, len(c.Level))
			}
		}
		seen[c.Name], f.Rows = true, c.Len()
		f.Columns = append(f.Columns, c.WithoutNaN())
	}
	f.Sources[0].Rows = f.Rows
	return f, nil
}

// differsFrom reports whether some slice of a column is neither empty nor of the given length.
func differsFrom(c *Column, rows int) bool {
	return slices.ContainsFunc([]int{len(c.Number), len(c.Code), len(c.Null), len(c.Int)},
		func(n int) bool { return n != 0 && n != rows })
}

// checksumOf returns the SHA-256 of the names, kinds and values of columns in memory.
func checksumOf(columns []*Column) string {
	h := sha256.New()
	b := make([]byte, 0, 1<<16)
	put := func(v uint64) {
		if b = binary.LittleEndian.AppendUint64(b, v); len(b) == cap(b) {
			h.Write(b)
			b = b[:0]
		}
	}
	text := func(s string) {
		put(uint64(len(s)))
		h.Write(b)
		b = b[:0]
		io.WriteString(h, s)
	}
	put(uint64(len(columns)))
	for _, c := range columns {
		text(c.Name)
		put(uint64(c.Kind))
		put(uint64(c.Len()))
		put(uint64(len(c.Level)))
		for _, l := range c.Level {
			text(l)
		}
		for i := range c.Len() {
			switch {
			case c.IsNull(i):
				put(math.MaxUint64) // neither a code nor the bits of a number
			case c.Kind == Categorical:
				put(uint64(c.Code[i]))
			default:
				put(math.Float64bits(c.Number[i]))
			}
		}
	}
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// FromArrow returns a table of Arrow records with one schema. Values are copied; types are treated as in Arrow IPC
// files. Records of a different version of Arrow's Go module can be passed to ReadBytes, as an IPC stream or file
// written by the ipc.Writer of that version.
func FromArrow(ctx context.Context, records ...arrow.Record) (*Frame, error) {
	if len(records) == 0 {
		return nil, errors.New("there are no records")
	}
	if records[0] == nil {
		return nil, errors.New("record 1 is nil")
	}
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(records[0].Schema()))
	for i, r := range records {
		if r == nil {
			return nil, fmt.Errorf("record %d is nil", i+1)
		}
		if err := w.Write(r); err != nil {
			return nil, fmt.Errorf("record %d: %w", i+1, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	f, err := ReadBytes(ctx, "records.arrows", b.Bytes())
	if err != nil {
		return nil, err
	}
	f.Sources = []Source{{Path: "memory", Rows: f.Rows}} // the bytes do not come from a file of the user
	return f, nil
}
