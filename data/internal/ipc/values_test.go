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
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/klauspost/compress/zstd"
)

// refused reports whether f panics, as readers do.
func refused(f func()) bool {
	return intake.Guard(func() error { f(); return nil }) != nil
}

// unpackBytes returns the decompressed bytes of a buffer.
func unpackBytes(compression int, b []byte) []byte {
	return (&batch{src: bytes.NewReader(b), compression: compression}).unpack(span{0, int64(len(b))})
}

// A compressed buffer says its size and holds so much, or says that it is plain.
func TestDecompressBuffer_ChecksTheSize(t *testing.T) {
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
		if got := unpackBytes(1, b); !bytes.Equal(got, want) {
			t.Errorf("%s: %q", what, got)
		}
	}
	for _, b := range [][]byte{nil, sized(-1, nil)} {
		if got := unpackBytes(1, b); len(got) != 0 {
			t.Errorf("% x: %q", b, got)
		}
	}
	for what, b := range map[string][]byte{"no size": sized(n, nil)[:7], "a size below none": sized(-2, packed),
		"too much":   sized(n+1, packed),
		"too little": sized(n-1, packed), "more than it can be": sized(1<<40, packed),
		"a cut": sized(n, packed[:len(packed)-1])} {
		if !refused(func() { unpackBytes(1, b) }) {
			t.Errorf("%s is read", what)
		}
	}
	if !refused(func() { unpackBytes(0, sized(n, packed)) }) {
		t.Error("zstd is read as lz4")
	}
}

// Dictionaries that grow from batch to batch are put together, however large they become.
func TestRead_LargeDictionary(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "a",
		Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}}}, nil)
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
	f, err := readValues(t.Context(), source{bytes.NewReader(out.Bytes())}, nil, false, false)
	if err != nil {
		t.Fatal(err)
	}
	if c := f.Columns[0]; f.Rows != 60+120+180 || !slices.Equal(c.Level, want) || c.Text(f.Rows-1) != want[179] {
		t.Errorf("%d rows of %d levels", f.Rows, len(f.Columns[0].Level))
	}
}
