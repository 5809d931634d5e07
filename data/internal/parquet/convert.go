package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
)

// A converter converts the values of a Parquet column to numbers. exact reports whether a float64 holds all digits
// of a value.
type converter struct {
	name    string // name of the type, for the user
	kind    table.Kind
	zoned   bool // times are in UTC, from a clock with a time zone
	clock   bool // dates or times: the kind is Other, or Numeric in days
	integer bool
	number  func(v int64) (x float64, exact bool) // conversion of Int32 and Int64
	bytes   func(b []byte) (x float64, exact bool)
	text    func(b []byte) string // conversion of decimals stored as texts
}

// unitsPerSecond maps Parquet's units of time to their number in a second.
var unitsPerSecond = map[schema.TimeUnitType]int64{schema.TimeUnitMillis: 1e3, schema.TimeUnitMicros: 1e6,
	schema.TimeUnitNanos: 1e9}

// converterFor returns the converter of a leaf column with the given physical type and annotation. Columns of
// unsupported types are of kind Other.
func converterFor(d *schema.Column, dates bool) converter {
	clock := converter{clock: true}
	if dates {
		clock.kind = table.Numeric
	}
	phys, logical := d.PhysicalType(), d.LogicalType()
	if logical == nil || logical.IsNone() {
		if phys == parquet.Types.Int96 {
			clock.name, clock.bytes = "timestamp", int96Days
			return clock
		}
		return plainConverter("binary", phys)
	}
	c := converter{name: logical.String()}
	switch t := logical.(type) {
	case schema.StringLogicalType, schema.EnumLogicalType, schema.JSONLogicalType:
		c.name, c.kind = "string", table.Categorical
	case schema.NullLogicalType, schema.UnknownLogicalType:
		return plainConverter("null", phys)
	case schema.Float16LogicalType:
		c.name, c.kind = "float16", table.Numeric
		c.bytes = func(b []byte) (float64, bool) { return numeral.HalfToFloat(binary.LittleEndian.Uint16(b)), true }
	case *schema.DecimalLogicalType:
		return decimalConverter(t.Precision(), t.Scale())
	case *schema.IntLogicalType:
		return intConverter(int(t.BitWidth()), t.IsSigned())
	case schema.DateLogicalType:
		clock.name, clock.number = "date", divideBy(1)
		return clock
	case *schema.TimestampLogicalType:
		if per := unitsPerSecond[t.TimeUnit()]; per > 0 {
			clock.name, clock.number, clock.zoned = "timestamp", divideBy(86400*float64(per)), t.IsAdjustedToUTC()
			return clock
		}
	case *schema.TimeLogicalType:
		if per := unitsPerSecond[t.TimeUnit()]; per > 0 {
			c.name, c.kind = intake.TimeOfDay, table.Numeric
			c.number = func(v int64) (float64, bool) {
				if v < 0 || v > 86400*per {
					panic(table.Damaged("%d is not a time of day", v))
				}
				return float64(v) / float64(per), true
			}
		}
	}
	return c
}

// divideBy returns a function that converts counts of a unit, of which units make up one, to numbers.
func divideBy(units float64) func(v int64) (float64, bool) {
	return func(v int64) (float64, bool) { return float64(v) / units, true }
}

// int96Days converts timestamps as written by Spark, which consist of the nanoseconds of a day and its Julian day
// number, to days. For whole microseconds it returns the same bits as for a column of microseconds.
func int96Days(b []byte) (float64, bool) {
	// Julian day number of 1970-01-01, and a number of days whose microseconds an int64 can hold
	const epoch, far = 2440588, 100e6
	day := int64(int32(binary.LittleEndian.Uint32(b[8:]))) - epoch
	ns := int64(binary.LittleEndian.Uint64(b))
	if ns%1e3 == 0 && max(day, -day) < far && max(ns, -ns) <= 86400e9 {
		return float64(day*86400e6+ns/1e3) / 86400e6, true
	}
	return float64(day) + float64(ns)/86400e9, true
}

// plainConverter returns the converter of a physical type without an annotation; other is the name to show for
// unsupported types.
func plainConverter(other string, phys parquet.Type) converter {
	switch phys {
	case parquet.Types.Boolean:
		return converter{name: "bool", kind: table.Bool}
	case parquet.Types.Int32:
		return intConverter(32, true)
	case parquet.Types.Int64:
		return intConverter(64, true)
	case parquet.Types.Float:
		return converter{name: "float32", kind: table.Numeric}
	case parquet.Types.Double:
		return converter{name: "float64", kind: table.Numeric}
	}
	return converter{name: other}
}

// intConverter returns the converter of integers with the given number of bits.
func intConverter(bits int, signed bool) converter {
	c := converter{kind: table.Numeric, integer: true, name: fmt.Sprintf("int%d", bits)}
	least, most := int64(-1)<<(bits-1), int64(1)<<(bits-1)-1
	if !signed {
		c.name, least, most = "u"+c.name, 0, int64(1)<<bits-1
	}
	switch {
	case bits == 64 && signed:
		c.number = func(v int64) (float64, bool) { return float64(v), numeral.IsExactInt64(v) }
	case bits == 64:
		c.number = func(v int64) (float64, bool) { return float64(uint64(v)), numeral.IsExactUint64(v) }
	case bits == 32 && !signed:
		c.number = func(v int64) (float64, bool) { return float64(uint32(v)), true }
	default:
		c.number = func(v int64) (float64, bool) {
			if v < least || v > most {
				panic(table.Damaged("%d is not a value of type %s", v, c.name))
			}
			return float64(v), true
		}
	}
	return c
}

// withExactValues returns a converter that keeps the exact values of a column, or how if its numbers are exact
// already. arrow is the type of the column in the Arrow schema that its writer stored, or "".
func withExactValues(d *schema.Column, how converter, arrow string) converter {
	switch d.LogicalType().(type) {
	case schema.NullLogicalType, schema.UnknownLogicalType:
		how.name = "null"
		return how
	}
	if how.kind == table.Numeric && strings.HasPrefix(how.name, "float") {
		how.name = numeral.BitsType(how.name)
		return how
	}
	e, ok := exactTypeOf(d, how, arrow)
	if !ok {
		return how
	}
	c := converter{name: e.AsBits(), kind: table.Numeric, integer: how.integer, clock: how.clock}
	bits := func(v int64) (float64, bool) { return math.Float64frombits(uint64(v)), true }
	switch {
	case e.HasTexts():
		c.kind = table.Categorical
		c.text = e.DecimalText
	case e.Form == table.DecimalForm:
		c.number = func(v int64) (float64, bool) { return bits(e.CheckDigits(v)) }
		c.bytes = func(b []byte) (float64, bool) { return bits(e.DecimalInt(b)) }
	case d.PhysicalType() == parquet.Types.Int96:
		c.bytes = func(b []byte) (float64, bool) { return bits(int96Nanoseconds(b)) }
	case e.Form == table.TimeForm:
		// how.number notes numbers outside its range
		c.number = func(v int64) (float64, bool) { how.number(v); return bits(v) }
	default:
		c.number = bits
	}
	return c
}

// exactTypeOf returns the exact type of a column; ok is false if its numbers are exact already.
func exactTypeOf(d *schema.Column, how converter, arrow string) (e table.ExactType, ok bool) {
	if how.name == "int64" || how.name == "uint64" {
		if e, ok = table.ParseExactType(arrow); ok && e.Form == table.DurationForm {
			return e, true
		}
		return table.ParseExactType(how.name)
	}
	switch t := d.LogicalType().(type) {
	case *schema.DecimalLogicalType:
		e := table.ExactType{Form: table.DecimalForm, Bits: 128, Precision: t.Precision(), Scale: t.Scale()}
		if t.Precision() > 38 {
			e.Bits = 256
		}
		return e, true
	case schema.DateLogicalType:
		return table.ExactType{Form: table.DateForm, Bits: 32}, true
	case *schema.TimestampLogicalType:
		e := table.ExactType{Form: table.TimestampForm, Bits: 64, PerSecond: unitsPerSecond[t.TimeUnit()]}
		if t.IsAdjustedToUTC() {
			e.Zone = "UTC"
			if stored, ok := table.ParseExactType(arrow); ok && stored.Form == table.TimestampForm && stored.Zone != "" {
				e.Zone = stored.Zone
			}
		}
		return e, e.PerSecond > 0
	case *schema.TimeLogicalType:
		e := table.ExactType{Form: table.TimeForm, Bits: 64, PerSecond: unitsPerSecond[t.TimeUnit()]}
		if e.PerSecond == 1e3 {
			e.Bits = 32
		}
		return e, e.PerSecond > 0
	}
	return table.ExactType{Form: table.TimestampForm, Bits: 64, PerSecond: 1e9}, d.PhysicalType() == parquet.Types.Int96
}

// int96Nanoseconds converts a timestamp as written by Spark to nanoseconds since 1970. It panics with an error for
// years outside 1677 to 2262, whose nanoseconds do not fit in an int64.
func int96Nanoseconds(b []byte) int64 {
	const epoch, perDay = 2440588, 86400e9
	day := int64(int32(binary.LittleEndian.Uint32(b[8:]))) - epoch
	ns := int64(binary.LittleEndian.Uint64(b))
	if max(day, -day) > 106750 || max(ns, -ns) > perDay {
		panic(&table.Error{Msg: "a 96-bit timestamp lies outside the years 1677 to 2262",
			Hint: "write the column with microsecond timestamps"})
	}
	return day*perDay + ns
}

// decimalConverter returns the converter of decimals with the given precision and scale.
func decimalConverter(precision, scale int32) converter {
	c := converter{kind: table.Numeric, integer: scale == 0, name: fmt.Sprintf("decimal(%d, %d)", precision, scale)}
	most := math.Pow10(int(precision - scale)) // a larger value that rounds to this limit is accepted
	within := func(v float64) float64 {
		if math.Abs(v) > most {
			panic(table.Damaged("%v is not a value of type %s", v, c.name))
		}
		return v
	}
	c.number = func(v int64) (float64, bool) { return within(numeral.Decimal(v, scale)), numeral.IsExactInt64(v) }
	c.bytes = func(b []byte) (float64, bool) {
		v, exact := numeral.BigDecimal(b, scale)
		return within(v), exact
	}
	return c
}

// groupType returns a type name for a column that is a group or is repeated.
func groupType(n schema.Node) string {
	switch n.LogicalType().(type) {
	case schema.ListLogicalType:
		return "list"
	case schema.MapLogicalType:
		return "map"
	}
	if n.Type() != schema.Group {
		return "list"
	}
	return "struct"
}

// valueWidth returns the size in bytes of a value in plain encoding, 0 for byte arrays and −1 for bools.
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
