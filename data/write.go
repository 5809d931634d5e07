package data

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/data/internal/table"
)

// WriteTable writes columns of equal length to path: as Parquet (zstd, whose
// frames carry checksums) if it ends in .parquet, as CSV if in .csv or .tsv.
// The file appears whole or not at all; one that exists is left alone, with an
// error, unless force is set.
//
// In Parquet a Numeric column is stored as integers if its Type is one of int8 to
// uint64, digit for digit if Int is set, as floats if it is "float32" and as doubles
// otherwise. In CSV nulls are empty fields.
func WriteTable(path string, cols []Column, force bool) error {
	return WriteBlocks(path, force, func(put TableWriter) error {
		if err := put(cols); err != nil {
			return table.InFile(path, err)
		}
		return nil
	})
}

// checkColumns refuses columns that cannot be written.
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
			return fail("it has %d rows, but the first column has %d", c.Len(), rows)
		}
		for row, code := range c.Code {
			if !c.IsNull(row) && (code < 0 || int(code) >= len(c.Level)) {
				return fail("row %d has a code without a level", row+1)
			}
		}
		if c.Int != nil {
			if c.Kind != Numeric || len(c.Int) != rows || c.Type != "int64" && c.Type != "uint64" {
				return fail("its integers are not those of a column of 64-bit integers")
			}
		} else if lo, hi, ok := integerRange(c.Type); ok && c.Kind == Numeric {
			for row, v := range c.Number {
				if !c.IsNull(row) && !(v == math.Trunc(v) && v >= lo && v < hi) {
					return fail("row %d holds %v, which is not an %s", row+1, v, c.Type)
				}
			}
		}
	}
	return nil
}

// integerRange gives the least value of an integer type, and that above its greatest.
func integerRange(typ string) (lo, hi float64, ok bool) {
	var bits int
	if n, err := fmt.Sscanf(typ, "uint%d", &bits); n == 1 && err == nil && typ == fmt.Sprintf("uint%d", bits) {
		return 0, math.Ldexp(1, bits), true
	}
	if n, err := fmt.Sscanf(typ, "int%d", &bits); n == 1 && err == nil && typ == fmt.Sprintf("int%d", bits) {
		return -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1), true
	}
	return 0, 0, false
}
