package ipc

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/big"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/shard"
)

// A Writer writes columns as an Arrow IPC stream with one record batch for each block.
type Writer struct {
	to  io.Writer
	out *ipc.Writer          // set after the first block, which determines the schema
	row *array.RecordBuilder // builder of rows with the schema
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Write writes the given number of rows of the columns. A column is stored in the type that its Type names if this
// is a number type or a [table.ExactType]; other numbers are stored as float64 and texts as strings.
func (w *Writer) Write(cols []table.Column, rows int) error {
	if w.out == nil {
		s := schemaOf(cols)
		w.out = ipc.NewWriter(w.to, ipc.WithSchema(s))
		w.row = array.NewRecordBuilder(memory.NewGoAllocator(), s)
	}
	err := shard.Parallel(context.Background(), len(cols), func(i int) error {
		c, field := &cols[i], w.row.Field(i)
		field.Reserve(rows)
		if b, ok := field.(*array.Float64Builder); ok && c.Null == nil {
			b.AppendValues(c.Number[:rows], nil)
			return nil
		}
		put, err := appender(field, c)
		if err != nil {
			return intake.InColumn(c.Name, err)
		}
		for row := range rows {
			if c.IsNull(row) {
				field.AppendNull()
			} else {
				put(row)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	batch := w.row.NewRecord()
	defer batch.Release()
	return w.out.Write(batch)
}

// schemaOf returns the schema for storing columns.
func schemaOf(cols []table.Column) *arrow.Schema {
	fields := make([]arrow.Field, len(cols))
	for i := range cols {
		c := &cols[i]
		fields[i] = arrow.Field{Name: c.Name, Type: typeOf(c), Nullable: c.Null != nil || c.Type == "null"}
	}
	return arrow.NewSchema(fields, nil)
}

// WriteSchema returns a stream that contains the schema for storing columns but no rows.
func WriteSchema(cols []table.Column) ([]byte, error) {
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(schemaOf(cols)))
	err := w.Close()
	return b.Bytes(), err
}

// appendWith returns a function that passes the value that get returns for a row to put.
func appendWith[T any](put func(T), get func(row int) T) func(row int) {
	return func(row int) { put(get(row)) }
}

// integerAt returns a function that returns the integer in a row as a T.
func integerAt[T arrow.IntType | arrow.UintType](c *table.Column) func(row int) T {
	if c.Int != nil {
		return func(row int) T { return T(c.Int[row]) }
	}
	return func(row int) T { return T(c.Number[row]) }
}

// appender returns a function that appends the value of a row of a column to a builder.
func appender(to array.Builder, c *table.Column) (put func(row int), err error) {
	e, _ := table.ParseExactType(c.Type)
	unscaled := func(row int) *big.Int {
		if c.Kind == table.Categorical {
			return numeral.Unscaled(c.Level[c.Code[row]], e.Scale)
		}
		return big.NewInt(c.Int[row])
	}
	switch b := to.(type) {
	case *array.NullBuilder:
		return func(int) { b.AppendNull() }, nil
	case *array.StringBuilder:
		return appendWith(b.Append, func(row int) string { return c.Level[c.Code[row]] }), nil
	case *array.BooleanBuilder:
		return appendWith(b.Append, func(row int) bool { return c.Number[row] != 0 }), nil
	case *array.Int8Builder:
		return appendWith(b.Append, integerAt[int8](c)), nil
	case *array.Int16Builder:
		return appendWith(b.Append, integerAt[int16](c)), nil
	case *array.Int32Builder:
		return appendWith(b.Append, integerAt[int32](c)), nil
	case *array.Int64Builder:
		return appendWith(b.Append, integerAt[int64](c)), nil
	case *array.Uint8Builder:
		return appendWith(b.Append, integerAt[uint8](c)), nil
	case *array.Uint16Builder:
		return appendWith(b.Append, integerAt[uint16](c)), nil
	case *array.Uint32Builder:
		return appendWith(b.Append, integerAt[uint32](c)), nil
	case *array.Uint64Builder:
		return appendWith(b.Append, integerAt[uint64](c)), nil
	case *array.Float16Builder:
		return appendWith(b.Append,
				func(row int) float16.Num { return float16.FromBits(numeral.FloatToHalf(c.Number[row])) }),
			nil
	case *array.Float32Builder:
		return appendWith(b.Append, func(row int) float32 { return float32(c.Number[row]) }), nil
	case *array.Float64Builder:
		return appendWith(b.Append, func(row int) float64 { return c.Number[row] }), nil
	case *array.Date32Builder:
		return appendWith(b.Append, integerAt[arrow.Date32](c)), nil
	case *array.Date64Builder:
		return appendWith(b.Append, integerAt[arrow.Date64](c)), nil
	case *array.Time32Builder:
		return appendWith(b.Append, integerAt[arrow.Time32](c)), nil
	case *array.Time64Builder:
		return appendWith(b.Append, integerAt[arrow.Time64](c)), nil
	case *array.TimestampBuilder:
		return appendWith(b.Append, integerAt[arrow.Timestamp](c)), nil
	case *array.DurationBuilder:
		return appendWith(b.Append, integerAt[arrow.Duration](c)), nil
	case *array.Decimal128Builder:
		return appendWith(b.Append, func(row int) decimal128.Num { return decimal128.FromBigInt(unscaled(row)) }), nil
	case *array.Decimal256Builder:
		return appendWith(b.Append, func(row int) decimal256.Num { return decimal256.FromBigInt(unscaled(row)) }), nil
	}
	return nil, &table.Error{Msg: fmt.Sprintf("values of type %s cannot be written as Arrow", c.Type),
		Hint: "write CSV, which stores them as text"}
}

// numberTypes maps the names of number types to Arrow's types.
var numberTypes = map[string]arrow.DataType{
	"int8": arrow.PrimitiveTypes.Int8, "int16": arrow.PrimitiveTypes.Int16, "int32": arrow.PrimitiveTypes.Int32,
	"int64": arrow.PrimitiveTypes.Int64,
	"uint8": arrow.PrimitiveTypes.Uint8, "uint16": arrow.PrimitiveTypes.Uint16, "uint32": arrow.PrimitiveTypes.Uint32,
	"uint64":  arrow.PrimitiveTypes.Uint64,
	"float16": arrow.FixedWidthTypes.Float16, "float32": arrow.PrimitiveTypes.Float32,
}

// typeOf returns the Arrow type for storing a column.
func typeOf(c *table.Column) arrow.DataType {
	if e, ok := c.ExactType(); ok {
		return exactType(e)
	}
	switch {
	case c.Type == "null":
		return arrow.Null
	case c.Kind == table.Categorical:
		return arrow.BinaryTypes.String
	case c.Kind == table.Bool:
		return arrow.FixedWidthTypes.Boolean
	case numberTypes[c.Type] != nil:
		return numberTypes[c.Type]
	}
	return arrow.PrimitiveTypes.Float64
}

// exactType returns the Arrow type of exact values.
func exactType(e table.ExactType) arrow.DataType {
	unit := map[int64]arrow.TimeUnit{1: arrow.Second, 1e3: arrow.Millisecond, 1e6: arrow.Microsecond,
		1e9: arrow.Nanosecond}[e.PerSecond]
	switch e.Form {
	case table.SignedForm:
		return arrow.PrimitiveTypes.Int64
	case table.UnsignedForm:
		return arrow.PrimitiveTypes.Uint64
	case table.DateForm:
		if e.Bits == 64 {
			return arrow.FixedWidthTypes.Date64
		}
		return arrow.FixedWidthTypes.Date32
	case table.TimeForm:
		if e.Bits == 64 {
			return &arrow.Time64Type{Unit: unit}
		}
		return &arrow.Time32Type{Unit: unit}
	case table.DurationForm:
		return &arrow.DurationType{Unit: unit}
	case table.TimestampForm:
		return &arrow.TimestampType{Unit: unit, TimeZone: e.Zone}
	}
	if e.Bits == 256 {
		return &arrow.Decimal256Type{Precision: e.Precision, Scale: e.Scale}
	}
	return &arrow.Decimal128Type{Precision: e.Precision, Scale: e.Scale}
}

// Close ends the stream.
func (w *Writer) Close() error {
	if w.out == nil {
		return nil
	}
	w.row.Release()
	return w.out.Close()
}
