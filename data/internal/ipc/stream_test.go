package ipc

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/endian"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
)

// source is a file in memory.
type source struct{ *bytes.Reader }

func (s source) Name() string               { return "t.arrows" }
func (s source) Size() int64                { return s.Reader.Size() }
func (s source) Afford(int64, string) error { return nil }

// stream is three batches of a column of texts and one of numbers, a null in each.
func stream(t *testing.T) []byte {
	s := arrow.NewSchema([]arrow.Field{{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "number", Type: arrow.PrimitiveTypes.Float64, Nullable: true}}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), s)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(s))
	for k := range 3 {
		b.Field(0).(*array.StringBuilder).AppendValues([]string{"a", "bc", "def"}, []bool{true, k != 1, true})
		b.Field(1).(*array.Float64Builder).AppendValues([]float64{1, 2, float64(k)}, []bool{k != 2, true, true})
		if err := w.Write(b.NewRecord()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// messageAt returns the message at a position of a file in memory.
func messageAt(b []byte, at int) *message {
	return cutMessage(bytes.NewReader(b), int64(at), int64(len(b)))
}

// readValues works like Read, with the values in memory.
func readValues(
	ctx context.Context, src intake.Source, names []string, exact, dates bool,
) (*intake.Table, error) {
	t, err := Read(ctx, src, names, exact, dates)
	if err == nil {
		t.Columns, err = table.Load(ctx, t.Columns)
	}
	return t, err
}

// A stream begins with its schema and ends with its mark, behind which there is nothing but
// padding: a second stream would be passed over.
func TestReadStream_SchemaAndEnd(t *testing.T) {
	whole := stream(t)
	first := int(messageAt(whole, 0).end) // the schema
	for name, c := range map[string]struct {
		b    []byte
		says string // empty: it is read
	}{
		"whole":                   {whole, ""},
		"padded":                  {append(slices.Clone(whole), make([]byte, 64)...), ""},
		"ended as streams of old": {append(slices.Clone(whole[:len(whole)-8]), 0, 0, 0, 0), ""},
		"nothing but the end":     {whole[len(whole)-8:], "does not start with a schema"},
		"batches alone":           {whole[first:], "does not start with a schema"},
		"no end":                  {whole[:len(whole)-8], "end-of-stream marker is missing"},
		"twice":                   {append(slices.Clone(whole), whole...), "continues after the end"},
		"a byte behind":           {append(slices.Clone(whole), 0, 0, 1), "continues after the end"},
	} {
		var f *intake.Table
		err := intake.Guard(func() (err error) {
			f, err = readValues(t.Context(), source{bytes.NewReader(c.b)}, nil, false, false)
			return err
		})
		if c.says == "" && (err != nil || f.Rows != 9 || f.Columns[1].Nulls() != 1) ||
			c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %+v, %v, not %q", name, f, err, c.says)
		}
	}
}

// The first whole number that a float64 cannot hold is named by its row, in whichever batch it
// is, of signed and unsigned integers; those that it can hold are not.
func TestRead_InexactRowOfBatches(t *testing.T) {
	for _, typ := range []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64} {
		for first := range 7 { // of 6 rows in 2 batches; 6: none
			s := arrow.NewSchema([]arrow.Field{{Name: "a", Type: typ, Nullable: true}}, nil)
			b := array.NewRecordBuilder(memory.NewGoAllocator(), s)
			var out bytes.Buffer
			w := ipc.NewWriter(&out, ipc.WithSchema(s))
			for row := range 6 {
				v := int64(1)<<53 + 2*int64(row)
				if row >= first {
					v++
				}
				switch f := b.Field(0).(type) {
				case *array.Int64Builder:
					f.Append(v)
				case *array.Uint64Builder:
					f.Append(uint64(v))
				}
				if row%3 == 2 {
					if err := w.Write(b.NewRecord()); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			f, err := readValues(t.Context(), source{bytes.NewReader(out.Bytes())}, nil, false, false)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := f.Columns[0].InexactRow, (first+1)%7; got != want {
				t.Errorf("%v: row %d is inexact, not %d", typ, got, want)
			}
		}
	}
}

// A batch has the nulls that it says, in every column, or does not say how many; its buffers do
// not overlap.
func TestRead_NullCountsOfBatches(t *testing.T) {
	whole := stream(t)
	read := func(b []byte) error {
		return intake.Guard(func() error {
			_, err := readValues(t.Context(), source{bytes.NewReader(b)}, nil, false, false)
			return err
		})
	}
	at := int(messageAt(whole, 0).end)
	for k := range 3 {
		m := messageAt(whole, at)
		meta := bytes.Index(whole[at:], m.meta) + at
		batch, _ := fbRoot(m.meta).child(2)
		nodes, n := batch.vector(1, 16)
		for i := range n {
			have := batch.i64(nodes + 16*i + 8)
			if want := map[[2]int]int64{{1, 0}: 1, {2, 1}: 1}[[2]int{k, i}]; have != want {
				t.Fatalf("batch %d, column %d: %d nulls, not %d", k, i, have, want)
			}
			for says := int64(-1); says <= 3; says++ {
				b := slices.Clone(whole)
				binary.LittleEndian.PutUint64(b[meta+nodes+16*i+8:], uint64(says))
				if err := read(b); (err == nil) != (says == have || says == -1) {
					t.Errorf("batch %d, column %d, of %d nulls, says %d: %v", k, i, have, says, err)
				}
			}
		}
		buffers, n := batch.vector(2, 16)
		for i := 1; i < n; i++ {
			end := batch.i64(buffers+16*i-16) + batch.i64(buffers+16*i-8)
			if from := (end - 1) &^ 7; batch.i64(buffers+16*i-8) > 0 && batch.i64(buffers+16*i+8) > 0 {
				b := slices.Clone(whole)
				binary.LittleEndian.PutUint64(b[meta+buffers+16*i:], uint64(from))
				if err := read(b); err == nil {
					t.Errorf("batch %d: buffer %d begins in the one before", k, i)
				}
			}
		}
		at = int(m.end)
	}
}

// Numbers in big-endian order are refused by name.
func TestRead_BigEndian(t *testing.T) {
	s := arrow.NewSchemaWithEndian([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}}, nil, endian.BigEndian)
	var out bytes.Buffer
	if err := ipc.NewWriter(&out, ipc.WithSchema(s)).Close(); err != nil {
		t.Fatal(err)
	}
	if text, _ := says(t, out.Bytes()); !strings.Contains(text, "big-endian") {
		t.Errorf("%q", text)
	}
}
