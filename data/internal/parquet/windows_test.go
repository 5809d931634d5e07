package parquet_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/drotrain/drotrain/data"
)

// Rows are those written wherever one begins and ends to read: at row groups, pages and
// batches, and a row before and after, of numbers and of texts, with a dictionary, without
// one and with one that was given up, and as differences, which Arrow decodes; and the first row that lost digits is that of the rows
// read, not of one passed over.
func TestSlice_WindowsOfChunks(t *testing.T) {
	groups := []int{1000, 1, 3300, 700}
	rows := 0
	for _, n := range groups {
		rows += n
	}
	number := func(i int) (v int64, null bool) {
		switch {
		case i%97 == 40:
			return 1<<53 + 1 + 2*int64(i), false // no float64
		case i%5 == 2 || i > 1500 && i < 1540:
			return 0, true
		}
		return int64(i % 50), false
	}
	text := func(i int) (v string, null bool) {
		if i%7 == 3 || i > 2040 && i < 2060 {
			return "", true
		}
		return fmt.Sprintf("text %d", i*i%61), false
	}
	for name, p := range map[string][]parquet.WriterProperty{
		"plain":               {parquet.WithDictionaryDefault(false)},
		"dictionary":          {parquet.WithDictionaryDefault(true)},
		"dictionary, no more": {parquet.WithDictionaryDefault(true), parquet.WithDictionaryPageSizeLimit(100)},
		"differences": {parquet.WithDictionaryDefault(false), parquet.WithEncodingFor("a", parquet.Encodings.DeltaBinaryPacked),
			parquet.WithEncodingFor("s", parquet.Encodings.DeltaLengthByteArray)},
		"lengths, second version": {parquet.WithDictionaryDefault(false), parquet.WithDataPageVersion(parquet.DataPageV2),
			parquet.WithEncodingFor("a", parquet.Encodings.DeltaBinaryPacked), parquet.WithEncodingFor("s", parquet.Encodings.DeltaLengthByteArray)},
		"second version": {parquet.WithDictionaryDefault(true), parquet.WithDataPageVersion(parquet.DataPageV2)},
	} {
		path := filepath.Join(t.TempDir(), "t.parquet")
		if err := os.WriteFile(path, grouped(t, groups, number, text, append(p, parquet.WithDataPageSize(2048), parquet.WithBatchSize(100))...), 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := data.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		at := []int{0, 1, 100, 101, 999, 1000, 1001, 1540, 2047, 2048, 3049, 4301, rows - 1, rows}
		for _, lo := range at {
			for _, hi := range at {
				if lo >= hi {
					continue
				}
				part := f.Slice(lo, hi)
				a, err := part.Column(t.Context(), "a")
				if err != nil {
					t.Fatal(err)
				}
				s, err := part.Column(t.Context(), "s")
				if err != nil {
					t.Fatalf("%s, rows [%d, %d): %v", name, lo, hi, err)
				}
				inexact := 0
				for i := lo; i < hi; i++ {
					v, null := number(i)
					if a.IsNull(i-lo) != null || a.Number[i-lo] != float64(v) {
						t.Fatalf("%s, rows [%d, %d): row %d is %v, null %v, not %d, %v", name, lo, hi, i, a.Number[i-lo], a.IsNull(i-lo), v, null)
					}
					if inexact == 0 && v > 50 {
						inexact = i - lo + 1
					}
					w, null := text(i)
					if s.IsNull(i-lo) != null || !null && s.Level[s.Code[i-lo]] != w {
						t.Fatalf("%s, rows [%d, %d): row %d is %q, null %v, not %q, %v", name, lo, hi, i, s.Text(i-lo), s.IsNull(i-lo), w, null)
					}
				}
				if a.InexactRow != inexact {
					t.Fatalf("%s, rows [%d, %d): digits lost in row %d, not %d", name, lo, hi, a.InexactRow, inexact)
				}
			}
		}
	}
}

// grouped is a Parquet file of two columns that may be null, in row groups.
func grouped(t *testing.T, groups []int, number func(i int) (int64, bool), text func(i int) (string, bool), p ...parquet.WriterProperty) []byte {
	t.Helper()
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{
		schema.NewInt64Node("a", parquet.Repetitions.Optional, -1),
		schema.MustPrimitive(schema.NewPrimitiveNodeLogical("s", parquet.Repetitions.Optional, schema.StringLogicalType{}, parquet.Types.ByteArray, 0, -1)),
	}, -1)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root, file.WithWriterProps(parquet.NewWriterProperties(p...)))
	first := 0
	for _, n := range groups {
		group := w.AppendRowGroup()
		for k := range 2 {
			column, err := group.NextColumn()
			if err != nil {
				t.Fatal(err)
			}
			var whole []int64
			var texts []parquet.ByteArray
			levels := make([]int16, n)
			for i := range n {
				v, null := number(first + i)
				s := ""
				if k == 1 {
					s, null = text(first + i)
				}
				if !null {
					levels[i], whole, texts = 1, append(whole, v), append(texts, parquet.ByteArray(s))
				}
			}
			switch c := column.(type) {
			case *file.Int64ColumnChunkWriter:
				_, err = c.WriteBatch(whole, levels, nil)
			case *file.ByteArrayColumnChunkWriter:
				_, err = c.WriteBatch(texts, levels, nil)
			}
			if err == nil {
				err = column.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := group.Close(); err != nil {
			t.Fatal(err)
		}
		first += n
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
