package parquet_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"

	own "github.com/drotrain/drotrain/data/parquet"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/goldentest"
)

// A counted file counts what is read of it.
type counted struct {
	*bytes.Reader
	reads, bytes *atomic.Int64
}

func (counted) Name() string               { return "t.parquet" }
func (counted) Afford(int64, string) error { return nil }
func (c counted) ReadAt(b []byte, at int64) (int, error) {
	c.reads.Add(1)
	c.bytes.Add(int64(len(b)))
	return c.Reader.ReadAt(b, at)
}

// Of files of other programs, and of some with many small pages, every column is what it was,
// whole and in parts, and takes as many reads, of as many bytes, as it did.
func TestReadingIsRecorded(t *testing.T) {
	files := map[string][]byte{}
	var names []string
	paths, err := filepath.Glob("../frame/testdata/*.parquet")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, filepath.Base(path))
		files[filepath.Base(path)] = b
	}
	for _, p := range []struct {
		name  string
		which []parquet.WriterProperty
	}{
		{"plain", []parquet.WriterProperty{parquet.WithDictionaryDefault(false)}},
		{"dictionary", []parquet.WriterProperty{parquet.WithDictionaryDefault(true)}},
		{"dictionary, no more", []parquet.WriterProperty{parquet.WithDictionaryDefault(true), parquet.WithDictionaryPageSizeLimit(100)}},
		{"differences", []parquet.WriterProperty{parquet.WithDictionaryDefault(false), parquet.WithEncodingFor("a", parquet.Encodings.DeltaBinaryPacked), parquet.WithEncodingFor("s", parquet.Encodings.DeltaLengthByteArray)}},
		{"second version", []parquet.WriterProperty{parquet.WithDictionaryDefault(true), parquet.WithDataPageVersion(parquet.DataPageV2)}},
	} {
		names = append(names, p.name)
		files[p.name] = grouped(t, []int{1000, 1, 3300, 700}, func(i int) (int64, bool) { return int64(i * i % 60), i%5 == 2 || i > 1500 && i < 1540 },
			func(i int) (string, bool) { return fmt.Sprintf("text %d", i*i%61), i%7 == 3 }, append(p.which, parquet.WithDataPageSize(2048), parquet.WithBatchSize(100))...)
	}
	var out strings.Builder
	for _, name := range names {
		in := counted{bytes.NewReader(files[name]), new(atomic.Int64), new(atomic.Int64)}
		f, err := own.Open(in, nil, false)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		fmt.Fprintf(&out, "# %s: %d rows, %d columns, opened by %d reads of %d bytes\n", name, f.Rows, len(f.Columns), in.reads.Swap(0), in.bytes.Swap(0))
		for _, c := range f.Columns {
			if c.Kind == table.Other {
				fmt.Fprintf(&out, "%s %s: other, whole numbers %t, of a clock %t\n", c.Name, c.Type, c.Integer, c.Clock)
				continue
			}
			for _, w := range [][2]int{{0, f.Rows}, {f.Rows / 3, f.Rows/3 + 2}, {f.Rows / 2, f.Rows}, {f.Rows - 1, f.Rows}} {
				if w[0] < 0 || w[1] > f.Rows || w[0] > w[1] {
					continue
				}
				part, err := c.Slice(w[0], w[1]).Load(t.Context())
				if err != nil {
					t.Fatalf("%s, %s: %v", name, c.Name, err)
				}
				var text strings.Builder
				for i := range part.Len() {
					fmt.Fprintf(&text, "%s %v\n", part.Text(i), part.IsNull(i))
				}
				fmt.Fprintf(&out, "%s %s %v, rows %d to %d, %d reads of %d bytes, %d levels, inexact %d: %s\n", c.Name, c.Type, part.Kind, w[0], w[1], in.reads.Swap(0), in.bytes.Swap(0), len(part.Level), part.InexactRow, goldentest.CondensedText(text.String()))
			}
		}
	}
	goldentest.Text(t, filepath.Join("testdata", "recorded.txt"), out.String())
}
