package data

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/drotrain/drotrain/data/internal/datatest"
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
		{"int32", arrow.PrimitiveTypes.Int32, `[-2147483648, null, 2147483647]`, []string{"-2147483648", "", "2147483647"},
			""},
		{"int64", arrow.PrimitiveTypes.Int64, `[9007199254740993, null, -9223372036854775808]`,
			[]string{"9007199254740993", "", "-9223372036854775808"}, ""},
		{"uint8", arrow.PrimitiveTypes.Uint8, `[0, null, 255]`, []string{"0", "", "255"}, ""},
		{"uint16", arrow.PrimitiveTypes.Uint16, `[0, null, 65535]`, []string{"0", "", "65535"}, ""},
		{"uint32", arrow.PrimitiveTypes.Uint32, `[0, null, 4294967295]`, []string{"0", "", "4294967295"}, ""},
		{"uint64", arrow.PrimitiveTypes.Uint64, `[18446744073709551615, null, 9007199254740993]`,
			[]string{"18446744073709551615", "", "9007199254740993"}, ""},
		{"float16", arrow.FixedWidthTypes.Float16, `[0.5, null, -2]`, []string{"0.5", "", "-2"}, ""},
		{"float32", arrow.PrimitiveTypes.Float32, `[0.5, null, -2]`, []string{"0.5", "", "-2"}, ""},
		{"float64", arrow.PrimitiveTypes.Float64, `[0.1, null, 1e300]`, []string{"0.1", "", "1e+300"}, ""},
		{"bool", arrow.FixedWidthTypes.Boolean, `[true, null, false]`, []string{"true", "", "false"}, ""},
		{"null", arrow.Null, `[null, null, null]`, []string{"", "", ""}, ""},
		{"string", arrow.BinaryTypes.String, `["007", null, "é"]`, []string{"007", "", "é"}, ""},
		{"decimal(9,2)", &arrow.Decimal128Type{Precision: 9, Scale: 2}, `["0.10", null, "-1234567.89"]`,
			[]string{"0.10", "", "-1234567.89"}, ""},
		{"decimal(18,5)", &arrow.Decimal128Type{Precision: 18, Scale: 5}, `["9999999999999.99999", null, "0.10000"]`,
			[]string{"9999999999999.99999", "", "0.10000"}, ""},
		{"decimal(38,0)", &arrow.Decimal128Type{Precision: 38}, `["1234567890123456789", null, "-` + digits38 + `"]`,
			[]string{"1234567890123456789", "", "-" + digits38}, ""},
		{"decimal(38,10)", &arrow.Decimal128Type{Precision: 38, Scale: 10}, `["0.0000000001", null, "-0.0000000001"]`,
			[]string{"0.0000000001", "", "-0.0000000001"}, ""},
		{"decimal(38,38)", &arrow.Decimal128Type{Precision: 38, Scale: 38}, `["0.` + digits38 + `", null, "0"]`,
			[]string{"0." + digits38, "", "0." + strings.Repeat("0", 38)}, ""},
		{"decimal256(76,0)", &arrow.Decimal256Type{Precision: 76}, `["` + digits76 + `", null, "-` + digits76 + `"]`,
			[]string{digits76, "", "-" + digits76}, ""},
		{"decimal256(10,2)", &arrow.Decimal256Type{Precision: 10, Scale: 2}, `["12345678.90", null, "-0.01"]`,
			[]string{"12345678.90", "", "-0.01"}, "decimal(10, 2)"},
		{"date32", arrow.FixedWidthTypes.Date32, `["1677-09-21", null, "2024-02-29"]`,
			[]string{"1677-09-21", "", "2024-02-29"}, ""},
		{"date64", arrow.FixedWidthTypes.Date64, `["1969-12-31", null, "2262-04-12"]`,
			[]string{"1969-12-31", "", "2262-04-12"}, "date32"},
		{"time32[s]", arrow.FixedWidthTypes.Time32s, `["00:00:00", null, "23:59:59"]`, []string{"00:00:00", "", "23:59:59"},
			"time32[ms]"},
		{"time32[ms]", arrow.FixedWidthTypes.Time32ms, `["00:00:00", null, "23:59:59.999"]`,
			[]string{"00:00:00", "", "23:59:59.999"}, ""},
		{"time64[us]", arrow.FixedWidthTypes.Time64us, `["00:00:00.000001", null, "23:59:59.999999"]`,
			[]string{"00:00:00.000001", "", "23:59:59.999999"}, ""},
		{"time64[ns]", arrow.FixedWidthTypes.Time64ns, `["00:00:00.000000001", null, "23:59:59.999999999"]`,
			[]string{"00:00:00.000000001", "", "23:59:59.999999999"}, ""},
		{"timestamp[s]", &arrow.TimestampType{Unit: arrow.Second}, `["1969-12-31 23:59:59", null, "9999-12-31 23:59:59"]`,
			[]string{"1969-12-31T23:59:59", "", "9999-12-31T23:59:59"}, "timestamp[ms]"},
		{"timestamp[us]", &arrow.TimestampType{Unit: arrow.Microsecond},
			`["2024-01-01 00:00:00.000001", null, "1969-12-31 23:59:59.999999"]`, []string{"2024-01-01T00:00:00.000001", "",
				"1969-12-31T23:59:59.999999"}, ""},
		{"timestamp[ns]", &arrow.TimestampType{Unit: arrow.Nanosecond},
			`["2262-04-11 23:47:16.854775807", null, "2024-01-01 00:00:00"]`, []string{"2262-04-11T23:47:16.854775807", "",
				"2024-01-01T00:00:00"}, ""},
		{"timestamp[us, UTC]", &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
			`["2024-01-01 00:00:00Z", null, "1960-01-01 12:00:00Z"]`, []string{"2024-01-01T00:00:00Z", "",
				"1960-01-01T12:00:00Z"}, ""},
		{"timestamp[ms, New York]", &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "America/New_York"},
			`["2024-01-01 00:00:00.5Z", null, "1960-01-01 12:00:00Z"]`, []string{"2024-01-01T00:00:00.500Z", "",
				"1960-01-01T12:00:00Z"}, ""},
		{"duration[s]", arrow.FixedWidthTypes.Duration_s, `[-90, null, 9223372036854775807]`,
			[]string{"-90", "", "9223372036854775807"}, ""},
		{"duration[ns]", arrow.FixedWidthTypes.Duration_ns, `[1500000000, null, -1]`, []string{"1.5", "", "-0.000000001"},
			""},
		{"binary", arrow.BinaryTypes.Binary, `["AAE=", null, "/w=="]`, nil, ""},
		{"fixed_size_binary", &arrow.FixedSizeBinaryType{ByteWidth: 2}, `["AAE=", null, "//8="]`, nil, ""},
		{"struct", arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64}), `[{"x": 1}, null, {"x": 2}]`,
			nil, ""},
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
			stream, columns := datatest.WriteArrow(t, want), filepath.Join(dir, "t.parquet")
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
				got := datatest.ReadWritten(t, again)
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

// exactFilters lists filters of the columns of exactCases and the rows that they leave.
var exactFilters = map[string]map[string]string{
	"int64": {"v == 9007199254740993": "[0]", "v == 9007199254740992": "[]",
		"v > 9007199254740992": "[0]", "v != 9007199254740992": "[0 2]", "!(v in (9007199254740993, 1))": "[2]",
		"v < 9007199254740993.5": "[0 2]", "v is null": "[1]"},
	"uint64": {"v == 18446744073709551615": "[0]", "v >= 18446744073709551615": "[0]",
		"v < 18446744073709551615": "[2]", "v == 9007199254740992": "[]", "v in (9007199254740993)": "[2]"},
	"int32":   {"v == 2147483647": "[2]", "v < 2147483646.5": "[0]", "v == 2147483647.0000001": "[]"},
	"float32": {"v == 0.5": "[0]"},
	"decimal(9,2)": {"v == 0.1": "[0]", "v == 0.10000000000000000001": "[]", "v <= -1234567.89": "[2]",
		"v != 0.1": "[2]"},
	"decimal(18,5)": {"v == 9999999999999.99999": "[0]", "v == 10000000000000": "[]", "v < 1e13": "[0 2]"},
	"decimal(38,0)": {"v == 1234567890123456789": "[0]", "v == 1234567890123456790": "[]", "v < 0": "[2]",
		"v in (1234567890123456789, 2)": "[0]"},
	"decimal(38,10)":   {"v == 1e-10": "[0]", "v > 0": "[0]", "v >= 1e-11": "[0]", "v < -1e-11": "[2]"},
	"decimal(38,38)":   {"v < 1": "[0 2]", "v == 0": "[2]"},
	"decimal256(76,0)": {"v > 1e75": "[0]", "v < -1e75": "[2]"},
	"date32": {`v == "2024-02-29"`: "[2]", `v < "1970-01-01"`: "[0]",
		`v < "2024-02-29T00:00:01"`: "[0 2]", `v in ("2024-02-29", "2020-01-01")`: "[2]", `v != "2024-02-29"`: "[0]",
		"v is not null": "[0 2]"},
	"date64":       {`v >= "2262-04-12"`: "[2]"},
	"time64[us]":   {`v == "00:00:00.000001"`: "[0]", `v > "12:00"`: "[2]", "v < 1": "[0]"},
	"time64[ns]":   {`v == "00:00:00.000000001"`: "[0]", "v == 0.000000001": "[0]"},
	"timestamp[s]": {`v > "2262-04-11T23:47:17"`: "[2]", `v < "1970-01-01"`: "[0]"},
	"timestamp[us]": {`v == "2024-01-01"`: "[]", `v > "2024-01-01"`: "[0]",
		`v == "2024-01-01 00:00:00.000001"`: "[0]", `v <= "2024-01-01T00:00:00.0000015"`: "[0 2]"},
	"timestamp[ns]": {`v == "2024-01-01"`: "[2]", `v == "2262-04-11T23:47:16.854775807"`: "[0]",
		`v < "9999-01-01"`: "[0 2]"},
	"timestamp[us, UTC]": {`v == "2024-01-01"`: "[0]", `v == "2024-01-01T01:00:00+01:00"`: "[0]"},
	"timestamp[ms, New York]": {`v == "2024-01-01T00:00:00.5Z"`: "[0]", `v == "2023-12-31T19:00:00.5"`: "[0]",
		`v < "2023-12-31"`: "[2]"},
	"duration[s]":  {"v == 9223372036854775807": "[2]", "v == 9223372036854775806": "[]", "v < 0": "[0]"},
	"duration[ns]": {"v == 1.5": "[0]", "v < 0": "[2]"},
	"string":       {`v == "007"`: "[0]", `v != "007"`: "[2]"},
}

// Filters compare the values of every type exactly, in Arrow and in Parquet.
func TestFilter_ArrowTypes(t *testing.T) {
	for _, c := range exactCases() {
		filters, ok := exactFilters[c.name]
		if !ok {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			stream, columns := datatest.WriteArrow(t, c.array(t)), filepath.Join(t.TempDir(), "t.parquet")
			if err := copyColumn(t, stream, columns); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{stream, columns} {
				f := openFrame(t, path)
				for text, want := range filters {
					if rows, err := f.Filter(t.Context(), text); err != nil || fmt.Sprint(rows) != want {
						t.Errorf("%s: %s: %v, %v; want %s", filepath.Ext(path), text, rows, err, want)
					}
				}
			}
		})
	}
}

// Filters of text files compare integers of any length and dates exactly.
func TestFilter_ExactText(t *testing.T) {
	const rows = "id,day,x\n9007199254740993,2024-01-01,1\n9007199254740992,2024-03-31T23:59:59.000001,2\n123456789012345678901234,1960-01-01,3\n,,4\n"
	for _, c := range []struct{ dates, filter, want string }{
		{"", "id == 9007199254740993", "[0]"}, {"", "id == 9007199254740992", "[1]"}, {"", "id > 9007199254740992", "[0 2]"},
		{"", "id != 9007199254740992", "[0 2]"}, {"", "id == 123456789012345678901234", "[2]"},
		{"", "id == 123456789012345678901235", "[]"},
		{"", "id in (9007199254740992, 7)", "[1]"}, {"", "id is null", "[3]"}, {"", "!(id < 9007199254740993)", "[0 2]"},
		{"", `day >= "2024-01-01"`, "[0 1]"}, {"", `day < "1970-01-01"`, "[2]"}, {"", `day > "2024-03-31T23:59:59"`, "[1]"},
		{"number", `day >= "2024-01-01"`, "[0 1]"}, {"parts", `day == "2024-01-01"`, "[0]"}, {"drop", `day <= "2024-01-01"`,
			"[0 2]"},
		{"number", "day >= 19723", "[0 1]"}, {"", "x == 1.00000000000000001", "[]"}, {"", "x < 2.00000000000000001", "[0 1]"},
	} {
		f, err := ReadBytes(t.Context(), "t.csv", []byte(rows), Reading{Dates: c.dates})
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Filter(t.Context(), c.filter)
		if err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("dates %q, %s: %v, %v; want %s", c.dates, c.filter, got, err, c.want)
		}
	}
}

// The rows of the last times are those of the largest integers, which float64 would take for equal.
func TestHoldout_ExactTimes(t *testing.T) {
	for name, typ := range map[string]arrow.DataType{"int64": arrow.PrimitiveTypes.Int64,
		"uint64":  arrow.PrimitiveTypes.Uint64,
		"decimal": &arrow.Decimal128Type{Precision: 38}, "ns": &arrow.TimestampType{Unit: arrow.Nanosecond}} {
		text := `[9007199254740994, 9007199254740993, 9007199254740992, 9007199254740995]`
		if name == "decimal" {
			text = strings.NewReplacer("9007", `"9007`, ",", `",`, "]", `"]`).Replace(text)
		}
		f := openFrame(t, datatest.WriteArrow(t, exactCase{typ: typ, json: text}.array(t)))
		_, held, err := f.SplitRows(t.Context(), Holdout{Time: "v", Fraction: 0.5})
		if err != nil || fmt.Sprint(held) != "[0 3]" {
			t.Errorf("%s: %v, %v", name, held, err)
		}
	}
}

// Labels distinguish numbers that have the same float64.
func TestLoadLabels_DistinguishNumbers(t *testing.T) {
	for _, c := range []struct {
		typ  arrow.DataType
		json string
		want []string
	}{
		{arrow.PrimitiveTypes.Int64, "[9007199254740993,9007199254740992]", []string{"9007199254740993", "9007199254740992"}},
		{&arrow.Decimal128Type{Precision: 30, Scale: 2}, `["12345678901234567890.12","12345678901234567890.13"]`,
			[]string{"12345678901234567890.12", "12345678901234567890.13"}},
		{&arrow.Decimal128Type{Precision: 20, Scale: 18}, `["1.000000000000000001","1.500000000000000000"]`,
			[]string{"1.000000000000000001", "1.5"}},
		{arrow.FixedWidthTypes.Duration_ns, "[1152921504606846977,1152921504606846976]",
			[]string{"1152921504.606846977", "1152921504.606846976"}},
	} {
		f := openFrame(t, datatest.WriteArrow(t, exactCase{typ: c.typ, json: c.json}.array(t)))
		v, err := f.Lookup("v")
		if err != nil {
			t.Fatal(err)
		}
		labels, err := f.LoadLabels(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		if got := []string{labels.Text(0), labels.Text(1)}; !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.typ, got, c.want)
		}
	}
}
