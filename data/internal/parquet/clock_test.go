package parquet

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/drotrain/drotrain/data/table"
)

// Timestamps of 96 bits are the days that the same moments are in microseconds, bit for bit,
// and in nanoseconds, to their rounding; a day that no calendar has is a number all the same.
func TestInt96_IsTheTimeByHand(t *testing.T) {
	if c := converterOf(schema.NoLogicalType{}, parquet.Types.Int96, -1, false); c.kind != table.Other || !c.clock {
		t.Errorf("of a use that nobody asked for: %+v", c)
	}
	micros := converterOf(schema.NewTimestampLogicalType(true, schema.TimeUnitMicros), parquet.Types.Int64, -1, true)
	c := converterOf(schema.NoLogicalType{}, parquet.Types.Int96, -1, true)
	days := func(julian uint32, ns uint64) float64 {
		b := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, ns), julian)
		v, exact := c.bytes(b)
		if !exact {
			t.Errorf("day %d, %d ns: digits are lost", julian, ns)
		}
		return v
	}
	if v := days(2440588, 0); v != 0 { // 1970-01-01
		t.Errorf("the first of days is %v", v)
	}
	rng := rand.New(rand.NewPCG(96, 1))
	for range 2000 {
		day, us := int64(rng.IntN(400_000)-200_000), rng.Int64N(86400e6)
		want, _ := micros.number(day*86400e6 + us)
		if got := days(uint32(day+2440588), uint64(us*1000)); math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("day %d, %d µs: %v, want %v", day, us, got, want)
		}
		ns := us*1000 + 1 + rng.Int64N(999)
		if got, want := days(uint32(day+2440588), uint64(ns)),
			float64(day)+float64(ns)/86400e9; !(math.Abs(got-want) <= 1e-15*math.Abs(want)) {
			t.Fatalf("day %d, %d ns: %v, want %v", day, ns, got, want)
		}
	}
	if v := days(math.MaxInt32, 0); v != math.MaxInt32-2440588 {
		t.Errorf("the last of days is %v", v)
	}
}
