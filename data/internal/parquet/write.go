package parquet

import (
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/drotrain/drotrain/data/internal/table"
)

// GroupRows is the number of rows in a row group.
const GroupRows = 1 << 18

// A Writer writes blocks of columns as row groups compressed with zstd, whose frames have checksums. Columns of
// an integer Type are stored as such, float32 as floats, and other numbers as doubles. data.WriteTable checks
// the columns.
type Writer struct {
	to  io.Writer
	out *file.Writer // after the first block, which decides the schema
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// begin sets the schema.
func (w *Writer) begin(cols []table.Column) error {
	fields := make(schema.FieldList, len(cols))
	for i := range cols {
		c := &cols[i]
		rep := parquet.Repetitions.Required
		if c.Null != nil {
			rep = parquet.Repetitions.Optional
		}
		logical, phys := typeOf(c)
		n, err := schema.NewPrimitiveNodeLogical(c.Name, rep, logical, phys, -1, -1)
		if err != nil {
			return err
		}
		fields[i] = n
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		return err
	}
	props := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithCreatedBy("drotrain"))
	w.out = file.NewParquetWriter(w.to, root, file.WithWriterProps(props))
	return nil
}

// Write writes the first rows rows of the columns.
func (w *Writer) Write(cols []table.Column, rows int) error {
	first := w.out == nil
	if first {
		if err := w.begin(cols); err != nil {
			return err
		}
	}
	for from := 0; from < rows || from == 0 && first; from += GroupRows {
		to := min(from+GroupRows, rows)
		g := w.out.AppendRowGroup()
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
	return nil
}

// Close writes the footer.
func (w *Writer) Close() error { return w.out.Close() }

// typeOf returns the type for storing a column.
func typeOf(c *table.Column) (schema.LogicalType, parquet.Type) {
	switch bits := integers[c.Type]; {
	case c.Kind == table.Bool:
		return schema.NoLogicalType{}, parquet.Types.Boolean
	case c.Kind == table.Categorical:
		return schema.StringLogicalType{}, parquet.Types.ByteArray
	case bits == 64 || bits == -64:
		return schema.NewIntLogicalType(64, bits > 0), parquet.Types.Int64
	case bits != 0:
		return schema.NewIntLogicalType(max(bits, -bits), bits > 0), parquet.Types.Int32
	case c.Type == "float32":
		return schema.NoLogicalType{}, parquet.Types.Float
	}
	return schema.NoLogicalType{}, parquet.Types.Double
}

// integers maps integer types to their sizes in bits, negative for unsigned types.
var integers = map[string]int8{"int8": 8, "int16": 16, "int32": 32, "int64": 64, "uint8": -8, "uint16": -16, "uint32": -32, "uint64": -64}

// writeChunk writes the rows [from, to) of a column.
func writeChunk(cw file.ColumnChunkWriter, c *table.Column, from, to int) error {
	switch w := cw.(type) {
	case *file.BooleanColumnChunkWriter:
		return writeValues(c, from, to, w.WriteBatch, func(i int) bool { return c.Number[i] != 0 })
	case *file.Int32ColumnChunkWriter:
		return writeValues(c, from, to, w.WriteBatch, func(i int) int32 { return int32(int64(c.Number[i])) })
	case *file.Int64ColumnChunkWriter:
		switch {
		case c.Int != nil:
			return writeValues(c, from, to, w.WriteBatch, func(i int) int64 { return c.Int[i] })
		case c.Type == "uint64":
			return writeValues(c, from, to, w.WriteBatch, func(i int) int64 { return int64(uint64(c.Number[i])) })
		}
		return writeValues(c, from, to, w.WriteBatch, func(i int) int64 { return int64(c.Number[i]) })
	case *file.Float32ColumnChunkWriter:
		return writeValues(c, from, to, w.WriteBatch, func(i int) float32 { return float32(c.Number[i]) })
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

// writeValues writes the values of the rows [from, to) that are not null.
func writeValues[T any](c *table.Column, from, to int, write func([]T, []int16, []int16) (int64, error), get func(int) T) error {
	values := make([]T, 0, to-from)
	var defs []int16
	for i := from; i < to; i++ {
		def := int16(1)
		if c.IsNull(i) {
			def = 0
		} else {
			values = append(values, get(i))
		}
		if c.Null != nil {
			defs = append(defs, def)
		}
	}
	if to == from {
		return nil
	}
	_, err := write(values, defs, nil)
	return err
}
