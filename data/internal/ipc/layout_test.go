package ipc

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/klauspost/compress/zstd"

	"github.com/drotrain/drotrain/data/internal/table"
)

// refused reports whether f panics, as readers do.
func refused(f func()) bool {
	return table.Guard(func() error { f(); return nil }) != nil
}

// A compressed buffer says its size and holds so much, or says that it is plain.
func TestDecompressBuffer(t *testing.T) {
	want := bytes.Repeat([]byte("row "), 40)
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	sized := func(n int64, b []byte) []byte {
		return append(binary.LittleEndian.AppendUint64(nil, uint64(n)), b...)
	}
	packed := z.EncodeAll(want, nil)
	n := int64(len(want))
	for what, b := range map[string][]byte{"packed": sized(n, packed), "plain": sized(-1, want)} {
		if got := decompressBuffer(1, b); !bytes.Equal(got, want) {
			t.Errorf("%s: %q", what, got)
		}
	}
	for _, b := range [][]byte{nil, sized(-1, nil)} {
		if got := decompressBuffer(1, b); len(got) != 0 {
			t.Errorf("% x: %q", b, got)
		}
	}
	for what, b := range map[string][]byte{"no size": sized(n, nil)[:7], "a size below none": sized(-2, packed), "too much": sized(n+1, packed),
		"too little": sized(n-1, packed), "more than it can be": sized(1<<40, packed), "a cut": sized(n, packed[:len(packed)-1])} {
		if !refused(func() { decompressBuffer(1, b) }) {
			t.Errorf("%s is read", what)
		}
	}
	if !refused(func() { decompressBuffer(0, sized(n, packed)) }) {
		t.Error("zstd is read as lz4")
	}
}

// A batch has the rows that its columns have and no more than their buffers hold: so many
// bits a row in the buffer that grows with it, wherever this comes.
func TestLayout_BatchesHoldTheirRows(t *testing.T) {
	list := arrow.ListOf(arrow.PrimitiveTypes.Int16)
	for what, c := range map[string]struct {
		types  []arrow.DataType
		extra  []int // buffers of views beyond their layout
		nodes  int
		buffer int   // the one that is to hold the rows of the last type
		bits   int64 // of it
	}{
		"numbers":                 {[]arrow.DataType{arrow.PrimitiveTypes.Float64}, nil, 1, 1, 64},
		"bools behind numbers":    {[]arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.FixedWidthTypes.Boolean}, nil, 2, 3, 1},
		"texts":                   {[]arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString}, nil, 2, 4, 64},
		"texts by their offsets":  {[]arrow.DataType{arrow.BinaryTypes.Binary}, nil, 1, 1, 32},
		"codes":                   {[]arrow.DataType{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}}, nil, 1, 1, 16},
		"numbers behind a list":   {[]arrow.DataType{list, arrow.PrimitiveTypes.Int32}, nil, 3, 5, 32},
		"numbers behind nothing":  {[]arrow.DataType{arrow.Null, arrow.PrimitiveTypes.Int32}, nil, 2, 1, 32},
		"numbers behind a struct": {[]arrow.DataType{arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int8}), arrow.PrimitiveTypes.Int32}, nil, 3, 4, 32},
		"numbers behind views":    {[]arrow.DataType{arrow.BinaryTypes.StringView, arrow.PrimitiveTypes.Int64}, []int{2}, 2, 5, 64},
	} {
		const rows = 21
		var l layout
		for _, of := range c.types {
			l.field(of)
		}
		if l.nodes != c.nodes || l.views != len(c.extra) {
			t.Errorf("%s: %d nodes, %d views", what, l.nodes, l.views)
			continue
		}
		nodes := make([]batchNode, l.nodes)
		for i := range nodes {
			nodes[i].length = rows
		}
		check := func(rows, least int64) bool {
			return !refused(func() {
				l.check(rows, nodes, c.extra, func(buffer int) int64 {
					if buffer == c.buffer {
						return least
					}
					return 1 << 20
				})
			})
		}
		least := (rows*c.bits + 7) / 8
		if !check(rows, least) || check(rows, least-1) {
			t.Errorf("%s: %d bytes are enough: %v; one less: %v", what, least, check(rows, least), check(rows, least-1))
		}
		if check(rows-1, least) || check(rows+1, least) {
			t.Errorf("%s: a batch has other rows than its columns", what)
		}
	}
	var l layout // of columns that take no bytes
	l.field(arrow.Null)
	for rows, ok := range map[int64]bool{0: true, unseenRows: true, unseenRows + 1: false} {
		if refused(func() { l.check(rows, []batchNode{{length: rows}}, nil, nil) }) == ok {
			t.Errorf("%d nulls without a type", rows)
		}
	}
	l.field(arrow.PrimitiveTypes.Int8) // beside them, one that does
	const rows = unseenRows + 1
	if refused(func() {
		l.check(rows, []batchNode{{length: rows}, {length: rows}}, nil, func(int) int64 { return rows })
	}) {
		t.Errorf("%d rows of one byte", rows)
	}
}

// Dictionaries that grow from batch to batch are put together, however large they become.
func TestRead_LargeDictionary(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "a", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}}}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), s)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(s), ipc.WithDictionaryDeltas(true))
	var want []string
	for range 3 {
		for range 60 {
			want = append(want, strings.Repeat("x", 1000)+strconv.Itoa(len(want)))
		}
		for _, v := range want {
			if err := b.Field(0).(*array.BinaryDictionaryBuilder).AppendString(v); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Write(b.NewRecord()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := Read(t.Context(), source{bytes.NewReader(out.Bytes())}, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if c := f.Columns[0]; f.Rows != 60+120+180 || !slices.Equal(c.Level, want) || c.Text(f.Rows-1) != want[179] {
		t.Errorf("%d rows of %d levels", f.Rows, len(f.Columns[0].Level))
	}
}
