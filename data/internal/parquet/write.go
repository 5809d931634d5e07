package parquet

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math/big"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/drotrain/drotrain/data/internal/ipc"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
)

// GroupRows is the number of rows in a row group.
const GroupRows = 1 << 18

// A Writer writes blocks of columns as row groups compressed with zstd, whose frames have checksums. Numbers are stored
// in the types that data.WriteTable documents, which checks the columns before it passes them on.
type Writer struct {
	to  io.Writer
	out *file.Writer // set after the first block, which determines the schema
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
		logical, phys, width := typeOf(c)
		if c.Type == "null" {
			rep = parquet.Repetitions.Optional
		}
		n, err := schema.NewPrimitiveNodeLogical(c.Name, rep, logical, phys, width, -1)
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
	stored, err := arrowMetadata(cols)
	if err != nil {
		return err
	}
	w.out = file.NewParquetWriter(w.to, root, file.WithWriterProps(props), file.WithWriteMetadata(stored))
	return nil
}

// Write writes the given number of rows of the columns.
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

// typeOf returns the types in which a column is stored, and the size in bytes of values of fixed length, or −1.
func typeOf(c *table.Column) (logical schema.LogicalType, phys parquet.Type, width int) {
	if e, ok := c.ExactType(); ok {
		return exactType(e)
	}
	switch bits := integers[c.Type]; {
	case c.Type == "null":
		return schema.NullLogicalType{}, parquet.Types.Int32, -1
	case c.Kind == table.Bool:
		return schema.NoLogicalType{}, parquet.Types.Boolean, -1
	case c.Kind == table.Categorical:
		return schema.StringLogicalType{}, parquet.Types.ByteArray, -1
	case bits == 64 || bits == -64:
		return schema.NewIntLogicalType(64, bits > 0), parquet.Types.Int64, -1
	case bits != 0:
		return schema.NewIntLogicalType(max(bits, -bits), bits > 0), parquet.Types.Int32, -1
	case c.Type == "float32":
		return schema.NoLogicalType{}, parquet.Types.Float, -1
	case c.Type == "float16":
		return schema.Float16LogicalType{}, parquet.Types.FixedLenByteArray, 2
	}
	return schema.NoLogicalType{}, parquet.Types.Double, -1
}

// timeUnits maps units per second to Parquet's units. Seconds, which Parquet lacks, become milliseconds.
var timeUnits = map[int64]schema.TimeUnitType{1: schema.TimeUnitMillis, 1e3: schema.TimeUnitMillis,
	1e6: schema.TimeUnitMicros, 1e9: schema.TimeUnitNanos}

// exactType works like typeOf for exact values. Decimals with a negative scale, which Parquet lacks, are stored
// with scale 0.
func exactType(e table.ExactType) (logical schema.LogicalType, phys parquet.Type, width int) {
	switch e.Form {
	case table.SignedForm, table.UnsignedForm:
		return schema.NewIntLogicalType(64, e.Form == table.SignedForm), parquet.Types.Int64, -1
	case table.DateForm:
		return schema.DateLogicalType{}, parquet.Types.Int32, -1
	case table.TimeForm:
		logical := schema.NewTimeLogicalType(false, timeUnits[e.PerSecond])
		if e.PerSecond <= 1e3 {
			return logical, parquet.Types.Int32, -1
		}
		return logical, parquet.Types.Int64, -1
	case table.TimestampForm:
		return schema.NewTimestampLogicalType(e.Zone != "", timeUnits[e.PerSecond]), parquet.Types.Int64, -1
	case table.DurationForm:
		return schema.NoLogicalType{}, parquet.Types.Int64, -1
	}
	precision, scale := decimalDigits(e)
	logical = schema.NewDecimalLogicalType(precision, scale)
	if precision <= table.SmallPrecision {
		return logical, parquet.Types.Int64, -1
	}
	return logical, parquet.Types.FixedLenByteArray, decimalWidth(precision)
}

// decimalDigits returns the precision and scale of a decimal in Parquet.
func decimalDigits(e table.ExactType) (precision, scale int32) {
	return max(e.Precision-min(e.Scale, 0), e.Scale), max(e.Scale, 0)
}

// decimalWidth returns the number of bytes of a decimal with the given precision.
func decimalWidth(precision int32) int {
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(precision)), nil)
	return limit.BitLen()/8 + 1
}

// arrowMetadata returns metadata with the Arrow schema of columns whose types Parquet lacks (durations and
// timestamps with a named time zone), or nil if there are none.
func arrowMetadata(cols []table.Column) (metadata.KeyValueMetadata, error) {
	needed := false
	for i := range cols {
		e, ok := cols[i].ExactType()
		needed = needed || ok && (e.Form == table.DurationForm ||
			e.Form == table.TimestampForm && e.Zone != "" && e.Zone != "UTC")
	}
	if !needed {
		return nil, nil
	}
	b, err := ipc.WriteSchema(cols)
	if err != nil {
		return nil, err
	}
	var out metadata.KeyValueMetadata
	return out, out.Append(arrowSchema, base64.StdEncoding.EncodeToString(b))
}

// integers maps integer types to their sizes in bits, which are negative for unsigned types.
var integers = map[string]int8{"int8": 8, "int16": 16, "int32": 32, "int64": 64, "uint8": -8, "uint16": -16,
	"uint32": -32, "uint64": -64}

// writeChunk writes the rows [from, to) of a column.
func writeChunk(cw file.ColumnChunkWriter, c *table.Column, from, to int) error {
	switch w := cw.(type) {
	case *file.BooleanColumnChunkWriter:
		return writeValues(c, from, to, w.WriteBatch, func(i int) bool { return c.Number[i] != 0 })
	case *file.Int32ColumnChunkWriter:
		if c.Int != nil {
			return writeInts(c, from, to, w.WriteBatch)
		}
		if c.Type == "null" {
			return writeValues(&table.Column{Null: c.Null}, from, to, w.WriteBatch, func(int) int32 { return 0 })
		}
		return writeValues(c, from, to, w.WriteBatch, func(i int) int32 { return int32(int64(c.Number[i])) })
	case *file.Int64ColumnChunkWriter:
		switch {
		case c.Int != nil:
			return writeInts(c, from, to, w.WriteBatch)
		case c.Type == "uint64":
			return writeValues(c, from, to, w.WriteBatch, func(i int) int64 { return int64(uint64(c.Number[i])) })
		}
		return writeValues(c, from, to, w.WriteBatch, func(i int) int64 { return int64(c.Number[i]) })
	case *file.Float32ColumnChunkWriter:
		return writeValues(c, from, to, w.WriteBatch, func(i int) float32 { return float32(c.Number[i]) })
	case *file.Float64ColumnChunkWriter:
		return writeValues(c, from, to, w.WriteBatch, func(i int) float64 { return c.Number[i] })
	case *file.FixedLenByteArrayColumnChunkWriter:
		return writeValues(c, from, to, w.WriteBatch, fixedBytes(c))
	case *file.ByteArrayColumnChunkWriter:
		levels := make([]parquet.ByteArray, len(c.Level))
		for i, l := range c.Level {
			levels[i] = parquet.ByteArray(l)
		}
		return writeValues(c, from, to, w.WriteBatch, func(i int) parquet.ByteArray { return levels[c.Code[i]] })
	}
	return fmt.Errorf("column %q has a type that cannot be written", c.Name)
}

// writeValues writes the values of the rows [from, to) that are not null.
func writeValues[T any](
	c *table.Column, from, to int, write func([]T, []int16, []int16) (int64, error), get func(int) T,
) error {
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

// writeInts writes the rows [from, to) of exact values, in the unit that [exactType] chose.
func writeInts[T int32 | int64](c *table.Column, from, to int, write func([]T, []int16, []int16) (int64, error)) error {
	e, _ := c.ExactType()
	factor, divisor := int64(1), int64(1)
	switch {
	case e.Form == table.DateForm && e.Bits == 64:
		divisor = table.MsPerDay
	case (e.Form == table.TimeForm || e.Form == table.TimestampForm) && e.PerSecond == 1:
		factor = 1e3
	case e.Form == table.DecimalForm && e.Scale < 0:
		for range -e.Scale {
			factor *= 10
		}
	}
	for i := from; i < to; i++ {
		v := c.Int[i]
		if !c.IsNull(i) && (int64(T(v*factor/divisor))*divisor != v*factor || v*factor/factor != v) {
			return &table.Error{Column: c.Name, Row: i + 1,
				Msg:  fmt.Sprintf("%s of type %s cannot be stored exactly in Parquet", c.Text(i), c.Type),
				Hint: "write CSV or an Arrow stream"}
		}
	}
	return writeValues(c, from, to, write, func(i int) T { return T(c.Int[i] * factor / divisor) })
}

// fixedBytes returns a function that returns the bytes of row i, which holds a half-precision float or a long
// decimal.
func fixedBytes(c *table.Column) func(i int) parquet.FixedLenByteArray {
	e, ok := c.ExactType()
	if !ok {
		return func(i int) parquet.FixedLenByteArray {
			return binary.LittleEndian.AppendUint16(nil, numeral.FloatToHalf(c.Number[i]))
		}
	}
	precision, scale := decimalDigits(e)
	width := decimalWidth(precision)
	bytesOf := func(n *big.Int) []byte {
		if n.Sign() < 0 {
			n.Add(n, new(big.Int).Lsh(big.NewInt(1), uint(8*width)))
		}
		return n.FillBytes(make([]byte, width))
	}
	if c.Kind == table.Categorical {
		levels := make([][]byte, len(c.Level))
		for k, text := range c.Level {
			levels[k] = bytesOf(numeral.Unscaled(text, scale))
		}
		return func(i int) parquet.FixedLenByteArray { return levels[c.Code[i]] }
	}
	return func(i int) parquet.FixedLenByteArray { return bytesOf(numeral.Unscaled(c.Text(i), scale)) }
}
