package data

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// A converter says how values of a Parquet column become ours.
type converter struct {
	name    string // of the type, for the user
	kind    Kind
	integer bool
	exact   func(v int64) bool    // whether an integer survives as a float64; nil if it always does
	i32     func(v int32) float64 // one of these for numeric columns, by physical type
	i64     func(v int64) float64
	bytes   func(b []byte) (v float64, exact bool)
}

func exactInt64(v int64) bool {
	const limit = 1 << 53
	return v >= -limit && v <= limit || v != math.MaxInt64 && int64(float64(v)) == v && float64(v) < 1<<63
}

func exactUint64(v int64) bool {
	u := uint64(v)
	return float64(u) < 1<<64 && uint64(float64(u)) == u
}

// converterFor settles the meaning of a leaf column by its physical type and
// its annotation. Types without a meaning for us are Other.
func converterFor(d *schema.Column) (converter, error) {
	phys := d.PhysicalType()
	logical := d.LogicalType()
	if logical != nil && !logical.IsNone() {
		switch t := logical.(type) {
		case schema.StringLogicalType, schema.EnumLogicalType, schema.JSONLogicalType:
			if phys == parquet.Types.ByteArray {
				return converter{name: "string", kind: Categorical}, nil
			}
		case *schema.StringLogicalType, *schema.EnumLogicalType, *schema.JSONLogicalType:
			if phys == parquet.Types.ByteArray {
				return converter{name: "string", kind: Categorical}, nil
			}
		case schema.NullLogicalType, schema.UnknownLogicalType, *schema.NullLogicalType:
			return plainConverter("null", phys), nil
		case schema.Float16LogicalType, *schema.Float16LogicalType:
			return converter{name: "float16", kind: Numeric, bytes: func(b []byte) (float64, bool) {
				return float64(float16.FromBits(binary.LittleEndian.Uint16(b)).Float32()), true
			}}, nil
		case *schema.DecimalLogicalType:
			return decimalConverter(t.Precision(), t.Scale(), phys), nil
		case schema.DecimalLogicalType:
			return decimalConverter(t.Precision(), t.Scale(), phys), nil
		case *schema.IntLogicalType:
			return intConverter(int(t.BitWidth()), t.IsSigned(), phys), nil
		case schema.IntLogicalType:
			return intConverter(int(t.BitWidth()), t.IsSigned(), phys), nil
		}
		return converter{name: logical.String()}, nil
	}
	return plainConverter("", phys), nil
}

func plainConverter(name string, phys parquet.Type) converter {
	switch phys {
	case parquet.Types.Boolean:
		return converter{name: "bool", kind: Bool}
	case parquet.Types.Int32:
		return intConverter(32, true, phys)
	case parquet.Types.Int64:
		return intConverter(64, true, phys)
	case parquet.Types.Float:
		return converter{name: "float32", kind: Numeric}
	case parquet.Types.Double:
		return converter{name: "float64", kind: Numeric}
	case parquet.Types.Int96:
		return converter{name: "timestamp (int96)"}
	}
	if name == "" {
		name = "binary"
	}
	return converter{name: name}
}

func intConverter(bits int, signed bool, phys parquet.Type) converter {
	c := converter{kind: Numeric, integer: true, name: fmt.Sprintf("int%d", bits)}
	if !signed {
		c.name = "u" + c.name
	}
	switch {
	case phys == parquet.Types.Int32 && signed:
		c.i32 = func(v int32) float64 { return float64(v) }
	case phys == parquet.Types.Int32:
		c.i32 = func(v int32) float64 { return float64(uint32(v)) }
	case phys == parquet.Types.Int64 && signed:
		c.i64 = func(v int64) float64 { return float64(v) }
		c.exact = exactInt64
	case phys == parquet.Types.Int64:
		c.i64 = func(v int64) float64 { return float64(uint64(v)) }
		c.exact = exactUint64
	default:
		return converter{name: "integer"}
	}
	return c
}

func decimalConverter(precision, scale int32, phys parquet.Type) converter {
	c := converter{kind: Numeric, integer: scale == 0, name: fmt.Sprintf("decimal(%d, %d)", precision, scale)}
	switch phys {
	case parquet.Types.Int32:
		c.i32 = func(v int32) float64 { return decimal(int64(v), scale) }
	case parquet.Types.Int64:
		c.i64 = func(v int64) float64 { return decimal(v, scale) }
		c.exact = exactInt64
	case parquet.Types.ByteArray, parquet.Types.FixedLenByteArray:
		c.bytes = func(b []byte) (float64, bool) { return bigDecimal(b, scale) }
	default:
		return converter{name: c.name}
	}
	return c
}

func groupType(n schema.Node) string {
	if t := n.LogicalType(); t != nil && !t.IsNone() {
		switch t.(type) {
		case schema.ListLogicalType, *schema.ListLogicalType:
			return "list"
		case schema.MapLogicalType, *schema.MapLogicalType:
			return "map"
		}
	}
	return "struct"
}

// valueWidth is the number of bytes of a plain value; 0 for byte arrays and -1 for bools.
func valueWidth(d *schema.Column) int {
	switch d.PhysicalType() {
	case parquet.Types.Boolean:
		return -1
	case parquet.Types.Int32, parquet.Types.Float:
		return 4
	case parquet.Types.Int64, parquet.Types.Double:
		return 8
	case parquet.Types.Int96:
		return 12
	case parquet.Types.FixedLenByteArray:
		if n := d.TypeLength(); n > 0 {
			return n
		}
		panic(errDamaged("a fixed-length type has no length"))
	}
	return 0
}

// bufferPool serves Arrow's readers.
var bufferPool = sync.Pool{New: func() any { return memory.NewResizableBuffer(memory.NewGoAllocator()) }}

const batchRows = 8192

// decodeChunk decodes one column chunk into its rows of the column.
func decodeChunk(l *leaf, c *chunk, pages []pageHeader, start int, levels *levelSet) error {
	if c.values == 0 {
		return nil
	}
	maxDef := l.descr.MaxDefinitionLevel()
	feed := &pageFeed{pages: pages, codec: c.codec, width: valueWidth(l.descr), maxDef: maxDef}
	reader := file.NewColumnReader(l.descr, feed, memory.NewGoAllocator(), &bufferPool)

	out := &sink{column: l.out, how: &l.how, levels: levels, start: start, end: start + c.values}
	if maxDef > 0 {
		out.defs = make([]int16, batchRows)
	}
	switch r := reader.(type) {
	case *file.BooleanColumnChunkReader:
		return drain(out, r.ReadBatch, func(row int, v bool) {
			if v {
				l.out.Number[row] = 1
			}
		}, r)
	case *file.Int32ColumnChunkReader:
		return drain(out, r.ReadBatch, func(row int, v int32) { l.out.Number[row] = l.how.i32(v) }, r)
	case *file.Int64ColumnChunkReader:
		exact := l.how.exact
		return drain(out, r.ReadBatch, func(row int, v int64) {
			l.out.Number[row] = l.how.i64(v)
			if !exact(v) {
				out.lost(row)
			}
		}, r)
	case *file.Float32ColumnChunkReader:
		return drain(out, r.ReadBatch, func(row int, v float32) { l.out.Number[row] = float64(v) }, r)
	case *file.Float64ColumnChunkReader:
		return drain(out, r.ReadBatch, func(row int, v float64) { l.out.Number[row] = v }, r)
	case *file.ByteArrayColumnChunkReader:
		if l.out.Kind == Categorical {
			return drain(out, r.ReadBatch, func(row int, v parquet.ByteArray) { l.out.Code[row] = levels.codeOfBytes(v) }, r)
		}
		return drain(out, r.ReadBatch, func(row int, v parquet.ByteArray) { out.number(row, v) }, r)
	case *file.FixedLenByteArrayColumnChunkReader:
		return drain(out, r.ReadBatch, func(row int, v parquet.FixedLenByteArray) { out.number(row, v) }, r)
	}
	return errDamaged("values of type %s cannot be read", l.out.Type)
}

// A sink is where a chunk's values go.
type sink struct {
	column     *Column
	how        *converter
	levels     *levelSet
	start, end int
	defs       []int16
}

func (s *sink) lost(row int) {
	if s.levels.inexact == 0 {
		s.levels.inexact = row - s.start + 1
	}
}

func (s *sink) number(row int, b []byte) {
	v, exact := s.how.bytes(b)
	s.column.Number[row] = v
	if !exact {
		s.lost(row)
	}
}

// drain reads batches to the end of the chunk and puts values and nulls in their rows.
func drain[T any](s *sink, read func(int64, []T, []int16, []int16) (int64, int, error), put func(row int, v T), r file.ColumnChunkReader) error {
	values := make([]T, min(batchRows, s.end-s.start))
	row := s.start
	for row < s.end {
		want := min(len(values), s.end-row)
		total, present, err := read(int64(want), values[:want], s.defs, nil)
		if err != nil {
			return errDamaged("%v", err)
		}
		if total <= 0 || total > int64(want) || present > int(total) {
			break
		}
		if s.defs == nil {
			for i, v := range values[:present] {
				put(row+i, v)
			}
		} else {
			k := 0
			for i, d := range s.defs[:total] {
				if d > 0 {
					if k == present {
						return errDamaged("a page has fewer values than it says")
					}
					put(row+i, values[k])
					k++
					continue
				}
				s.column.Null[row+i] = true
				if s.column.Kind == Categorical {
					s.column.Code[row+i] = -1
				}
			}
		}
		row += int(total)
	}
	if err := r.Err(); err != nil {
		return errDamaged("%v", err)
	}
	if row != s.end {
		return errDamaged("a column ends %d values early", s.end-row)
	}
	return nil
}
