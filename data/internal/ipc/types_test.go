package ipc

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
)

// recordOf is a record of three columns, of which the middle one is of a type; it has three
// rows, the second of them null.
func recordOf(t *testing.T, dt arrow.DataType, values string) arrow.Record {
	t.Helper()
	mem := memory.NewGoAllocator()
	of := func(dt arrow.DataType, values string) arrow.Array {
		if values == "" { // what has no text
			b := array.NewBuilder(mem, dt)
			b.AppendEmptyValue()
			b.AppendNull()
			b.AppendEmptyValue()
			return b.NewArray()
		}
		a, _, err := array.FromJSON(mem, dt, strings.NewReader(values), array.WithUseNumber())
		if err != nil {
			t.Fatalf("%s: %v", dt, err)
		}
		return a
	}
	s := arrow.NewSchema([]arrow.Field{{Name: "before", Type: arrow.PrimitiveTypes.Int16},
		{Name: "x", Type: dt, Nullable: true}, {Name: "after", Type: arrow.PrimitiveTypes.Float32}}, nil)
	return array.NewRecord(s, []arrow.Array{of(arrow.PrimitiveTypes.Int16, "[1, 2, 3]"), of(dt, values),
		of(arrow.PrimitiveTypes.Float32, "[0.5, 1.5, 2.5]")}, 3)
}

// A column of every type of Arrow is numbers, texts, bools or of no use, by the name of its
// type, and those beside it are what they are.
func TestRead_EveryType(t *testing.T) {
	list := arrow.ListOf(arrow.PrimitiveTypes.Int16)
	union := []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true}}
	wide := arrow.StructOf(arrow.Field{Name: strings.Repeat("w", 90), Type: arrow.PrimitiveTypes.Int8, Nullable: true})
	for _, c := range []struct {
		of     arrow.DataType
		values string
		says   string // kind, type, then the three values; as dates, if they are others
		dates  string
	}{
		{arrow.FixedWidthTypes.Time32s, `["06:00:00", null, "00:00:01"]`, "numeric time (s) 21600  1", ""},
		{arrow.FixedWidthTypes.Time32ms, `["06:00:00.5", null, "00:00:01"]`, "numeric time (s) 21600.5  1", ""},
		{arrow.FixedWidthTypes.Time64us, `["06:00:00.25", null, "00:00:01"]`, "numeric time (s) 21600.25  1", ""},
		{arrow.FixedWidthTypes.Time64ns, `["06:00:00.125", null, "00:00:01"]`, "numeric time (s) 21600.125  1", ""},
		{arrow.FixedWidthTypes.Duration_s, `["90s", null, "1s"]`, "numeric duration (s) 90  1", ""},
		{arrow.FixedWidthTypes.Duration_ms, `["90ms", null, "1000ms"]`, "numeric duration (s) 0.09  1", ""},
		{arrow.FixedWidthTypes.Date32, `["1970-01-03", null, "1969-12-31"]`, "other date32   ", "numeric date32 2  -1"},
		{arrow.FixedWidthTypes.Date64, `["1970-01-03", null, "1969-12-31"]`, "other date64   ", "numeric date64 2  -1"},
		{arrow.FixedWidthTypes.Timestamp_s, `["1970-01-02 12:00:00", null, "1970-01-01"]`, "other timestamp[s, tz=UTC]   ",
			"numeric timestamp[s, tz=UTC] 1.5  0"},
		{arrow.FixedWidthTypes.Timestamp_ns, `["1970-01-02 12:00:00", null, "1970-01-01"]`, "other timestamp[ns, tz=UTC]   ",
			"numeric timestamp[ns, tz=UTC] 1.5  0"},
		{&arrow.TimestampType{Unit: arrow.Second, TimeZone: strings.Repeat("Z", 63)}, "",
			"other timestamp[s, tz=" + strings.Repeat("Z", 63) + "]   ",
			"numeric timestamp[s, tz=" + strings.Repeat("Z", 63) + "] 0  0"},
		// of a name that is too long
		{&arrow.TimestampType{Unit: arrow.Second, TimeZone: strings.Repeat("Z", 64)}, "", "other timestamp   ",
			"numeric timestamp 0  0"},
		{arrow.FixedWidthTypes.Float16, `[0.5, null, -2]`, "numeric float16 0.5  -2", ""},
		{arrow.FixedWidthTypes.Boolean, `[true, null, false]`, "bool bool true  false", ""},
		{arrow.PrimitiveTypes.Uint64, `[18446744073709551615, null, 3]`, "whole numeric uint64 1.8446744073709552e+19  3",
			""},
		{&arrow.Decimal256Type{Precision: 40, Scale: 2}, `["1.25", null, "-7"]`, "numeric decimal(40, 2) 1.25  -7", ""},
		{&arrow.Decimal128Type{Precision: 20, Scale: 0}, `["5", null, "-7"]`, "whole numeric decimal(20, 0) 5  -7", ""},
		{&arrow.Decimal256Type{Precision: 40, Scale: 0}, `["5", null, "-7"]`, "whole numeric decimal(40, 0) 5  -7", ""},
		{arrow.BinaryTypes.LargeString, `["a", null, "b"]`, "categorical string a  b", ""},
		{arrow.BinaryTypes.StringView, `["a", null, "a text that is not within its view"]`,
			"categorical string a  a text that is not within its view", ""},
		{arrow.BinaryTypes.BinaryView, `["YQ==", null, "Yg=="]`, "other binary_view   ", ""},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, `["a", null, "a"]`,
			"categorical dictionary of string a  a", ""},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.PrimitiveTypes.Int64}, `[7, null, 8]`,
			"whole numeric dictionary of int64 7  8", ""},
		{arrow.Null, `[null, null, null]`, "categorical null   ", ""},
		{arrow.BinaryTypes.Binary, `["YQ==", null, "Yg=="]`, "other binary   ", ""},
		{&arrow.FixedSizeBinaryType{ByteWidth: 3}, `["YWJj", null, "YWJj"]`, "other fixed_size_binary[3]   ", ""},
		{list, `[[1], null, []]`, "other list   ", ""},
		{arrow.LargeListOf(arrow.PrimitiveTypes.Int16), `[[1], null, []]`, "other large_list   ", ""},
		{arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int16), `[[1, 2], null, [3, 4]]`, "other fixed_size_list   ", ""},
		{arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int8), `[[{"key": "a", "value": 1}], null, []]`,
			"other map   ", ""},
		{arrow.StructOf(arrow.Field{Name: "a", Type: list, Nullable: true}), `[{"a": [1]}, null, {"a": null}]`,
			"other struct   ", ""},
		{wide, "", "other struct   ", ""},
		{arrow.ListViewOf(arrow.PrimitiveTypes.Int16), "", "other list_view   ", ""},
		{arrow.LargeListViewOf(arrow.PrimitiveTypes.Int16), "", "other large_list_view   ", ""},
		{arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String), "", "other run_end_encoded   ", ""},
		{arrow.SparseUnionOf(union, []arrow.UnionTypeCode{0, 1}), "", "other sparse_union   ", ""},
		{arrow.DenseUnionOf(union, []arrow.UnionTypeCode{0, 1}), "", "other dense_union   ", ""},
		{arrow.FixedWidthTypes.MonthInterval, "", "other month_interval   ", ""},
	} {
		record := recordOf(t, c.of, c.values)
		var out bytes.Buffer
		w := ipc.NewWriter(&out, ipc.WithSchema(record.Schema()))
		err := w.Write(record)
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Errorf("%s: %v", c.of, err)
			continue
		}
		for _, dates := range []bool{false, true} {
			got := ""
			if err := intake.Guard(func() error {
				f, err := readValues(t.Context(), source{bytes.NewReader(out.Bytes())}, nil, false, dates)
				if err != nil {
					return err
				}
				x := f.Columns[1]
				got = fmt.Sprintf("%s %s", x.Kind, x.Type)
				if x.Integer {
					got = "whole " + got
				}
				for i := range 3 {
					text := ""
					if x.Kind != table.Other {
						text = x.Text(i)
					}
					got += " " + text
					if b, a := f.Columns[0].Text(i), f.Columns[2].Text(i); b != fmt.Sprint(i+1) || a != fmt.Sprint(float64(i)+0.5) {
						t.Errorf("%s: %s before row %d, and %s behind it", c.of, b, i, a)
					}
				}
				return nil
			}); err != nil {
				got = err.Error()
			}
			want := c.says
			if dates && c.dates != "" {
				want = c.dates
			}
			if got != want {
				t.Errorf("%s, dates %v: %q, not %q", c.of, dates, got, want)
			}
		}
	}
}
