package parquet

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

// Durations are found in the schema as Arrow writes it, in every unit; from damaged bytes
// nothing but units comes.
func TestDurations(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{
		{Name: "x", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.FixedWidthTypes.Duration_s},
		{Name: "ms", Type: arrow.FixedWidthTypes.Duration_ms}, {Name: "µs", Type: arrow.FixedWidthTypes.Duration_us},
		{Name: "ns", Type: arrow.FixedWidthTypes.Duration_ns}, {Name: "at", Type: arrow.FixedWidthTypes.Time64us}}, nil)
	var stream bytes.Buffer
	if err := ipc.NewWriter(&stream, ipc.WithSchema(s)).Close(); err != nil {
		t.Fatal(err)
	}
	raw := stream.Bytes() // the schema, and the mark of the end
	want := map[string]float64{"s": 1, "ms": 1e3, "µs": 1e6, "ns": 1e9}
	got := flat(raw[8:]).durations()
	if len(got) != len(want) {
		t.Errorf("%v, want %v", got, want)
	}
	for name, unit := range want {
		if got[name] != unit {
			t.Errorf("%s: %v a second, want %v", name, got[name], unit)
		}
	}
	// A unit may be left out where others are not: then it is milliseconds.
	f := flat(bytes.Clone(raw[8:]))
	fields := f.table(f.field(f.table(f.field(f.table(0), 2)), 1))
	ns := f.table(f.field(f.table(fields+4+4*4), 3))
	entry := ns - int(int32(f.u32(ns))) + 4
	f[entry], f[entry+1] = 0, 0
	if got := f.durations()["ns"]; got != 1e3 {
		t.Errorf("no unit: %v a second", got)
	}
	r := rand.New(rand.NewPCG(1, 9))
	for range 20_000 {
		b := append([]byte(nil), raw[8:8+r.IntN(len(raw)-8)]...)
		for range r.IntN(8) {
			if len(b) > 0 {
				b[r.IntN(len(b))] = byte(r.Uint32())
			}
		}
		for name, unit := range flat(b).durations() {
			if len(name) > len(b) || unit < 1 || unit > 1e9 {
				t.Fatalf("%q: %v", name, unit)
			}
		}
	}
}
