package parquet

import (
	"errors"
	"math"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
)

// converterOf returns the converter of a column of a type.
func converterOf(logical schema.LogicalType, phys parquet.Type, length int, dates bool) converter {
	node := schema.MustPrimitive(schema.NewPrimitiveNodeLogical("x", parquet.Repetitions.Required, logical, phys, length,
		-1))
	return converterFor(schema.NewColumn(node, 0, 0), dates)
}

func TestConverters_ValuesOutOfRange(t *testing.T) {
	i32, i64 := parquet.Types.Int32, parquet.Types.Int64
	millis := converterOf(schema.NewTimeLogicalType(true, schema.TimeUnitMillis), i32, -1, false)
	micros := converterOf(schema.NewTimeLogicalType(true, schema.TimeUnitMicros), i64, -1, false)
	narrow := converterOf(schema.NewDecimalLogicalType(4, 2), i32, -1, false)
	wide := converterOf(schema.NewDecimalLogicalType(18, 3), i64, -1, false)
	bytes := converterOf(schema.NewDecimalLogicalType(4, 2), parquet.Types.FixedLenByteArray, 2, false)
	int8s := converterOf(schema.NewIntLogicalType(8, true), i32, -1, false)
	uint16s := converterOf(schema.NewIntLogicalType(16, false), i32, -1, false)
	uint32s := converterOf(schema.NewIntLogicalType(32, false), i32, -1, false)
	of := func(c converter, v int64) func() (float64, bool) {
		return func() (float64, bool) { return c.number(v) }
	}
	for _, c := range []struct {
		name string
		read func() (float64, bool)
		want float64 // NaN: damaged
	}{
		{"midnight", of(millis, 0), 0},
		{"the end of a day", of(micros, 86400e6), 86400},
		{"a time before midnight", of(millis, -1), math.NaN()},
		{"a time of the next day", of(micros, 86400e6+1), math.NaN()},
		{"a decimal of four digits", of(narrow, -9999), -99.99},
		{"a decimal of five digits", of(narrow, 10001), math.NaN()},
		{"a decimal of 18 digits", of(wide, 123456789012345678), 123456789012345.678},
		{"a decimal of bytes", func() (float64, bool) { return bytes.bytes([]byte{0x27, 0x0f}) }, 99.99},
		{"a decimal of too many bytes", func() (float64, bool) { return bytes.bytes([]byte{0x27, 0x11}) }, math.NaN()},
		{"the least of 8 bits", of(int8s, -128), -128},
		{"too large for 8 bits", of(int8s, 128), math.NaN()},
		{"the largest of 16 bits without a sign", of(uint16s, 65535), 65535},
		{"negative without a sign", of(uint16s, -1), math.NaN()},
		{"the largest of 32 bits without a sign", of(uint32s, -1), math.MaxUint32},
	} {
		var got float64
		err := intake.Guard(func() error { got, _ = c.read(); return nil })
		if damaged := math.IsNaN(c.want); damaged != errors.Is(err, table.ErrDamaged) || !damaged && got != c.want {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}
