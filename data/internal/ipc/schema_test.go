package ipc

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

// A schema is read as Arrow writes it; damaged bytes are an error or other fields, never a panic.
func TestReadSchema_Damaged(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{
		{Name: "x", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.FixedWidthTypes.Duration_s},
		{Name: "ns", Type: arrow.FixedWidthTypes.Duration_ns}, {Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Float32)}}, nil)
	var stream bytes.Buffer
	if err := ipc.NewWriter(&stream, ipc.WithSchema(s)).Close(); err != nil {
		t.Fatal(err)
	}
	raw := stream.Bytes()
	fields, err := ReadSchema(raw)
	if err != nil || !arrow.NewSchema(fields, nil).Equal(s) {
		t.Fatalf("%v, %v", fields, err)
	}
	r := rand.New(rand.NewPCG(1, 9))
	for range 20_000 {
		b := bytes.Clone(raw[:r.IntN(len(raw))])
		for range r.IntN(8) {
			if len(b) > 0 {
				b[r.IntN(len(b))] = byte(r.Uint32())
			}
		}
		if fields, err := ReadSchema(b); err == nil && len(fields) > len(b) {
			t.Fatalf("%d fields of %d bytes", len(fields), len(b))
		}
	}
}
