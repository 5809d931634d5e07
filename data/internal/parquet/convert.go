package parquet

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/drotrain/drotrain/data/internal/table"
)

// A converter converts values of a Parquet column.
type converter struct {
	name    string // of the type, for the user
	kind    table.Kind
	clock   bool // dates or times; of kind Other, or Numeric as days
	integer bool
	exact   func(v int64) bool    // whether an integer survives as a float64; nil if it always does
	i32     func(v int32) float64 // one of these for numeric columns, by physical type
	i64     func(v int64) float64
	bytes   func(b []byte) (v float64, exact bool)
}

// converterFor returns the converter of a leaf column by its physical type and its annotation. Unsupported
// types become Other.
func converterFor(d *schema.Column, dates bool) (converter, error) {
	phys := d.PhysicalType()
	logical := d.LogicalType()
	if logical != nil && !logical.IsNone() {
		switch t := logical.(type) {
		case schema.StringLogicalType, schema.EnumLogicalType, schema.JSONLogicalType:
			if phys == parquet.Types.ByteArray {
				return converter{name: "string", kind: table.Categorical}, nil
			}
		case schema.NullLogicalType, schema.UnknownLogicalType:
			return plainConverter("null", phys), nil
		case schema.Float16LogicalType:
			return converter{name: "float16", kind: table.Numeric, bytes: func(b []byte) (float64, bool) {
				return table.HalfToFloat(binary.LittleEndian.Uint16(b)), true
			}}, nil
		case *schema.DecimalLogicalType:
			return decimalConverter(t.Precision(), t.Scale(), phys), nil
		case *schema.IntLogicalType:
			return intConverter(int(t.BitWidth()), t.IsSigned(), phys), nil
		}
		return clockConverter(logical, dates), nil
	}
	if phys == parquet.Types.Int96 {
		return int96Converter(dates), nil
	}
	return plainConverter("", phys), nil
}

// int96Converter returns the converter of Spark's timestamps, nanoseconds of a day and its Julian number, to
// days. Whole microseconds give the same bits as in a column of microseconds.
func int96Converter(dates bool) converter {
	c := converter{name: "timestamp", clock: true}
	if dates {
		c.kind = table.Numeric
	}
	c.bytes = func(b []byte) (float64, bool) {
		const epoch, far = 2440588, 100e6 // Julian day of 1970-01-01; days whose microseconds an int64 holds
		day := int64(int32(binary.LittleEndian.Uint32(b[8:]))) - epoch
		ns := int64(binary.LittleEndian.Uint64(b))
		if ns%1e3 == 0 && max(day, -day) < far && max(ns, -ns) <= 86400e9 {
			return float64(day*86400e6+ns/1e3) / 86400e6, true
		}
		return float64(day) + float64(ns)/86400e9, true
	}
	return c
}

// clockConverter returns the converter of dates and timestamps to days, if dates is set.
func clockConverter(logical schema.LogicalType, dates bool) converter {
	c := converter{name: logical.String()}
	switch t := logical.(type) {
	case schema.DateLogicalType:
		c.clock, c.name = true, "date"
		c.i32 = func(v int32) float64 { return float64(v) }
	case *schema.TimestampLogicalType:
		c.timestamp(t.TimeUnit())
	case *schema.TimeLogicalType:
		c.timeOfDay(t.TimeUnit())
	}
	if c.clock && dates {
		c.kind = table.Numeric
	}
	return c
}

func (c *converter) timestamp(unit schema.TimeUnitType) {
	perDay := map[schema.TimeUnitType]float64{schema.TimeUnitMillis: 86400e3, schema.TimeUnitMicros: 86400e6, schema.TimeUnitNanos: 86400e9}[unit]
	if perDay == 0 {
		return
	}
	c.clock, c.name = true, "timestamp"
	c.i64 = func(v int64) float64 { return float64(v) / perDay }
	c.exact = func(int64) bool { return true }
}

// timeOfDay sets the conversion of times of day to seconds since midnight.
func (c *converter) timeOfDay(unit schema.TimeUnitType) {
	switch unit {
	case schema.TimeUnitMillis:
		c.i32 = func(v int32) float64 { return secondsWithinDay(int64(v), 1e3) }
		c.kind, c.name = table.Numeric, table.TimeOfDay
	case schema.TimeUnitMicros:
		c.seconds(table.TimeOfDay, func(v int64) float64 { return secondsWithinDay(v, 1e6) })
	case schema.TimeUnitNanos:
		c.seconds(table.TimeOfDay, func(v int64) float64 { return secondsWithinDay(v, 1e9) })
	}
}

// secondsWithinDay converts a time of day in units of 1/perSecond seconds to seconds. It panics with an error
// for a time outside the day.
func secondsWithinDay(v, perSecond int64) float64 {
	if v < 0 || v > 86400*perSecond {
		panic(table.Damaged("%d is no time of a day", v))
	}
	return float64(v) / float64(perSecond)
}

// seconds sets the conversion of integers to a duration in seconds.
func (c *converter) seconds(name string, of func(v int64) float64) {
	c.kind, c.name, c.integer, c.i64 = table.Numeric, name, false, of
	c.exact = func(int64) bool { return true }
}

// plainConverter returns the converter of a physical type without an annotation.
func plainConverter(name string, phys parquet.Type) converter {
	switch phys {
	case parquet.Types.Boolean:
		return converter{name: "bool", kind: table.Bool}
	case parquet.Types.Int32:
		return intConverter(32, true, phys)
	case parquet.Types.Int64:
		return intConverter(64, true, phys)
	case parquet.Types.Float:
		return converter{name: "float32", kind: table.Numeric}
	case parquet.Types.Double:
		return converter{name: "float64", kind: table.Numeric}
	}
	if name == "" {
		name = "binary"
	}
	return converter{name: name}
}

// intConverter returns the converter of integers of a width.
func intConverter(bits int, signed bool, phys parquet.Type) converter {
	c := converter{kind: table.Numeric, integer: true, name: fmt.Sprintf("int%d", bits)}
	if !signed {
		c.name = "u" + c.name
	}
	switch {
	case phys == parquet.Types.Int32 && bits < 32: // what is beyond its width was never written so
		least, most := int32(0), int32(1)<<bits-1
		if signed {
			least, most = -1<<(bits-1), 1<<(bits-1)-1
		}
		c.i32 = func(v int32) float64 {
			if v < least || v > most {
				panic(table.Damaged("%d is no value of type %s", v, c.name))
			}
			return float64(v)
		}
	case phys == parquet.Types.Int32 && signed:
		c.i32 = func(v int32) float64 { return float64(v) }
	case phys == parquet.Types.Int32:
		c.i32 = func(v int32) float64 { return float64(uint32(v)) }
	case phys == parquet.Types.Int64 && signed:
		c.i64 = func(v int64) float64 { return float64(v) }
		c.exact = table.IsExactInt64
	case phys == parquet.Types.Int64:
		c.i64 = func(v int64) float64 { return float64(uint64(v)) }
		c.exact = table.IsExactUint64
	default:
		return converter{name: "integer"}
	}
	return c
}

// asBits keeps the bits of 64-bit integers.
func (c *converter) asBits() {
	if c.name == "int64" || c.name == "uint64" {
		c.name = table.AsBits(table.Element{Size: 8, Signed: c.name == "int64"})
		c.i64 = func(v int64) float64 { return math.Float64frombits(uint64(v)) }
		c.exact = func(int64) bool { return true }
	}
}

// decimalConverter returns the converter of decimals.
func decimalConverter(precision, scale int32, phys parquet.Type) converter {
	c := converter{kind: table.Numeric, integer: scale == 0, name: fmt.Sprintf("decimal(%d, %d)", precision, scale)}
	most := math.Pow10(int(precision - scale)) // a value that rounds to it is let pass
	within := func(v float64) float64 {
		if math.Abs(v) > most {
			panic(table.Damaged("%v is no value of type %s", v, c.name))
		}
		return v
	}
	switch phys {
	case parquet.Types.Int32:
		c.i32 = func(v int32) float64 { return within(table.Decimal(int64(v), scale)) }
	case parquet.Types.Int64:
		c.i64 = func(v int64) float64 { return within(table.Decimal(v, scale)) }
		c.exact = table.IsExactInt64
	case parquet.Types.ByteArray, parquet.Types.FixedLenByteArray:
		c.bytes = func(b []byte) (float64, bool) {
			v, exact := table.BigDecimal(b, scale)
			return within(v), exact
		}
	default:
		return converter{name: c.name}
	}
	return c
}

func groupType(n schema.Node) string {
	if t := n.LogicalType(); t != nil && !t.IsNone() {
		switch t.(type) {
		case schema.ListLogicalType:
			return "list"
		case schema.MapLogicalType:
			return "map"
		}
	}
	return "struct"
}

// valueWidth returns the size in bytes of a plain value, 0 for byte arrays and −1 for bools.
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
		panic(table.Damaged("a fixed-length type has no length"))
	}
	return 0
}
