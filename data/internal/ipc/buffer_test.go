package ipc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/drotrain/drotrain/data/table"
)

// packedBuffers returns a large buffer and its compressed forms as in Arrow, by the number of the compression.
func packedBuffers(t *testing.T) (want []byte, packed map[int][]byte) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	for range 3 << 18 {
		want = append(want, byte(r.IntN(3)), 7, byte(r.IntN(200)), 9)
	}
	z, err := zstd.NewWriter(nil, zstd.WithWindowSize(1<<18))
	if err != nil {
		t.Fatal(err)
	}
	var l bytes.Buffer
	w := lz4.NewWriter(&l)
	if err := w.Apply(lz4.BlockSizeOption(lz4.Block64Kb)); err != nil {
		t.Fatal(err)
	}
	w.Write(want)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return want, map[int][]byte{0: l.Bytes(), 1: z.EncodeAll(want, nil)}
}

// readerOf returns a reader of a compressed buffer that states a size.
func readerOf(compression int, size int, packed []byte) *bufferReader {
	b := append(binary.LittleEndian.AppendUint64(nil, uint64(size)), packed...)
	return (&batch{src: bytes.NewReader(b), compression: compression}).reader(span{0, int64(len(b))}, 100)
}

// A large buffer is decompressed piece by piece, whether the pieces touch, overlap or leave bytes out.
func TestBufferReader_Pieces(t *testing.T) {
	want, packed := packedBuffers(t)
	for compression, b := range packed {
		for _, step := range []struct{ size, advance int }{{1, 99_991}, {5000, 5000}, {5000, 1200}, {70_000, 300_000},
			{len(want), len(want)}} {
			r := readerOf(compression, len(want), b)
			for at := 0; at < len(want); at += step.advance {
				to := min(at+step.size, len(want))
				if !bytes.Equal(r.bytes(at, to), want[at:to]) {
					t.Fatalf("compression %d: bytes %d to %d differ", compression, at, to)
				}
				if most := max(100, step.size); cap(r.held) > most {
					t.Fatalf("compression %d: %d bytes are held for %d", compression, cap(r.held), most)
				}
			}
		}
		r := readerOf(compression, len(want), b)
		r.bytes(5000, 6000)
		if !refused(func() { r.bytes(4000, 5000) }) {
			t.Errorf("compression %d: bytes are read backwards", compression)
		}
		if !refused(func() { r.bytes(len(want)-1, len(want)+1) }) {
			t.Errorf("compression %d: bytes after the end are read", compression)
		}
	}
}

func TestBufferReader_Damage(t *testing.T) {
	want, packed := packedBuffers(t)
	for compression, b := range packed {
		changed := bytes.Clone(b)
		changed[len(b)/2] ^= 0xff
		for what, c := range map[string]struct {
			size int
			b    []byte
		}{"a byte more": {len(want) + 1, b}, "a byte less": {len(want) - 1, b}, "a cut": {len(want), b[:len(b)/2]},
			"a change": {len(want), changed}} {
			if !refused(func() {
				r := readerOf(compression, c.size, c.b)
				for at := 0; at < c.size; at += 1000 {
					r.bytes(at, min(at+1000, c.size))
				}
			}) {
				t.Errorf("compression %d: %s is read", compression, what)
			}
		}
	}
}

// Every type of column has the same values in one large batch, whether its buffers are compressed or not.
func TestRead_LargeBatch(t *testing.T) {
	const rows, width = 40_000, 32
	vector := arrow.FixedSizeListOf(width, arrow.PrimitiveTypes.Float32)
	entry := arrow.StructOf(arrow.Field{Name: "index", Type: arrow.PrimitiveTypes.Int32},
		arrow.Field{Name: "value", Type: arrow.PrimitiveTypes.Float64})
	s := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "v", Type: vector},
		{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Float64)}, {Name: "s", Type: arrow.ListOf(entry)}}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), s)
	x, text := b.Field(0).(*array.Float64Builder), b.Field(1).(*array.StringBuilder)
	v, list := b.Field(2).(*array.FixedSizeListBuilder), b.Field(3).(*array.ListBuilder)
	sparse := b.Field(4).(*array.ListBuilder)
	st := sparse.ValueBuilder().(*array.StructBuilder)
	number := func(i int) float64 { return math.Sqrt(float64(i)) }
	for i := range rows {
		if i%1000 == 7 {
			x.AppendNull()
			text.AppendNull()
		} else {
			x.Append(number(i))
			text.Append(fmt.Sprintf("level %d of a column with long texts that fill a buffer", i%900))
		}
		v.Append(true)
		for k := range width {
			v.ValueBuilder().(*array.Float32Builder).Append(float32(number(i + k)))
		}
		list.Append(true)
		for k := range 5 {
			list.ValueBuilder().(*array.Float64Builder).Append(number(i * (k + 1)))
		}
		sparse.Append(true)
		for k := range i % 9 {
			st.Append(true)
			st.FieldBuilder(0).(*array.Int32Builder).Append(int32(i%100 + k))
			st.FieldBuilder(1).(*array.Float64Builder).Append(number(i + k + 1))
		}
	}
	record := b.NewRecord()
	for name, with := range map[string]ipc.Option{"not compressed": ipc.WithAllocator(memory.DefaultAllocator),
		"zstd": ipc.WithZstd(), "lz4": ipc.WithLZ4()} {
		var out bytes.Buffer
		w := ipc.NewWriter(&out, ipc.WithSchema(s), with)
		if err := w.Write(record); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := readValues(t.Context(), source{bytes.NewReader(out.Bytes())}, nil, false, false)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		columns := map[string]*table.Column{}
		for _, c := range f.Columns {
			columns[c.Name] = c
		}
		var from = columns["s"].Sparse.Reader()
		for i := range rows {
			if null := i%1000 == 7; columns["x"].IsNull(i) != null || columns["text"].IsNull(i) != null ||
				!null && (columns["x"].Number[i] != number(i) ||
					columns["text"].Text(i) != fmt.Sprintf("level %d of a column with long texts that fill a buffer", i%900)) {
				t.Fatalf("%s: row %d: %v, %q", name, i, columns["x"].Number[i], columns["text"].Text(i))
			}
			for k := range width {
				if got := columns[fmt.Sprintf("v[%d]", k)].Number[i]; got != float64(float32(number(i+k))) {
					t.Fatalf("%s: row %d: v[%d] is %v", name, i, k, got)
				}
			}
			for k := range 5 {
				if got := columns[fmt.Sprintf("list[%d]", k)].Number[i]; got != number(i*(k+1)) {
					t.Fatalf("%s: row %d: list[%d] is %v", name, i, k, got)
				}
			}
			index, value := from.Row(i)
			if len(index) != i%9 {
				t.Fatalf("%s: row %d has %d entries", name, i, len(index))
			}
			for k := range index {
				if int(index[k]) != i%100+k || value[k] != number(i+k+1) {
					t.Fatalf("%s: row %d: entry %d is %d, %v", name, i, k, index[k], value[k])
				}
			}
		}
	}
}
