package data

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/drotrain/drotrain/data/internal/datatest"
)

// limited bounds the memory of the process during a test, and gives what was
// allocated since.
func limited(t *testing.T, bytes int64) (allocated func() uint64) {
	t.Helper()
	runtime.GC()
	was := debug.SetMemoryLimit(-1)
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	debug.SetMemoryLimit(int64(before.HeapAlloc) + bytes)
	t.Cleanup(func() { debug.SetMemoryLimit(was) })
	return func() uint64 {
		var after runtime.MemStats
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
}

// packed is gzip data of a head and as many copies of a block as make up 3 GB: 3 MB
// of zeros, 17 of rows. Members of gzip follow each other.
func packed(t *testing.T, head, block string) []byte {
	t.Helper()
	member := func(s string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(s))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	return append(member(head), bytes.Repeat(member(block), 3<<30/len(block))...)
}

// A few megabytes that decompress to 3 GB are refused with numbers, as soon as it shows
// that there is no room for the table, however their lines are.
func TestRead_PackedTextIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		head, block string
		want        []string
	}{
		"rows": {"a" + strings.Repeat(",a", 99) + "\n", strings.Repeat("0"+strings.Repeat(",0", 99)+"\n", 5000),
			[]string{"MB of memory are needed for", "rows of 100 columns", "GOMEMLIMIT"}},
		"one line":      {"a,b\n", strings.Repeat("0", 1<<20), []string{"a row is longer than 32 MB"}},
		"an open quote": {"a,b\n\"", strings.Repeat("0,0\n", 1<<18), []string{"a row has more than 400000 fields", "quote"}},
	} {
		b := packed(t, c.head, c.block)
		if len(b) > 20<<20 {
			t.Fatalf("%s: %d bytes", name, len(b))
		}
		allocated := limited(t, 100<<20)
		_, err := ReadBytes(t.Context(), "bomb.csv.gz", b)
		datatest.WantError(t, err, append(c.want, "bomb.csv.gz: ")...)
		if got := allocated(); got > 400<<20 {
			t.Errorf("%s: %d MB were allocated", name, got>>20)
		}
	}
}

// Texts that are all different are counted while they are read.
func TestRead_TextsAreCounted(t *testing.T) {
	var b strings.Builder
	b.WriteString("id\n")
	for i := range 60_000 {
		fmt.Fprintf(&b, "%s%09d\n", strings.Repeat("x", 1000), i)
	}
	text := []byte(b.String())
	b.Reset()
	limited(t, 100<<20)
	_, err := ReadBytes(t.Context(), "ids.csv", text)
	datatest.WantError(t, err, "ids.csv: ", "different strings of a column", "GOMEMLIMIT")
	if !errors.Is(err, ErrMemory) {
		t.Errorf("not a lack of memory: %v", err)
	}
}

// The values of Parquet files are asked for before there is an array for them.
func TestRead_ColumnsAreAsked(t *testing.T) {
	path := t.TempDir() + "/t.parquet"
	flag := make([]float64, 300_000) // small in the file, 8 bytes per row in memory
	columns := make([]Column, 40)
	for j := range columns {
		columns[j] = Column{Name: fmt.Sprint("b", j), Kind: Bool, Number: flag}
	}
	if err := WriteTable(path, columns, false); err != nil {
		t.Fatal(err)
	}
	allocated := limited(t, 70<<20)
	_, err := Read(t.Context(), path)
	datatest.WantError(t, err, path+": ", "92 MB of memory are needed for the values of 40 columns")
	if got := allocated(); got > 64<<20 {
		t.Errorf("%d MB were allocated", got>>20)
	}
}

// A few kilobytes that decompress to a header of ten million columns are refused before there are strings of them.
func TestRead_PackedColumnsAreBounded(t *testing.T) {
	b := packedTwice(t, strings.Repeat("a,", 1e7)+"a\n")
	for _, name := range []string{"wide.csv.gz", "wide.jsonl.gz"} {
		if name == "wide.jsonl.gz" {
			var row strings.Builder
			row.WriteString("{")
			for i := range 300_000 {
				fmt.Fprintf(&row, `"%d":0,`, i)
			}
			b = packedTwice(t, row.String()+`"z":0}`+"\n")
		}
		allocated := limited(t, 1<<30)
		_, err := ReadBytes(t.Context(), name, b)
		datatest.WantError(t, err, name, "columns", "allow more columns")
		if got := allocated(); got > 120<<20 {
			t.Errorf("%s: %d MB were allocated", name, got>>20)
		}
	}
}

// packedTwice is gzip data of a line, two times.
func packedTwice(t *testing.T, line string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(line + line))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Vectors in one batch of an Arrow file are decoded piece by piece, also if the batch does not fit in the memory.
func TestOpen_ArrowBatchBeyondTheMemory(t *testing.T) {
	const rows, width, limit = 400_000, 64, 64 << 20
	values := array.NewFloat32Builder(memory.DefaultAllocator)
	values.Reserve(rows * width)
	for k := range rows * width {
		values.UnsafeAppend(float32(k % 1001 % 17))
	}
	typ := arrow.FixedSizeListOf(width, arrow.PrimitiveTypes.Float32)
	list := array.NewFixedSizeListData(array.NewData(typ, rows, []*memory.Buffer{nil},
		[]arrow.ArrayData{values.NewArray().Data()}, 0, 0))
	schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: typ}}, nil)
	paths := map[string]string{}
	for name, with := range map[string]ipc.Option{"not compressed": ipc.WithAllocator(memory.DefaultAllocator),
		"zstd": ipc.WithZstd(), "lz4": ipc.WithLZ4()} {
		paths[name] = filepath.Join(t.TempDir(), "v.arrow")
		f, err := os.Create(paths[name])
		if err != nil {
			t.Fatal(err)
		}
		w, err := ipc.NewFileWriter(f, ipc.WithSchema(schema), with)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(array.NewRecord(schema, []arrow.Array{list}, rows)); err != nil {
			t.Fatal(err)
		}
		if err := cmp.Or(w.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	list, values = nil, nil
	for name, path := range paths {
		t.Run(name, func(t *testing.T) {
			allocated := limited(t, limit)
			f, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if got := allocated(); got > limit {
				t.Errorf("%d MB were allocated", got>>20)
			}
			c, err := f.ColumnAt(t.Context(), nil, "v[5]", []int{rows - 1})
			if err != nil || c.Number[0] != float64(((rows-1)*width+5)%1001%17) {
				t.Errorf("the last vector has the entry %v: %v", c.Number[0], err)
			}
		})
	}
}
