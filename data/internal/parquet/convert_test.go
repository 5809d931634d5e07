package parquet

import (
	"errors"
	"math"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/drotrain/drotrain/data/internal/table"
)

func TestConverters_TimesAndDecimalsOutOfRange(t *testing.T) {
	var millis, micros converter
	millis.timeOfDay(schema.TimeUnitMillis)
	micros.timeOfDay(schema.TimeUnitMicros)
	narrow := decimalConverter(4, 2, parquet.Types.Int32)
	wide := decimalConverter(18, 3, parquet.Types.Int64)
	bytes := decimalConverter(4, 2, parquet.Types.FixedLenByteArray)
	for _, c := range []struct {
		name string
		read func() float64
		want float64 // NaN: damaged
	}{
		{"midnight", func() float64 { return millis.i32(0) }, 0},
		{"the end of a day", func() float64 { return micros.i64(86400e6) }, 86400},
		{"a time before midnight", func() float64 { return millis.i32(-1) }, math.NaN()},
		{"a time of the next day", func() float64 { return micros.i64(86400e6 + 1) }, math.NaN()},
		{"a decimal of four digits", func() float64 { return narrow.i32(-9999) }, -99.99},
		{"a decimal of five digits", func() float64 { return narrow.i32(10001) }, math.NaN()},
		{"a decimal of 18 digits", func() float64 { return wide.i64(123456789012345678) }, 123456789012345.678},
		{"a decimal of bytes", func() float64 { v, _ := bytes.bytes([]byte{0x27, 0x0f}); return v }, 99.99},
		{"a decimal of too many bytes", func() float64 { v, _ := bytes.bytes([]byte{0x27, 0x11}); return v }, math.NaN()},
	} {
		var got float64
		err := table.Guard(func() error { got = c.read(); return nil })
		if damaged := math.IsNaN(c.want); damaged != errors.Is(err, table.ErrDamaged) || !damaged && got != c.want {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}
