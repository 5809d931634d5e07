package ipc

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

// Durations of a schema are those that Arrow writes; damaged bytes are an error or other fields, never a panic.
func TestReadExactTypes_Damaged(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{
		{Name: "x", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.FixedWidthTypes.Duration_s},
		{Name: "ns", Type: arrow.FixedWidthTypes.Duration_ns}, {Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Float32)}},
		nil)
	var stream bytes.Buffer
	if err := ipc.NewWriter(&stream, ipc.WithSchema(s)).Close(); err != nil {
		t.Fatal(err)
	}
	raw := stream.Bytes()
	got, err := ReadExactTypes(raw)
	if err != nil || !maps.Equal(got, map[string]string{"x": "int64", "s": "duration[s]", "ns": "duration[ns]"}) {
		t.Fatalf("%v, %v", got, err)
	}
	r := rand.New(rand.NewPCG(1, 9))
	for range 20_000 {
		b := bytes.Clone(raw[:r.IntN(len(raw))])
		for range r.IntN(8) {
			if len(b) > 0 {
				b[r.IntN(len(b))] = byte(r.Uint32())
			}
		}
		if got, err := ReadExactTypes(b); err == nil && len(got) > len(b) {
			t.Fatalf("%d fields of %d bytes", len(got), len(b))
		}
	}
}
