package ipc

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/drotrain/drotrain/data/internal/intake"
)

// seekable is a file in memory that Arrow writes to.
type seekable struct{ bytes.Buffer }

func (s *seekable) Seek(int64, int) (int64, error) { return int64(s.Len()), nil }

// arrowFile is an Arrow file of a number of batches of three numbers.
func arrowFile(t *testing.T, batches int) []byte {
	t.Helper()
	s := arrow.NewSchema([]arrow.Field{{Name: "number", Type: arrow.PrimitiveTypes.Float64}}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), s)
	var out seekable
	w, err := ipc.NewFileWriter(&out, ipc.WithSchema(s))
	if err != nil {
		t.Fatal(err)
	}
	for k := range batches {
		b.Field(0).(*array.Float64Builder).AppendValues([]float64{1, 2, float64(k)}, nil)
		if err := w.Write(b.NewRecord()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// says is the error of reading an Arrow file or stream, or "".
func says(t *testing.T, b []byte, names ...string) (text string, rows int) {
	t.Helper()
	err := intake.Guard(func() error {
		f, err := readValues(t.Context(), source{bytes.NewReader(b)}, names, false, false)
		if err == nil {
			rows = f.Rows
		}
		return err
	})
	if err != nil {
		text = err.Error()
	}
	return text, rows
}

// Between the blocks of a file and its footer there is an end mark, some padding or nothing;
// a batch that the footer does not list is missed.
func TestReadFile_FooterBlocks(t *testing.T) {
	for batches := range 4 {
		whole := arrowFile(t, batches)
		tail := len(whole) - 10
		start := tail - int(binary.LittleEndian.Uint32(whole[tail:]))
		first := int(messageAt(whole, 8).end)
		last := first
		for range batches {
			last = int(messageAt(whole, last).end)
		}
		const most = 64
		for gap, ok := range map[int]bool{0: true, 8: true, most: true, most + 8*(1+batches): true,
			most + 8*(1+batches) + 1: false, most + 8*(1+batches) + 8: false} {
			b := append(slices.Clone(whole[:last]), make([]byte, gap)...)
			text, rows := says(t, append(b, whole[start:]...))
			if ok && (text != "" || rows != 3*batches) || !ok && !strings.Contains(text, "does not list all blocks") {
				t.Errorf("%d batches, %d bytes before the footer: %d rows, %q", batches, gap, rows, text)
			}
		}
	}
}

// A block of a footer is a message that lies in the file, of the kind and the size it says.
func TestReadFile_BlocksAreMessages(t *testing.T) {
	whole := arrowFile(t, 2)
	tail := len(whole) - 10
	start := tail - int(binary.LittleEndian.Uint32(whole[tail:]))
	footer := fbRoot(whole[start:tail])
	at, n := footer.vector(3, 24)
	if n != 2 {
		t.Fatalf("%d blocks", n)
	}
	from, meta, length := footer.i64(at), int64(footer.i32(at+8)), footer.i64(at+16)
	for _, c := range []struct {
		from, meta, length int64
		says               string
	}{
		{from, meta, length, ""},
		{7, meta, length, "a block lies outside the file"},
		{8, meta, length, "a block in the footer is not a message"}, // it is the schema
		{-1, meta, length, "a block lies outside the file"},
		{int64(start), meta, length, "a block lies outside the file"},
		{int64(start) - 1, meta, length, "end-of-stream marker is missing"},
		{int64(start) + 8, meta, length, "a block lies outside the file"},
		{from, 7, length, "a block lies outside the file"},
		{from, 8, length, "a block in the footer is not a message"},
		{from, meta + 8, length, "a block in the footer is not a message"},
		{from, meta, length + 8, "a block in the footer is not a message"},
		{from, meta + 8, length - 8, "a block in the footer is not a message"},
	} {
		b := slices.Clone(whole)
		binary.LittleEndian.PutUint64(b[start+at:], uint64(c.from))
		binary.LittleEndian.PutUint32(b[start+at+8:], uint32(c.meta))
		binary.LittleEndian.PutUint64(b[start+at+16:], uint64(c.length))
		if text, rows := says(t, b); c.says == "" && (text != "" || rows != 6) ||
			c.says != "" && !strings.Contains(text, c.says) {
			t.Errorf("a block from %d on, %d and %d bytes: %d rows, %q", c.from, c.meta, c.length, rows, text)
		}
	}
	// The schema comes first, and is that of the footer.
	first := messageAt(whole, 8)
	kind := bytes.Index(whole, first.meta) + fbRoot(first.meta).field(1)
	b := slices.Clone(whole)
	b[kind] = msgBatch
	if text, _ := says(t, b); !strings.Contains(text, "does not start with a schema") {
		t.Errorf("a file that begins with a batch: %q", text)
	}
	b = slices.Clone(whole)
	b[bytes.Index(b, []byte("number"))] = 'N'
	if text, _ := says(t, b); !strings.Contains(text, "differs from the schema in its footer") {
		t.Errorf("a file of two schemas: %q", text)
	}
}

// Fields nest so deep, and no deeper.
func TestCheckSchema_Depth(t *testing.T) {
	for levels := 31; levels <= 35; levels++ {
		var of arrow.DataType = arrow.PrimitiveTypes.Int8
		for range levels {
			of = arrow.StructOf(arrow.Field{Name: "in", Type: of, Nullable: true})
		}
		var out bytes.Buffer
		if err := ipc.NewWriter(&out, ipc.WithSchema(
			arrow.NewSchema([]arrow.Field{{Name: "a", Type: of}}, nil))).Close(); err != nil {
			t.Fatal(err)
		}
		if text, _ := says(t, out.Bytes()); (text == "") != (levels <= 32) {
			t.Errorf("%d levels: %q", levels, text)
		}
	}
}

// Rows of columns that take no bytes are no more than a file of its size may have in all.
func TestLayout_RowsWithoutBytes(t *testing.T) {
	var fields []arrow.Field
	var columns []arrow.Array
	for k := range 24 {
		fields = append(fields, arrow.Field{Name: string(rune('a' + k)), Type: arrow.Null, Nullable: true})
		columns = append(columns, array.NewNull(unseenRows))
	}
	s := arrow.NewSchema(fields, nil)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(s))
	for range 6 {
		if err := w.Write(array.NewRecord(s, columns, unseenRows)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if text, rows := says(t, out.Bytes(), "a"); !strings.Contains(text, "rows do not fit in a file of this size") {
		t.Errorf("%d rows are read of %d bytes: %q", rows, out.Len(), text)
	}
}
