package parquet_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
	own "github.com/drotrain/drotrain/data/internal/parquet"
	"github.com/drotrain/drotrain/data/table"
)

// A physical column is one of a physical type, and what its values are to us.
type physical struct {
	name    string
	node    func(parquet.Repetition) (schema.Node, error)
	number  func(k int64) float64 // of the value that is written for k; nil for texts, which are "text k"
	write   func(w file.ColumnChunkWriter, k []int64, levels []int16) error
	besides []parquet.Encoding // plain and by dictionary
}

// writing gives the writer of a column of values that are made of whole numbers.
func writing[T any, W interface {
	WriteBatch([]T, []int16, []int16) (int64, error)
}](of func(k int64) T) func(file.ColumnChunkWriter, []int64, []int16) error {
	return func(w file.ColumnChunkWriter, k []int64, levels []int16) error {
		values := make([]T, len(k))
		for i := range k {
			values[i] = of(k[i])
		}
		_, err := any(w).(W).WriteBatch(values, levels, nil)
		return err
	}
}

// columnsWritten are columns of all physical types that are read.
func columnsWritten() []physical {
	node := func(logical schema.LogicalType, phys parquet.Type, length int) func(parquet.Repetition) (schema.Node, error) {
		return func(rep parquet.Repetition) (schema.Node, error) {
			return schema.NewPrimitiveNodeLogical("x", rep, logical, phys, length, -1)
		}
	}
	none := schema.NoLogicalType{}
	same := func(k int64) float64 { return float64(k) }
	hundredths := func(k int64) float64 { return float64(k) / 100 }
	differences := []parquet.Encoding{parquet.Encodings.DeltaBinaryPacked}
	fixed := func(width int) func(k int64) parquet.FixedLenByteArray { // the lowest bytes, the highest first
		return func(k int64) parquet.FixedLenByteArray {
			b := binary.BigEndian.AppendUint64(bytes.Repeat([]byte{byte(k >> 63)}, 16), uint64(k))
			return b[len(b)-width:]
		}
	}
	all := []physical{
		{"int32", node(none, parquet.Types.Int32, -1), same,
			writing[int32, *file.Int32ColumnChunkWriter](func(k int64) int32 { return int32(k) }), differences},
		{"int64", node(none, parquet.Types.Int64, -1), same,
			writing[int64, *file.Int64ColumnChunkWriter](func(k int64) int64 { return k }), differences},
		{"date", node(schema.DateLogicalType{}, parquet.Types.Int32, -1), same,
			writing[int32, *file.Int32ColumnChunkWriter](func(k int64) int32 { return int32(k) }), differences},
		{"decimal of 64 bits", node(schema.NewDecimalLogicalType(18, 2), parquet.Types.Int64, -1), hundredths,
			writing[int64, *file.Int64ColumnChunkWriter](func(k int64) int64 { return k }), differences},
		{"float", node(none, parquet.Types.Float, -1), func(k int64) float64 { return float64(k) / 4 },
			writing[float32, *file.Float32ColumnChunkWriter](func(k int64) float32 { return float32(k) / 4 }), nil},
		{"double", node(none, parquet.Types.Double, -1), func(k int64) float64 { return math.Sqrt(float64(k + 1000)) },
			writing[float64, *file.Float64ColumnChunkWriter](func(k int64) float64 { return math.Sqrt(float64(k + 1000)) }),
			nil},
		{"bool", node(none, parquet.Types.Boolean, -1), func(k int64) float64 { return float64(k & 1) },
			writing[bool, *file.BooleanColumnChunkWriter](func(k int64) bool { return k&1 == 1 }),
			[]parquet.Encoding{parquet.Encodings.RLE}},
		{"days and nanoseconds", node(none, parquet.Types.Int96, -1), func(k int64) float64 { return float64(k) + 0.25 },
			writing[parquet.Int96, *file.Int96ColumnChunkWriter](func(k int64) (v parquet.Int96) {
				binary.LittleEndian.PutUint64(v[:], 21600e9)
				binary.LittleEndian.PutUint32(v[8:], uint32(2440588+k))
				return v
			}), nil},
		{"decimal of any bytes", node(schema.NewDecimalLogicalType(20, 2), parquet.Types.ByteArray, -1), hundredths,
			writing[parquet.ByteArray, *file.ByteArrayColumnChunkWriter](func(k int64) parquet.ByteArray {
				return parquet.ByteArray(fixed(1 + int(k&1) + int(k&2))(k % 100))
			}), []parquet.Encoding{parquet.Encodings.DeltaLengthByteArray, parquet.Encodings.DeltaByteArray}},
		{"text", node(schema.StringLogicalType{}, parquet.Types.ByteArray, -1), nil,
			writing[parquet.ByteArray, *file.ByteArrayColumnChunkWriter](
				func(k int64) parquet.ByteArray { return fmt.Append(nil, "text ", k) }),
			[]parquet.Encoding{parquet.Encodings.DeltaLengthByteArray, parquet.Encodings.DeltaByteArray}},
	}
	all[8].number = func(k int64) float64 { return hundredths(k % 100) }
	for width, digits := range map[int]int32{1: 2, 2: 4, 5: 11, 8: 18, 9: 20} {
		limit := int64(math.Pow10(int(min(digits, 18)))) // the values that the precision allows
		all = append(all, physical{fmt.Sprintf("decimal of %d bytes", width),
			node(schema.NewDecimalLogicalType(digits, 2), parquet.Types.FixedLenByteArray, width), func(k int64) float64 {
				return hundredths(k % limit)
			}, writing[parquet.FixedLenByteArray, *file.FixedLenByteArrayColumnChunkWriter](
				func(k int64) parquet.FixedLenByteArray { return fixed(width)(k % limit) }), nil})
	}
	return all
}

// Values are those written, of every physical type by every encoding that Arrow writes, in
// pages of both versions, packed and not, with statistics and without, which leaves the nulls of
// a page uncounted, with nulls and without; from whichever row on they
// are read and in whatever pieces. What is null is 0, or −1, is marked and counted.
func TestOpen_ValuesAsWritten(t *testing.T) {
	const rows = 2600
	rng := rand.New(rand.NewPCG(31, 7))
	for _, c := range columnsWritten() {
		for kind := range 2 + len(c.besides) {
			for _, version := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
				for _, nullable := range []bool{false, true} {
					packed := rng.IntN(2) == 1
					what := fmt.Sprintf("%s, way %d, version %d, nullable %v, packed %v", c.name, kind, version, nullable, packed)
					p := []parquet.WriterProperty{parquet.WithDictionaryDefault(kind == 1), parquet.WithDataPageVersion(version),
						parquet.WithStats(rng.IntN(2) == 1), parquet.WithDataPageSize(1 << rng.IntN(14)),
						parquet.WithBatchSize(int64(50 + rng.IntN(900)))}
					if kind > 1 {
						p = append(p, parquet.WithEncoding(c.besides[kind-2]))
					}
					if kind > 1 && c.name == "bool" { // Arrow writes what was on earlier pages again
						p = append(p, parquet.WithDataPageSize(1<<20))
					}
					if packed {
						p = append(p, parquet.WithCompression(compress.Codecs.Snappy))
					}
					k, null := make([]int64, rows), make([]bool, rows)
					var there []int64
					var levels []int16
					for i := range k {
						k[i] = rng.Int64N(600) - 300
						if nullable {
							level := int16(1)
							if null[i] = rng.IntN(3) == 0 || i > 1000 && i < 1400; null[i] {
								level = 0
							}
							levels = append(levels, level)
						}
						if !null[i] {
							there = append(there, k[i])
						}
					}
					part := partOf(t, what, c, nullable, func(w file.ColumnChunkWriter) error { return c.write(w, there, levels) },
						p...)
					dictionary, row := 0, 0
					for i, page := range part.Pages() {
						if i == 0 {
							dictionary = page.Dictionary
						}
						if page.Row != row || page.Rows < 1 || page.Bytes < 1 || page.Dictionary != dictionary {
							t.Fatalf("%s: page %d is %+v, behind %d rows and a dictionary of %d bytes", what, i, page, row, dictionary)
						}
						row += page.Rows
					}
					if row != rows || part.Rows() != rows || part.Nullable() != nullable ||
						(dictionary > 0) != (kind == 1 && c.name != "bool" && c.name != "days and nanoseconds") {
						t.Fatalf("%s: pages of %d rows of %d, and a dictionary of %d bytes", what, row, part.Rows(), dictionary)
					}
					for _, first := range []int{0, 1, rng.IntN(rows), rows - 1} {
						readFrom(t, what, c, part, first, k, null, rng)
					}
				}
			}
		}
	}
}

// partOf is the one part of a file of one column.
func partOf(
	t *testing.T, what string, c physical, nullable bool, write func(file.ColumnChunkWriter) error,
	p ...parquet.WriterProperty,
) table.Part {
	t.Helper()
	rep := parquet.Repetitions.Required
	if nullable {
		rep = parquet.Repetitions.Optional
	}
	node, err := c.node(rep)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{node}, -1)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root, file.WithWriterProps(parquet.NewWriterProperties(p...)))
	group := w.AppendRowGroup()
	column, err := group.NextColumn()
	if err == nil {
		err = write(column)
	}
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for _, end := range []interface{ Close() error }{column, group, w} {
		if err := end.Close(); err != nil {
			t.Fatal(err)
		}
	}
	f, err := own.Open(t.Context(),
		counted{bytes.NewReader(out.Bytes()), new(atomic.Int64), new(atomic.Int64)}, nil, true, false)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if parts := f.Columns[0].Parts; len(parts) == 1 {
		return parts[0]
	}
	t.Fatalf("%s: column %+v", what, f.Columns[0])
	return nil
}

// readFrom reads a part from a row on to its end, in pieces.
func readFrom(
	t *testing.T, what string, c physical, part table.Part, first int, k []int64, null []bool, rng *rand.Rand,
) {
	t.Helper()
	values, err := part.Open(first, new(table.Buffers))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	levels := table.NewLevels()
	for row := first; row < len(k); {
		n := min(1+rng.IntN(1<<rng.IntN(13)), len(k)-row)
		numbers, codes, marks := make([]float64, n), make([]int32, n), make([]bool, n)
		for i := range n { // what was there before is not
			numbers[i], codes[i] = 77.5, 77
		}
		var nulls int
		switch {
		case c.number == nil:
			nulls, err = values.Codes(codes, marks, levels)
		default:
			nulls, err = values.Numbers(numbers, marks)
		}
		if err != nil {
			t.Fatalf("%s: %d rows from %d on: %v", what, n, row, err)
		}
		want := 0
		for i := range n {
			is := null[row+i]
			if is {
				want++
			}
			ok := is == marks[i]
			switch {
			case c.number == nil:
				ok = ok && (is && codes[i] == -1 || !is && levels.Text[codes[i]] == fmt.Sprint("text ", k[row+i]))
			case is:
				ok = ok && numbers[i] == 0
			default:
				ok = ok && numbers[i] == c.number(k[row+i])
			}
			if !ok {
				t.Fatalf("%s: from %d on, row %d of %d, null %v: %v, %d, null %v", what, first, row+i, k[row+i], is, numbers[i],
					codes[i], marks[i])
			}
		}
		if nulls != want {
			t.Fatalf("%s: %d rows from %d on have %d nulls, not %d", what, n, row, want, nulls)
		}
		row += n
	}
	if at := values.Inexact(); at != 0 {
		t.Fatalf("%s: row %d is not exact", what, at)
	}
	values.Close()
}

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
