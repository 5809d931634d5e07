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
		var n *schema.PrimitiveNode
		var err error
		switch {
		case c.Kind == table.Bool:
			n = schema.NewBooleanNode(c.Name, rep, -1)
		case c.Kind == table.Categorical:
			n, err = schema.NewPrimitiveNodeLogical(c.Name, rep, schema.StringLogicalType{}, parquet.Types.ByteArray, -1, -1)
		case c.Kind == table.Numeric && integers[c.Type] != 0:
			n, err = integerNode(c.Name, rep, integers[c.Type])
		case c.Type == "float32":
			n = schema.NewFloat32Node(c.Name, rep, -1)
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

// integers maps integer types to their sizes in bits, negative for unsigned types.
var integers = map[string]int{"int8": 8, "int16": 16, "int32": 32, "int64": 64, "uint8": -8, "uint16": -16, "uint32": -32, "uint64": -64}

func integerNode(name string, rep parquet.Repetition, bits int) (*schema.PrimitiveNode, error) {
	phys := parquet.Types.Int32
	if bits == 64 || bits == -64 {
		phys = parquet.Types.Int64
	}
	return schema.NewPrimitiveNodeLogical(name, rep, schema.NewIntLogicalType(int8(max(bits, -bits)), bits > 0), phys, -1, -1)
}

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
