package ipc

import (
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/drotrain/drotrain/data/internal/table"
)

// A Writer writes columns as an Arrow IPC stream with one record batch per block.
type Writer struct {
	to  io.Writer
	out *ipc.Writer          // after the first block, which decides the schema
	row *array.RecordBuilder // of the schema
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Write writes the first rows rows of the columns. A Numeric column of Type "int64" or "uint64" is stored as
// such, any other as doubles; text is stored as strings.
func (w *Writer) Write(cols []table.Column, rows int) error {
	if w.out == nil {
		fields := make([]arrow.Field, len(cols))
		for i := range cols {
			c := &cols[i]
			fields[i] = arrow.Field{Name: c.Name, Type: typeOf(c), Nullable: c.Null != nil}
		}
		s := arrow.NewSchema(fields, nil)
		w.out = ipc.NewWriter(w.to, ipc.WithSchema(s))
		w.row = array.NewRecordBuilder(memory.NewGoAllocator(), s)
	}
	for i := range cols {
		c, field := &cols[i], w.row.Field(i)
		field.Reserve(rows)
		for row := range rows {
			if c.IsNull(row) {
				field.AppendNull()
				continue
			}
			switch b := field.(type) {
			case *array.StringBuilder:
				b.Append(c.Level[c.Code[row]])
			case *array.BooleanBuilder:
				b.Append(c.Number[row] != 0)
			case *array.Int64Builder:
				if c.Int != nil {
					b.Append(c.Int[row])
				} else {
					b.Append(int64(c.Number[row]))
				}
			case *array.Uint64Builder:
				if c.Int != nil {
					b.Append(uint64(c.Int[row]))
				} else {
					b.Append(uint64(c.Number[row]))
				}
			case *array.Float64Builder:
				b.Append(c.Number[row])
			}
		}
	}
	batch := w.row.NewRecord()
	defer batch.Release()
	return w.out.Write(batch)
}

// typeOf returns the Arrow type for storing a column.
func typeOf(c *table.Column) arrow.DataType {
	switch {
	case c.Kind == table.Categorical:
		return arrow.BinaryTypes.String
	case c.Kind == table.Bool:
		return arrow.FixedWidthTypes.Boolean
	case c.Type == "int64":
		return arrow.PrimitiveTypes.Int64
	case c.Type == "uint64":
		return arrow.PrimitiveTypes.Uint64
	}
	return arrow.PrimitiveTypes.Float64
}

// Close ends the stream.
func (w *Writer) Close() error {
	if w.out == nil {
		return nil
	}
	w.row.Release()
	return w.out.Close()
}
