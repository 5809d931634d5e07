package data

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/drotrain/drotrain/data/internal/csv"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/ipc"
	"github.com/drotrain/drotrain/data/internal/parquet"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/atomicfile"
)

// WriteTable writes columns of equal length to path: as Parquet (zstd, whose frames carry checksums) if the name
// ends in .parquet or .pq, as CSV if it ends in .csv or .tsv, and as an Arrow stream if it ends in .arrows. The file
// appears whole or not at all. If it already exists, WriteTable returns an error unless force is set.
//
// In Parquet and Arrow a Numeric column is stored as integers if its Type is one of int8 to uint64, as floats if it
// is float16 or float32, as decimals, dates, times, timestamps or durations if Int is set and Type names one, and
// as doubles otherwise. In CSV nulls are empty fields.
func WriteTable(path string, cols []Column, force bool) error {
	return WriteBlocks(path, force, func(put func(cols []Column) error) error { return intake.InFile(path, put(cols)) })
}

// WriteBlocks works like [WriteTable] for rows that arrive in blocks. The function rows must call put at least
// once, always with columns of the same names and kinds, and with Null set in all blocks or in none. If rows fails,
// no file is written.
func WriteBlocks(path string, force bool, rows func(put func(cols []Column) error) error) error {
	if _, err := newBlockWriter(io.Discard, path); err != nil {
		return err
	}
	return atomicfile.Write(path, force, func(w io.Writer) error { return WriteBlocksTo(w, path, rows) })
}

// WriteBlocksTo writes to w the table that WriteBlocks would write to a file called name.
func WriteBlocksTo(w io.Writer, name string, rows func(put func(cols []Column) error) error) (err error) {
	out, err := newBlockWriter(w, name)
	if err != nil {
		return err
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	if err := rows(func(cols []Column) error {
		if err := checkColumns(cols); err != nil {
			return err
		}
		return out.Write(cols, cols[0].Len())
	}); err != nil {
		return err
	}
	return out.Close()
}

// A blockWriter writes blocks of rows.
type blockWriter interface {
	Write(cols []table.Column, rows int) error
	Close() error
}

// newBlockWriter returns a writer for the format that the extension of name states.
func newBlockWriter(w io.Writer, name string) (blockWriter, error) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".parquet", ".pq":
		return parquet.NewWriter(w), nil
	case ".arrows":
		return ipc.NewWriter(w), nil
	case ".csv":
		return csv.NewWriter(w, ','), nil
	case ".tsv":
		return csv.NewWriter(w, '\t'), nil
	}
	return nil, &Error{Path: name, Msg: "the extension of the file name is missing or unknown",
		Hint: "use the extension .parquet, .csv, .tsv, or .arrows (Arrow stream)"}
}

// checkColumns returns an error if columns cannot be written.
func checkColumns(cols []Column) error {
	if len(cols) == 0 {
		return &Error{Msg: "there are no columns to write"}
	}
	rows := cols[0].Len()
	names := make(map[string]bool)
	for i := range cols {
		c := &cols[i]
		fail := func(format string, args ...any) error {
			return &Error{Column: c.Name, Msg: fmt.Sprintf(format, args...)}
		}
		if names[c.Name] {
			return fail("two columns have this name")
		}
		names[c.Name] = true
		if c.Kind == Other || c.Kind > Bool {
			return fail("columns of kind %v cannot be written", c.Kind)
		}
		if c.Len() != rows || c.Null != nil && len(c.Null) != rows {
			return fail("the column has %d rows, but the first column has %d", c.Len(), rows)
		}
		for row, code := range c.Code {
			if !c.IsNull(row) && (code < 0 || int(code) >= len(c.Level)) {
				return fail("row %d has a code without a level", row+1)
			}
		}
		if c.Int != nil {
			if _, ok := c.ExactType(); !ok || c.Kind != Numeric || len(c.Int) != rows {
				return fail("exact integers need a column of kind %v with one integer per row and an integer, decimal or "+
					"time type; this column has kind %v, type %q and %d integers for %d rows", Numeric, c.Kind, c.Type, len(c.Int),
					rows)
			}
		} else if of, ok := integerRanges[c.Type]; ok && c.Kind == Numeric {
			for row, v := range c.Number {
				if !c.IsNull(row) && !(v == math.Trunc(v) && v >= of.least && v < of.end) {
					return fail("row %d holds %v, which is not a value of type %s", row+1, v, c.Type)
				}
			}
		}
	}
	return nil
}

// integerRanges holds, for each integer type, the least value and the value that follows the largest.
var integerRanges = map[string]struct{ least, end float64 }{
	"int8": {-1 << 7, 1 << 7}, "uint8": {0, 1 << 8},
	"int16": {-1 << 15, 1 << 15}, "uint16": {0, 1 << 16},
	"int32": {-1 << 31, 1 << 31}, "uint32": {0, 1 << 32},
	"int64": {-1 << 63, 1 << 63}, "uint64": {0, 1 << 64},
}
