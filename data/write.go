package data

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/drotrain/drotrain/internal/atomicfile"
)

// WriteTable writes columns of equal length to path: as Parquet (zstd, whose
// frames carry checksums) if it ends in .parquet, as CSV if in .csv or .tsv.
// The file appears whole or not at all; one that exists is left alone, with an
// error, unless force is set.
//
// In Parquet a Numeric column is stored as 32- or 64-bit integers if its Type
// is "int32" or "int64", as doubles otherwise. In CSV nulls are empty fields.
func WriteTable(path string, cols []Column, force bool) error {
	lower := strings.ToLower(path)
	var write func(io.Writer, []Column, int) error
	switch {
	case strings.HasSuffix(lower, ".parquet"), strings.HasSuffix(lower, ".pq"):
		write = writeParquet
	case strings.HasSuffix(lower, ".csv"):
		write = func(w io.Writer, c []Column, n int) error { return writeCSV(w, ',', c, n) }
	case strings.HasSuffix(lower, ".tsv"):
		write = func(w io.Writer, c []Column, n int) error { return writeCSV(w, '\t', c, n) }
	default:
		return &Error{Path: path, Msg: "cannot tell which format to write", Hint: "end the name in .parquet, .csv or .tsv"}
	}
	rows, err := checkColumns(cols)
	if err != nil {
		return inFile(path, err)
	}
	return atomicfile.AtomicWrite(path, force, func(w io.Writer) (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("%v", r)
			}
		}()
		return write(w, cols, rows)
	})
}

func checkColumns(cols []Column) (rows int, err error) {
	if len(cols) == 0 {
		return 0, &Error{Msg: "there are no columns to write"}
	}
	rows = cols[0].Len()
	names := make(map[string]bool)
	for i := range cols {
		c := &cols[i]
		fail := func(format string, args ...any) error {
			return &Error{Column: c.Name, Msg: fmt.Sprintf(format, args...)}
		}
		if names[c.Name] {
			return 0, fail("two columns have this name")
		}
		names[c.Name] = true
		if c.Kind == Other || c.Kind > Bool {
			return 0, fail("columns of kind %v cannot be written", c.Kind)
		}
		if c.Len() != rows || c.Null != nil && len(c.Null) != rows {
			return 0, fail("it has %d rows, but the first column has %d", c.Len(), rows)
		}
		for row, code := range c.Code {
			if !c.IsNull(row) && (code < 0 || int(code) >= len(c.Level)) {
				return 0, fail("row %d has a code without a level", row+1)
			}
		}
		if c.Kind == Numeric && (c.Type == "int32" || c.Type == "int64") {
			lo, hi := -0x1p31, 0x1p31
			if c.Type == "int64" {
				lo, hi = -0x1p63, 0x1p63
			}
			for row, v := range c.Number {
				if !c.IsNull(row) && !(v == math.Trunc(v) && v >= lo && v < hi) {
					return 0, fail("row %d holds %v, which is not an %s", row+1, v, c.Type)
				}
			}
		}
	}
	return rows, nil
}

// groupRows is the number of rows in a row group.
const groupRows = 1 << 18

func writeParquet(w io.Writer, cols []Column, rows int) error {
	return writeParquetAs(w, cols, rows, compress.Codecs.Zstd, true)
}

func writeParquetAs(w io.Writer, cols []Column, rows int, codec compress.Compression, dictionary bool) error {
	fields := make(schema.FieldList, len(cols))
	for i := range cols {
		c := &cols[i]
		rep := parquet.Repetitions.Required
		if c.Null != nil {
			rep = parquet.Repetitions.Optional
		}
		var n *schema.PrimitiveNode
		var err error
		switch {
		case c.Kind == Bool:
			n = schema.NewBooleanNode(c.Name, rep, -1)
		case c.Kind == Categorical:
			n, err = schema.NewPrimitiveNodeLogical(c.Name, rep, schema.StringLogicalType{}, parquet.Types.ByteArray, -1, -1)
		case c.Type == "int32":
			n = schema.NewInt32Node(c.Name, rep, -1)
		case c.Type == "int64":
			n = schema.NewInt64Node(c.Name, rep, -1)
		default:
			n = schema.NewFloat64Node(c.Name, rep, -1)
		}
		if err != nil {
			return err
		}
		fields[i] = n
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		return err
	}
	props := parquet.NewWriterProperties(parquet.WithCompression(codec), parquet.WithDictionaryDefault(dictionary),
		parquet.WithCreatedBy("drotrain"))
	pw := file.NewParquetWriter(w, root, file.WithWriterProps(props))
	for from := 0; from < rows || from == 0; from += groupRows {
		to := min(from+groupRows, rows)
		g := pw.AppendRowGroup()
		for i := range cols {
			cw, err := g.NextColumn()
			if err != nil {
				return err
			}
			if err := writeChunk(cw, &cols[i], from, to); err != nil {
				return err
			}
			if err := cw.Close(); err != nil {
				return err
			}
		}
		if err := g.Close(); err != nil {
			return err
		}
	}
	return pw.Close()
}

func writeChunk(cw file.ColumnChunkWriter, c *Column, from, to int) error {
	switch w := cw.(type) {
	case *file.BooleanColumnChunkWriter:
		return writeValues(c, from, to, w.WriteBatch, func(i int) bool { return c.Number[i] != 0 })
	case *file.Int32ColumnChunkWriter:
		return writeValues(c, from, to, w.WriteBatch, func(i int) int32 { return int32(c.Number[i]) })
	case *file.Int64ColumnChunkWriter:
		return writeValues(c, from, to, w.WriteBatch, func(i int) int64 { return int64(c.Number[i]) })
	case *file.Float64ColumnChunkWriter:
		return writeValues(c, from, to, w.WriteBatch, func(i int) float64 { return c.Number[i] })
	case *file.ByteArrayColumnChunkWriter:
		levels := make([]parquet.ByteArray, len(c.Level))
		for i, l := range c.Level {
			levels[i] = parquet.ByteArray(l)
		}
		return writeValues(c, from, to, w.WriteBatch, func(i int) parquet.ByteArray { return levels[c.Code[i]] })
	}
	return fmt.Errorf("column %q: no writer for it", c.Name)
}

func writeValues[T any](c *Column, from, to int, write func([]T, []int16, []int16) (int64, error), get func(int) T) error {
	values := make([]T, 0, to-from)
	var defs []int16
	if c.Null != nil {
		defs = make([]int16, to-from)
	}
	for i := from; i < to; i++ {
		if c.Null != nil {
			if c.Null[i] {
				continue
			}
			defs[i-from] = 1
		}
		values = append(values, get(i))
	}
	if to == from {
		return nil
	}
	_, err := write(values, defs, nil)
	return err
}

func writeCSV(w io.Writer, comma rune, cols []Column, rows int) error {
	out := csv.NewWriter(w)
	out.Comma = comma
	record := make([]string, len(cols))
	for i := range cols {
		record[i] = cols[i].Name
	}
	if err := out.Write(record); err != nil {
		return err
	}
	for r := 0; r < rows; r++ {
		for i := range cols {
			c := &cols[i]
			switch {
			case c.IsNull(r):
				record[i] = ""
			case c.Kind == Numeric && c.Type != "int32" && c.Type != "int64":
				record[i] = strconv.FormatFloat(c.Number[r], 'g', -1, 64)
			default:
				record[i] = c.Text(r)
			}
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
