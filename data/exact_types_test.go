package data

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// An exactCase is a column of one of Arrow's types.
type exactCase struct {
	name   string
	typ    arrow.DataType
	json   string   // its values
	texts  []string // as CSV has them; nil: the column is refused by its name
	stored string   // the type in Parquet after writing, if it is another one than Arrow's
}

// exactCases lists columns with values that float64 does not hold, and with nulls.
func exactCases() []exactCase {
	digits38, digits76 := strings.Repeat("9", 38), strings.Repeat("9", 76)
	return []exactCase{
		{"int8", arrow.PrimitiveTypes.Int8, `[-128, null, 127]`, []string{"-128", "", "127"}, ""},
		{"int16", arrow.PrimitiveTypes.Int16, `[-32768, null, 32767]`, []string{"-32768", "", "32767"}, ""},
		{"int32", arrow.PrimitiveTypes.Int32, `[-2147483648, null, 2147483647]`, []string{"-2147483648", "", "2147483647"}, ""},
		{"int64", arrow.PrimitiveTypes.Int64, `[9007199254740993, null, -9223372036854775808]`, []string{"9007199254740993", "", "-9223372036854775808"}, ""},
		{"uint8", arrow.PrimitiveTypes.Uint8, `[0, null, 255]`, []string{"0", "", "255"}, ""},
		{"uint16", arrow.PrimitiveTypes.Uint16, `[0, null, 65535]`, []string{"0", "", "65535"}, ""},
		{"uint32", arrow.PrimitiveTypes.Uint32, `[0, null, 4294967295]`, []string{"0", "", "4294967295"}, ""},
		{"uint64", arrow.PrimitiveTypes.Uint64, `[18446744073709551615, null, 9007199254740993]`, []string{"18446744073709551615", "", "9007199254740993"}, ""},
		{"float16", arrow.FixedWidthTypes.Float16, `[0.5, null, -2]`, []string{"0.5", "", "-2"}, ""},
		{"float32", arrow.PrimitiveTypes.Float32, `[0.5, null, -2]`, []string{"0.5", "", "-2"}, ""},
		{"float64", arrow.PrimitiveTypes.Float64, `[0.1, null, 1e300]`, []string{"0.1", "", "1e+300"}, ""},
		{"bool", arrow.FixedWidthTypes.Boolean, `[true, null, false]`, []string{"true", "", "false"}, ""},
		{"null", arrow.Null, `[null, null, null]`, []string{"", "", ""}, ""},
		{"string", arrow.BinaryTypes.String, `["007", null, "é"]`, []string{"007", "", "é"}, ""},
		{"decimal(9,2)", &arrow.Decimal128Type{Precision: 9, Scale: 2}, `["0.10", null, "-1234567.89"]`, []string{"0.10", "", "-1234567.89"}, ""},
		{"decimal(18,5)", &arrow.Decimal128Type{Precision: 18, Scale: 5}, `["9999999999999.99999", null, "0.10000"]`, []string{"9999999999999.99999", "", "0.10000"}, ""},
		{"decimal(38,0)", &arrow.Decimal128Type{Precision: 38}, `["1234567890123456789", null, "-` + digits38 + `"]`, []string{"1234567890123456789", "", "-" + digits38}, ""},
		{"decimal(38,10)", &arrow.Decimal128Type{Precision: 38, Scale: 10}, `["0.0000000001", null, "-0.0000000001"]`, []string{"0.0000000001", "", "-0.0000000001"}, ""},
		{"decimal(38,38)", &arrow.Decimal128Type{Precision: 38, Scale: 38}, `["0.` + digits38 + `", null, "0"]`, []string{"0." + digits38, "", "0." + strings.Repeat("0", 38)}, ""},
		{"decimal256(76,0)", &arrow.Decimal256Type{Precision: 76}, `["` + digits76 + `", null, "-` + digits76 + `"]`, []string{digits76, "", "-" + digits76}, ""},
		{"decimal256(10,2)", &arrow.Decimal256Type{Precision: 10, Scale: 2}, `["12345678.90", null, "-0.01"]`, []string{"12345678.90", "", "-0.01"}, "decimal(10, 2)"},
		{"date32", arrow.FixedWidthTypes.Date32, `["1677-09-21", null, "2024-02-29"]`, []string{"1677-09-21", "", "2024-02-29"}, ""},
		{"date64", arrow.FixedWidthTypes.Date64, `["1969-12-31", null, "2262-04-12"]`, []string{"1969-12-31", "", "2262-04-12"}, "date32"},
		{"time32[s]", arrow.FixedWidthTypes.Time32s, `["00:00:00", null, "23:59:59"]`, []string{"00:00:00", "", "23:59:59"}, "time32[ms]"},
		{"time32[ms]", arrow.FixedWidthTypes.Time32ms, `["00:00:00", null, "23:59:59.999"]`, []string{"00:00:00", "", "23:59:59.999"}, ""},
		{"time64[us]", arrow.FixedWidthTypes.Time64us, `["00:00:00.000001", null, "23:59:59.999999"]`, []string{"00:00:00.000001", "", "23:59:59.999999"}, ""},
		{"time64[ns]", arrow.FixedWidthTypes.Time64ns, `["00:00:00.000000001", null, "23:59:59.999999999"]`, []string{"00:00:00.000000001", "", "23:59:59.999999999"}, ""},
		{"timestamp[s]", &arrow.TimestampType{Unit: arrow.Second}, `["1969-12-31 23:59:59", null, "9999-12-31 23:59:59"]`, []string{"1969-12-31T23:59:59", "", "9999-12-31T23:59:59"}, "timestamp[ms]"},
		{"timestamp[us]", &arrow.TimestampType{Unit: arrow.Microsecond}, `["2024-01-01 00:00:00.000001", null, "1969-12-31 23:59:59.999999"]`, []string{"2024-01-01T00:00:00.000001", "", "1969-12-31T23:59:59.999999"}, ""},
		{"timestamp[ns]", &arrow.TimestampType{Unit: arrow.Nanosecond}, `["2262-04-11 23:47:16.854775807", null, "2024-01-01 00:00:00"]`, []string{"2262-04-11T23:47:16.854775807", "", "2024-01-01T00:00:00"}, ""},
		{"timestamp[us, UTC]", &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, `["2024-01-01 00:00:00Z", null, "1960-01-01 12:00:00Z"]`, []string{"2024-01-01T00:00:00Z", "", "1960-01-01T12:00:00Z"}, ""},
		{"timestamp[ms, New York]", &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "America/New_York"}, `["2024-01-01 00:00:00.5Z", null, "1960-01-01 12:00:00Z"]`, []string{"2024-01-01T00:00:00.500Z", "", "1960-01-01T12:00:00Z"}, ""},
		{"duration[s]", arrow.FixedWidthTypes.Duration_s, `[-90, null, 9223372036854775807]`, []string{"-90", "", "9223372036854775807"}, ""},
		{"duration[ns]", arrow.FixedWidthTypes.Duration_ns, `[1500000000, null, -1]`, []string{"1.5", "", "-0.000000001"}, ""},
		{"binary", arrow.BinaryTypes.Binary, `["AAE=", null, "/w=="]`, nil, ""},
		{"fixed_size_binary", &arrow.FixedSizeBinaryType{ByteWidth: 2}, `["AAE=", null, "//8="]`, nil, ""},
		{"struct", arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64}), `[{"x": 1}, null, {"x": 2}]`, nil, ""},
		{"list of text", arrow.ListOf(arrow.BinaryTypes.String), `[["a"], null, ["b"]]`, nil, ""},
	}
}

// array returns the values of the case.
func (c exactCase) array(t *testing.T) arrow.Array {
	t.Helper()
	a, _, err := array.FromJSON(memory.DefaultAllocator, c.typ, strings.NewReader(c.json), array.WithUseNumber())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// writeArrow writes a column v as an Arrow stream and returns its path.
func writeArrow(t *testing.T, v arrow.Array) string {
	t.Helper()
	s := arrow.NewSchema([]arrow.Field{{Name: "v", Type: v.DataType(), Nullable: true}}, nil)
	var stream bytes.Buffer
	w := ipc.NewWriter(&stream, ipc.WithSchema(s))
	if err := w.Write(array.NewRecord(s, []arrow.Array{v}, int64(v.Len()))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.arrows")
	if err := os.WriteFile(path, stream.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// readWritten returns the column v of an Arrow stream, read by Arrow.
func readWritten(t *testing.T, path string) arrow.Array {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ipc.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if !r.Next() {
		t.Fatal(r.Err())
	}
	a := r.Record().Column(0)
	a.Retain()
	return a
}

// copyColumn copies the column v of a file exactly, or returns an error.
func copyColumn(t *testing.T, from, to string) error {
	t.Helper()
	f := openFrame(t, from)
	e, err := f.Exact(t.Context(), []string{"v"})
	if err != nil {
		return err
	}
	cols, err := e.Rows(t.Context(), 0, f.Rows)
	if err != nil {
		return err
	}
	return WriteTable(to, []Column{*cols[0]}, true)
}

// Every type of Arrow is copied without a change, with its type where the output has it, or refused by its name.
func TestExact_ArrowTypes(t *testing.T) {
	for _, c := range exactCases() {
		t.Run(c.name, func(t *testing.T) {
			want, dir := c.array(t), t.TempDir()
			stream, columns := writeArrow(t, want), filepath.Join(dir, "t.parquet")
			if c.texts == nil {
				err := copyColumn(t, stream, filepath.Join(dir, "out.csv"))
				if err == nil || !strings.Contains(err.Error(), "cannot be copied") || !strings.Contains(err.Error(), `"v"`) {
					t.Errorf("%v, want an error with the name", err)
				}
				return
			}
			if err := copyColumn(t, stream, columns); err != nil {
				t.Fatal(err)
			}
			for _, from := range []string{stream, columns} {
				text, again := filepath.Join(dir, "out.csv"), filepath.Join(dir, "out.arrows")
				if err := copyColumn(t, from, text); err != nil {
					t.Fatal(err)
				}
				b, err := os.ReadFile(text)
				if err != nil {
					t.Fatal(err)
				}
				lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(b), `""`, ""), "\n"), "\n")[1:]
				if !slices.Equal(lines, c.texts) {
					t.Errorf("%s: %q, want %q", filepath.Ext(from), lines, c.texts)
				}
				if err := copyColumn(t, from, again); err != nil {
					t.Fatal(err)
				}
				got := readWritten(t, again)
				if from == columns && c.stored != "" { // the texts show that the values are the same
					continue
				}
				if !array.Equal(got, want) || !arrow.TypeEqual(got.DataType(), want.DataType()) {
					t.Errorf("%s: %v of type %v, want %v of type %v", filepath.Ext(from), got, got.DataType(), want, want.DataType())
				}
			}
		})
	}
}
