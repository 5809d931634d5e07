package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
)

// contractKinds lists kinds of columns: the values as a text file has them, and as a typed file.
var contractKinds = []struct {
	name  string
	texts []string
	typ   arrow.DataType
	typed string // of the texts, in the JSON form of Arrow
	how   func(c *Config)
}{
	{"codes with leading zeros", []string{"02134", "10001", "00501", "94105"}, arrow.BinaryTypes.String, `["02134","10001","00501","94105"]`, nil},
	{"codes of three lengths", []string{"1", "01", "001", "2"}, arrow.BinaryTypes.String, `["1","01","001","2"]`, nil},
	{"codes of digits and letters", []string{"101", "A7", "202", "303"}, arrow.BinaryTypes.String, `["101","A7","202","303"]`, nil},
	{"text of digits", []string{"101", "202", "303", "404"}, arrow.BinaryTypes.String, `["101","202","303","404"]`, nil},
	{"codes with zeros that are integers", []string{"02134", "10001", "00501", "94105"}, arrow.PrimitiveTypes.Int64, `[2134,10001,501,94105]`, nil},
	{"padded numbers", []string{"007", "010", "012", "100"}, arrow.PrimitiveTypes.Int64, `[7,10,12,100]`, func(c *Config) { c.Reading.Text.Numeric = []string{"v"} }},
	{"codes of diseases", []string{"250.0", "250.00", "001.1", "E11"}, arrow.BinaryTypes.String, `["250.0","250.00","001.1","E11"]`, nil},
	{"phone prefixes", []string{"+49", "0049", "+1", "001"}, arrow.BinaryTypes.String, `["+49","0049","+1","001"]`, nil},
	{"integers", []string{"1", "25", "3", "-4"}, arrow.PrimitiveTypes.Int32, `[1,25,3,-4]`, nil},
	{"integers as categories", []string{"1", "25", "3", "4"}, arrow.PrimitiveTypes.Int64, `[1,25,3,4]`, func(c *Config) { c.Categorical = []string{"v"} }},
	{"floats of 32 bits as categories", []string{"0.1", "0.7", "1.5", "-2.3"}, arrow.PrimitiveTypes.Float32, `[0.1,0.7,1.5,-2.3]`, func(c *Config) { c.Categorical = []string{"v"} }},
	{"floats of 16 bits as categories", []string{"0.1", "0.5", "1.5", "-2.25"}, arrow.FixedWidthTypes.Float16, `[0.1,0.5,1.5,-2.25]`, func(c *Config) { c.Categorical = []string{"v"} }},
	{"integers written as fractions", []string{"1.0", "25.0", "3.0", "4.0"}, arrow.PrimitiveTypes.Int64, `[1,25,3,4]`, nil},
	{"fractions", []string{"1.5", "2", "-0.25", "1e-3"}, arrow.PrimitiveTypes.Float64, `[1.5,2,-0.25,0.001]`, nil},
	{"bools", []string{"true", "false", "TRUE", "False"}, arrow.FixedWidthTypes.Boolean, `[true,false,true,false]`, nil},
	{"zeros and ones", []string{"1", "0", "1", "0"}, arrow.FixedWidthTypes.Boolean, `[true,false,true,false]`, nil},
	{"yes and no", []string{"yes", "no", "yes", "no"}, arrow.FixedWidthTypes.Boolean, `[true,false,true,false]`, nil},
	{"ISO dates as numbers", []string{"2024-03-01", "2024-07-31", "2023-12-05", "2024-01-02"}, arrow.FixedWidthTypes.Date32, `["2024-03-01","2024-07-31","2023-12-05","2024-01-02"]`, func(c *Config) { c.Reading.Dates = "number" }},
	{"dates with the day first", []string{"01/03/2024", "31/07/2024", "05/12/2023", "02/01/2024"}, arrow.FixedWidthTypes.Date32, `["2024-03-01","2024-07-31","2023-12-05","2024-01-02"]`, func(c *Config) { c.Reading.Dates = "parts" }},
	{"dates with the month first", []string{"3/1/2024", "7/31/2024", "12/5/2023", "1/2/2024"}, arrow.FixedWidthTypes.Date32, `["2024-03-01","2024-07-31","2023-12-05","2024-01-02"]`, func(c *Config) { c.Reading.Dates = "number" }},
	{"dates of a named order", []string{"1/3/2024", "1/7/2024", "5/12/2023", "2/1/2024"}, arrow.FixedWidthTypes.Date32, `["2024-03-01","2024-07-01","2023-12-05","2024-01-02"]`, func(c *Config) {
		c.Reading.Dates, c.Reading.Text.DateOrder = "number", "day-first"
	}},
	{"dates with names of months", []string{"01-Mar-2024", "31-JUL-2024", "05-Dec-2023", "02-Jan-2024"}, arrow.FixedWidthTypes.Date32, `["2024-03-01","2024-07-31","2023-12-05","2024-01-02"]`, func(c *Config) { c.Reading.Dates = "parts" }},
	{"times without a zone", []string{"2024-03-01 08:00:00", "2024-07-31 23:30:00", "2023-12-05 00:15:00",
		"2024-01-02 17:00:00"}, &arrow.TimestampType{Unit: arrow.Microsecond},
		`["2024-03-01 08:00:00","2024-07-31 23:30:00","2023-12-05 00:15:00","2024-01-02 17:00:00"]`, func(c *Config) { c.Reading.Dates = "parts" }},
	{"times in a zone", []string{"2024-03-01T08:00:00+01:00", "2024-02-28T23:30:00+01:00", "2023-12-05T00:15:00+01:00",
		"2024-01-02T17:00:00+01:00"}, &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "Europe/Berlin"},
		`["2024-03-01 07:00:00","2024-02-28 22:30:00","2023-12-04 23:15:00","2024-01-02 16:00:00"]`, func(c *Config) { c.Reading.Dates = "parts" }},
	{"times of another zone", []string{"2024-03-01T07:00:00Z", "2024-07-28T22:30:00Z", "2023-12-04T23:15:00Z",
		"2024-01-02T16:00:00Z"}, &arrow.TimestampType{Unit: arrow.Second, TimeZone: "America/New_York"},
		`["2024-03-01 07:00:00","2024-07-28 22:30:00","2023-12-04 23:15:00","2024-01-02 16:00:00"]`, func(c *Config) { c.Reading.Dates = "parts" }},
	{"times as numbers, with zones in one file", []string{"2024-03-01 08:00", "2024-07-31 23:30", "2023-12-05 00:15",
		"2024-01-02 17:00"}, &arrow.TimestampType{Unit: arrow.Second, TimeZone: "Europe/Berlin"},
		`["2024-03-01 07:00:00","2024-07-31 21:30:00","2023-12-04 23:15:00","2024-01-02 16:00:00"]`, func(c *Config) { c.Reading.Dates = "number" }},
	{"decimal commas", []string{"1,5", "2,25", "-0,125", "1000"}, arrow.PrimitiveTypes.Float64, `[1.5,2.25,-0.125,1000]`, func(c *Config) { c.Reading.Text.Decimal = "," }},
	{"points between thousands", []string{"1.234", "12.000", "999", "1.000.000"}, arrow.PrimitiveTypes.Int64, `[1234,12000,999,1000000]`, func(c *Config) { c.Reading.Text.Thousands = "." }},
	{"numbers of accounts", []string{"50.00", "(12.50)", "7.25-", "−3"}, arrow.PrimitiveTypes.Float64, `[50,-12.5,-7.25,-3]`, nil},
	{"per cent", []string{"10%", "25%", "3.5%", "40%"}, arrow.PrimitiveTypes.Float64, `[10,25,3.5,40]`, func(c *Config) { c.Reading.Text.Strip = "%" }},
	{"mixed case", []string{"Yes", "yes", "YES", "no"}, arrow.BinaryTypes.String, `["Yes","yes","YES","no"]`, nil},
	{"missing texts", []string{"a", "", "b", "c"}, arrow.BinaryTypes.String, `["a",null,"b","c"]`, nil},
	{"empty texts", []string{"a", "", "b", "c"}, arrow.BinaryTypes.String, `["a","","b","c"]`, nil},
	{"missing numbers", []string{"1", "", "2", "5"}, arrow.PrimitiveTypes.Float64, `[1,null,2,5]`, func(c *Config) { c.Impute = "mean" }},
	{"missing words of numbers", []string{"1", "NA", "2", "5"}, arrow.PrimitiveTypes.Float64, `[1,null,2,5]`, func(c *Config) { c.Impute = "median" }},
	{"a code that is NA", []string{"NA", "DE", "FR", "IT"}, arrow.BinaryTypes.String, `["NA","DE","FR","IT"]`, nil},
	{"marks of missing texts", []string{"?", "DE", "FR", "IT"}, arrow.BinaryTypes.String, `["?","DE","FR","IT"]`, func(c *Config) { c.Reading.Text.Missing = []string{"?"} }},
	{"blanks at the ends", []string{"a ", "b", " c", "d"}, arrow.BinaryTypes.String, `["a ","b"," c","d"]`, nil},
	{"dictionaries", []string{"0a", "0b", "0c", "0d"}, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, `["0a","0b","0c","0d"]`, nil},
	{"decimals", []string{"1.50", "2.25", "0.10", "1000.00"}, &arrow.Decimal128Type{Precision: 9, Scale: 2}, `["1.50","2.25","0.10","1000.00"]`, nil},
}

// contractRows is the number of rows of a table; row i has the value i mod 4.
const contractRows = 120

// writeContractTables writes the rows of a kind in every format and returns the paths by format. Value, if it is not
// negative, is the only one that they have.
func writeContractTables(t *testing.T, texts []string, typ arrow.DataType, typed string, value int) map[string]string {
	t.Helper()
	dir := t.TempDir()
	paths := map[string]string{}
	for _, format := range []string{"csv", "jsonl", "arrows", "parquet"} {
		paths[format] = filepath.Join(dir, "t."+format)
	}
	var values []json.RawMessage
	if err := json.Unmarshal([]byte(typed), &values); err != nil {
		t.Fatal(err)
	}
	csv, lines := "y;x;v\n", ""
	var ys, xs, vs []string
	for i := range contractRows {
		k := i % 4
		if value >= 0 {
			k = value
		}
		y, x := (i*i/7+[]int{0, i % 3, 1, i % 2}[k])%2, fmt.Sprint(i*31%17)
		text, _ := json.Marshal(texts[k])
		csv += fmt.Sprintf("%d;%s;%s\n", y, x, texts[k])
		lines += fmt.Sprintf(`{"y":%d,"x":%s,"v":%s}`+"\n", y, x, text)
		ys, xs, vs = append(ys, fmt.Sprint(y)), append(xs, x), append(vs, string(values[k]))
	}
	array1 := func(typ arrow.DataType, values []string) arrow.Array {
		a, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader("["+strings.Join(values, ",")+"]"))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "y", Type: arrow.PrimitiveTypes.Int64},
		{Name: "x", Type: arrow.PrimitiveTypes.Int64}, {Name: "v", Type: typ, Nullable: true}}, nil)
	record := array.NewRecord(schema, []arrow.Array{array1(arrow.PrimitiveTypes.Int64, ys),
		array1(arrow.PrimitiveTypes.Int64, xs), array1(typ, vs)}, contractRows)
	var b strings.Builder
	w := ipc.NewWriter(&b, ipc.WithSchema(schema))
	if err := errors.Join(w.Write(record), w.Close()); err != nil {
		t.Fatal(err)
	}
	for format, content := range map[string]string{"csv": csv, "jsonl": lines, "arrows": b.String()} {
		if err := os.WriteFile(paths[format], []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := data.Open(t.Context(), paths["arrows"])
	if err != nil {
		t.Fatal(err)
	}
	exact, err := f.Exact(t.Context(), []string{"y", "x", "v"})
	if err != nil {
		t.Fatal(err)
	}
	columns, err := exact.Rows(t.Context(), 0, contractRows)
	if err != nil {
		t.Fatal(err)
	}
	var out []data.Column
	for _, c := range columns {
		out = append(out, *c)
	}
	if err := data.WriteTable(paths["parquet"], out, true); err != nil {
		t.Fatal(err)
	}
	return paths
}

// probabilities returns the probabilities of a model for the rows of a file.
func probabilities(t *testing.T, m *Model, path string) (p []float64, err error) {
	return probabilitiesOf(t, m, path, m.Reading(), BlockOptions{})
}

// probabilitiesOf returns the probabilities of a model for the rows of a file that is read in a given way: NaN for rows
// that are not scored.
func probabilitiesOf(t *testing.T, m *Model, path string, how data.Reading, o BlockOptions) (p []float64, err error) {
	f, err := data.Open(t.Context(), path, how)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	_, err = m.PredictBlocks(t.Context(), f, o, func(columns []data.Column) error {
		for _, c := range columns {
			if c.Name != probabilityName {
				continue
			}
			for i, v := range c.Number {
				if c.IsNull(i) {
					v = math.NaN()
				}
				p = append(p, v)
			}
		}
		return nil
	})
	return p, err
}

// A model gives the rows of a table the same scores whatever the format of their file, and a file with some of
// the rows the scores of these rows; or it refuses the file with a message that names the column.
func TestContract_SameRowsSameScoresOrRefusal(t *testing.T) {
	scored, refused := 0, 0
	for _, kind := range contractKinds {
		paths := writeContractTables(t, kind.texts, kind.typ, kind.typed, -1)
		parts := make([]map[string]string, len(kind.texts))
		for k := range parts {
			parts[k] = writeContractTables(t, kind.texts, kind.typ, kind.typed, k)
		}
		for trained, path := range paths {
			cfg := DefaultConfig()
			cfg.Data, cfg.Target, cfg.Loss, cfg.Holdout, cfg.Evaluate = path, "y", "logistic", 0, ""
			cfg.Nu = level.At(1)
			if kind.how != nil {
				kind.how(&cfg)
			}
			m, err := Fit(t.Context(), cfg)
			if err != nil {
				t.Logf("%s: training on %s: %v", kind.name, trained, err)
				continue
			}
			stored, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			m = &Model{}
			if err := json.Unmarshal(stored, m); err != nil {
				t.Fatal(err)
			}
			want, err := probabilities(t, m, path)
			if err != nil {
				t.Errorf("%s: trained on %s and not read again: %v", kind.name, trained, err)
				continue
			}
			for format := range paths {
				whole, err := probabilities(t, m, paths[format])
				isText := func(format string) bool { return format == "csv" || format == "jsonl" }
				if err != nil {
					if refused++; !strings.Contains(err.Error(), `column "v`) || isText(format) == isText(trained) {
						t.Errorf("%s: trained on %s, %s is refused: %v", kind.name, trained, format, err)
					}
					continue
				}
				scored++
				for k := range parts {
					some, err := probabilities(t, m, parts[k][format])
					if err != nil && isText(format) != isText(trained) && strings.Contains(err.Error(), `column "v`) {
						refused++ // days and months that nothing decides
						continue
					}
					if err != nil {
						t.Errorf("%s: trained on %s, the rows of %q in %s are refused: %v", kind.name, trained, kind.texts[k], format,
							err)
						continue
					}
					for i := range contractRows {
						if i%4 == k && !(math.Abs(whole[i]-want[i])+math.Abs(some[i]-want[i]) <= 1e-12) {
							t.Errorf("%s: trained on %s, row %d of %s (%q): %v and, alone, %v; want %v", kind.name, trained, i+1, format,
								kind.texts[k], whole[i], some[i], want[i])
							break
						}
					}
				}
			}
		}
	}
	t.Logf("%d kinds: %d pairs of files give the same scores, %d or parts of them are refused", len(contractKinds), scored,
		refused)
	if scored < 8*len(contractKinds) {
		t.Errorf("only %d pairs of files are scored", scored)
	}
}

// A text file whose numbers are probably written with other marks than those of the training table is refused, unless
// the user names its marks; other text files give the same scores.
func TestContract_OtherMarksAreRefused(t *testing.T) {
	const rows = 60
	number := func(k int) int { return 100 + k*317%9000 }
	group := func(mark string, v int) string {
		if v < 1000 {
			return fmt.Sprint(v)
		}
		return fmt.Sprintf("%d%s%03d", v/1000, mark, v%1000)
	}
	forms := map[string]func(k int) string{
		"plain":       func(k int) string { return fmt.Sprint(number(k)) },
		"points":      func(k int) string { return group(".", number(k)) },
		"commas":      func(k int) string { return group(",", number(k)) },
		"some points": func(k int) string { return group([]string{"", "."}[k%2], number(k)) },
		"some commas": func(k int) string { return group([]string{"", ","}[k%2], number(k)) },
		"cents":       func(k int) string { return fmt.Sprintf("%d.00", number(k)) },
		"a bad row": func(k int) string {
			if k == 7 {
				return "?"
			}
			return group(".", number(k))
		},
	}
	dir := t.TempDir()
	for name, form := range forms {
		text := "y;v\n"
		for k := range rows {
			text += fmt.Sprintf("%d;%s\n", k*k/7%2, form(k))
		}
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const same, refused = "same", "refused"
	for _, c := range []struct {
		trained   string
		thousands string
		want      map[string]string
	}{
		{"plain", "", map[string]string{"plain": same, "cents": same, "points": refused, "some points": refused,
			"commas": refused, "a bad row": refused}},
		{"points", ".", map[string]string{"plain": same, "points": same, "some points": same, "commas": refused,
			"some commas": refused, "cents": refused}},
		{"commas", ",", map[string]string{"plain": same, "commas": same, "some commas": same, "cents": same,
			"points": refused, "some points": refused}},
		{"cents", "", map[string]string{"plain": same, "cents": same, "points": refused, "some points": refused,
			"commas": refused}},
		// read as fractions, with a note
		{"points", "", map[string]string{"points": same, "plain": refused, "commas": refused}},
	} {
		cfg := DefaultConfig()
		cfg.Data, cfg.Target, cfg.Loss, cfg.Holdout, cfg.Evaluate =
			filepath.Join(dir, c.trained+".csv"), "y", "logistic", 0, ""
		cfg.Nu, cfg.Reading.Text.Thousands = level.At(1), c.thousands
		m, err := Fit(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		want, err := probabilities(t, m, cfg.Data)
		if err != nil {
			t.Fatal(err)
		}
		for name, is := range c.want {
			for _, invalid := range []bool{false, true} {
				path := filepath.Join(dir, name+".csv")
				got, err := probabilitiesOf(t, m, path, m.Reading(), BlockOptions{NullInvalid: invalid})
				switch {
				case is == refused && err == nil && invalid &&
					!slices.ContainsFunc(got, func(p float64) bool { return p-p == 0 && !slices.Contains(want, p) }):
				case is == refused && err == nil:
					t.Errorf("trained on %s (thousands %q): %s is scored", c.trained, c.thousands, name)
				case is == refused && !strings.Contains(err.Error(), `column "v"`):
					t.Errorf("trained on %s: %s: %v", c.trained, name, err)
				case is == same && err != nil:
					t.Errorf("trained on %s (thousands %q): %s: %v", c.trained, c.thousands, name, err)
				case is == same && !slices.Equal(got, want):
					t.Errorf("trained on %s (thousands %q): %s has other scores", c.trained, c.thousands, name)
				}
			}
		}
		if c.trained == "plain" { // the user says that points are decimal marks
			how := m.Reading()
			how.Text.TrustMarks = true
			if _, err := probabilitiesOf(t, m, filepath.Join(dir, "points.csv"), how, BlockOptions{}); err != nil {
				t.Errorf("marks that the user named are refused: %v", err)
			}
			how = m.Reading()
			for k := range how.Columns {
				how.Columns[k].Marks = nil // as in models of earlier versions
			}
			if _, err := probabilitiesOf(t, m, filepath.Join(dir, "points.csv"), how, BlockOptions{}); err == nil {
				t.Error("a model without marks takes fractions for its whole numbers")
			}
		}
	}
}
