package parquet_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/drotrain/drotrain/data"
)

// The first row with a number that no float64 holds is named: plain, by dictionary and by differences,
// whole numbers and decimals, with nulls before it and in a later batch.
func TestNumbers_FirstInexactRow(t *testing.T) {
	const rows, odd = 5000, 1<<53 + 1
	for how, property := range map[string]parquet.WriterProperty{"plain": parquet.WithDictionaryDefault(false), "by dictionary": parquet.WithDictionaryDefault(true),
		"by differences": parquet.WithEncoding(parquet.Encodings.DeltaBinaryPacked)} {
		for _, decimal := range []bool{false, true} {
			for _, nullable := range []bool{false, true} {
				if decimal && how == "by differences" {
					continue // there is no such thing
				}
				for _, row := range []int{0, 1, 7, 2047, 2048, 4999, -1} {
					raw := written(t, rows, property, decimal, nullable, func(i int) int64 {
						if i >= row && row >= 0 && (i-row)%3 == 0 {
							return odd
						}
						return int64(i % 50)
					})
					f, err := data.ReadBytes(context.Background(), "t.parquet", raw)
					if err != nil {
						t.Fatal(err)
					}
					if got := f.Columns[0].InexactRow; got != row+1 {
						t.Errorf("%s, decimal %v, nullable %v: row %d, want %d", how, decimal, nullable, got, row+1)
					}
				}
			}
		}
	}
}

// written is a Parquet file of one column; of a nullable one every fifth value is null,
// but for the last of them and those that are not exact.
func written(t *testing.T, rows int, how parquet.WriterProperty, decimal, nullable bool, value func(i int) int64) []byte {
	t.Helper()
	rep := parquet.Repetitions.Required
	if nullable {
		rep = parquet.Repetitions.Optional
	}
	var node schema.Node = schema.NewInt64Node("a", rep, -1)
	if decimal {
		var err error
		if node, err = schema.NewPrimitiveNodeLogical("a", rep, schema.NewDecimalLogicalType(18, 0), parquet.Types.FixedLenByteArray, 8, -1); err != nil {
			t.Fatal(err)
		}
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{node}, -1)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root, file.WithWriterProps(parquet.NewWriterProperties(parquet.WithDictionaryDefault(false), how)))
	group := w.AppendRowGroup()
	column, err := group.NextColumn()
	if err != nil {
		t.Fatal(err)
	}
	var whole []int64
	var fixed []parquet.FixedLenByteArray
	var levels []int16
	for i := range rows {
		v := value(i)
		if nullable {
			if i%5 == 2 && v < 50 && i < rows-1 {
				levels = append(levels, 0)
				continue
			}
			levels = append(levels, 1)
		}
		whole = append(whole, v)
		fixed = append(fixed, binary.BigEndian.AppendUint64(nil, uint64(v)))
	}
	switch c := column.(type) {
	case *file.Int64ColumnChunkWriter:
		_, err = c.WriteBatch(whole, levels, nil)
	case *file.FixedLenByteArrayColumnChunkWriter:
		_, err = c.WriteBatch(fixed, levels, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []interface{ Close() error }{column, group, w} {
		if err := end.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}
