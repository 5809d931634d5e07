package train

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
)

// writeText writes a file of a test and returns its path.
func writeText(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A row that cannot be scored has a null and a reason. The other rows have the same scores as alone, for every size
// of blocks, and a null that the model fills is no reason.
func TestPredictBlocks_NullInvalid(t *testing.T) {
	var training strings.Builder
	training.WriteString("x,z,y\n")
	for i := range 60 {
		x := ""
		if i != 7 {
			x = fmt.Sprint(math.Sin(float64(i)))
		}
		fmt.Fprintf(&training, "%s,%v,%d\n", x, math.Cos(float64(3*i)), i%3%2)
	}
	scored := []string{"0.5,0.1", "-0.5,0.25"}
	invalid := []struct{ row, reason string }{
		{"abc,0.1", `column "x": the value is "abc", but the model needs a number`},
		{"1,inf", `column "z": the value is +Inf`},
		{"1,", `column "z": the value is null`},
		{"1.7e308,0", `column "x": the value 1.7e+308 is too far outside the training range to standardise`},
		{"NA,0.1", `column "x": the value is null`},
	}
	for _, impute := range []string{"", "mean"} {
		t.Run("impute "+impute, func(t *testing.T) {
			text := training.String()
			if impute == "" {
				text = strings.Replace(text, "\n,", "\n0,", 1)
			}
			cfg := keepingRows()
			cfg.Target, cfg.Nu, cfg.Impute = "y", level.At(1), impute
			m := fitFrame(t, openTable(t, writeText(t, "t.csv", text)), cfg)
			score := func(f *data.Frame, size int) (scores []float64, reasons []string) {
				report, err := m.PredictBlocks(t.Context(), f, BlockOptions{Keep: []string{"z"}, NullInvalid: true, size: size},
					func(c []data.Column) error {
						for i := range c[0].Len() {
							if want := float64(len(scores) + 1); c[0].Number[i] != want {
								t.Errorf("row %v follows, not %v", c[0].Number[i], want)
							}
							why, v := "", math.NaN()
							if !c[4].IsNull(i) {
								why = c[4].Text(i)
							}
							if !c[2].IsNull(i) {
								v = c[2].Number[i]
							}
							if c[2].IsNull(i) != (why != "") || c[3].IsNull(i) != (why != "") {
								t.Errorf("row %d: nulls and the reason %q disagree", len(scores)+1, why)
							}
							scores, reasons = append(scores, v), append(reasons, why)
						}
						return nil
					})
				if err != nil {
					t.Fatal(err)
				}
				n := 0
				for _, why := range reasons {
					if why != "" {
						n++
					}
				}
				if report.Invalid != n {
					t.Errorf("the report counts %d invalid rows of %d", report.Invalid, n)
				}
				return scores, reasons
			}
			alone, _ := score(openTable(t, writeText(t, "good.csv", "x,z\n"+strings.Join(scored, "\n")+"\n")), 0)
			mixed := "x,z\n" + scored[0] + "\n"
			for _, bad := range invalid {
				mixed += bad.row + "\n"
			}
			mixed += scored[1] + "\n"
			for _, size := range []int{0, 1, 3} {
				got, reasons := score(openTable(t, writeText(t, "mixed.csv", mixed)), size)
				last := len(got) - 1
				if got[0] != alone[0] || got[last] != alone[1] || reasons[0]+reasons[last] != "" {
					t.Errorf("blocks of %d: scores %v, %v with the reasons %q, want %v", size, got[0], got[last], reasons, alone)
				}
				for i, bad := range invalid {
					want := bad.reason
					if impute == "mean" && strings.HasSuffix(want, "null") {
						want = ""
					}
					if reasons[i+1] != want {
						t.Errorf("blocks of %d: %q has the reason %q, want %q", size, bad.row, reasons[i+1], want)
					}
				}
			}
		})
	}
}

// A column without any number is an error of the column, not of its rows.
func TestPredictBlocks_NullInvalidWholeColumn(t *testing.T) {
	cfg := keepingRows()
	cfg.Target, cfg.Nu = "y", level.At(1)
	m := fitFrame(t, wide(t, 100), cfg)
	none := func([]data.Column) error { return nil }
	f := openTable(t, writeText(t, "t.csv", "k\n1\n"))
	if _, err := m.PredictBlocks(t.Context(), f, BlockOptions{NullInvalid: true}, none); err == nil {
		t.Error("a table without the columns of the model was scored")
	}
}

// writeColumns writes a table of a format, or a directory of two files of it, and returns the path.
func writeColumns(t *testing.T, format string, columns []data.Column) (path string) {
	t.Helper()
	dir := t.TempDir()
	write := func(path string, lo, hi int) {
		part := make([]data.Column, len(columns))
		for i := range columns {
			part[i] = *columns[i].Slice(lo, hi)
		}
		if err := data.WriteTable(path, part, true); err != nil {
			t.Fatal(err)
		}
	}
	n := columns[0].Len()
	if ext, isSet := strings.CutPrefix(format, "set of "); isSet {
		write(filepath.Join(dir, "a."+ext), 0, n/2)
		write(filepath.Join(dir, "b."+ext), n/2, n)
		return dir
	}
	path = filepath.Join(dir, "t."+format)
	write(path, 0, n)
	return path
}

// In every format, a null, NaN or infinite number is the reason for its row, and a column without a readable value is
// an error.
func TestPredictValidBlocks_Formats(t *testing.T) {
	var training strings.Builder
	training.WriteString("x,d,y\n")
	for i := range 60 {
		fmt.Fprintf(&training, "%v,%d/%d/2024,%d\n", math.Sin(float64(i)), 1+i%28, 1+i%12, i%3%2)
	}
	numbers := func(v ...float64) data.Column {
		return data.Column{Name: "x", Kind: data.Numeric, Type: "double", Number: v}
	}
	texts := func(name string, v ...string) data.Column {
		c := data.Column{Name: name, Kind: data.Categorical, Type: "string"}
		for i, s := range v {
			c.Level, c.Code = append(c.Level, s), append(c.Code, int32(i))
		}
		return c
	}
	missing := numbers(0.5, 0, math.NaN(), math.Inf(1))
	missing.Null = []bool{false, true, false, false}
	null, inf := `column "x": the value is null`, `column "x": the value is +Inf`
	for _, impute := range []string{"", "drop"} {
		models := map[string]*Model{}
		for _, feature := range []string{"x", "d"} {
			cfg := keepingRows()
			cfg.Target, cfg.Nu, cfg.Impute, cfg.Features = "y", level.At(1), impute, []string{feature}
			cfg.Reading.Dates = "parts"
			f, err := OpenAs(t.Context(), writeText(t, "t.csv", training.String()), cfg.Reading)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(f.Close)
			models[feature] = fitFrame(t, f, cfg)
		}
		for _, c := range []struct {
			name, formats string
			column        data.Column
			reasons       []string
			err           string
		}{
			{"numbers", "csv,parquet,arrows,set of csv,set of parquet", missing, []string{"", null, null, inf}, ""},
			{"one text", "csv,set of csv", texts("x", "0.5", "1", "two", "3"),
				[]string{"", "", `column "x": the value is "two", but the model needs a number`, ""}, ""},
			{"one date", "csv,set of csv", texts("d", "20/1/2024", "soon", "22/1/2024", "1/2/2024"),
				[]string{"", `column "d": the value is "soon", but the model needs a date`, "", ""}, ""},
			{"no number", "csv,set of csv", texts("x", "one", "two", "three", "four"), nil,
				`column "x": the column has no number, but in the training table it held numbers: the first value is "one"`},
			{"no date", "csv,set of csv", texts("d", "soon", "now", "never", "later"), nil,
				`column "d": the column has no date, but in the training table it held dates: the first value is "soon"`},
			{"text", "parquet,arrows,set of parquet", texts("x", "one", "two", "three", "four"), nil,
				`column "x": the column is text (string), but in the training table it held numbers: the first value is "one"`},
			{"text of dates", "parquet,arrows,set of parquet", texts("d", "20/1/2024", "now", "never", "later"), nil,
				`column "d": the column is text (string), but in the training table it held dates: the first value is "20/1/2024"`},
		} {
			m := models[c.column.Name]
			for _, format := range strings.Split(c.formats, ",") {
				scored, err := OpenAs(t.Context(), writeColumns(t, format,
					[]data.Column{c.column, {Name: "k", Kind: data.Numeric, Type: "double", Number: []float64{1, 2, 3, 4}}}),
					m.Reading())
				if err != nil {
					t.Fatal(err)
				}
				defer scored.Close()
				var got []string
				_, err = m.PredictBlocks(t.Context(), scored, BlockOptions{NullInvalid: true}, func(columns []data.Column) error {
					last := columns[len(columns)-1]
					for i := range last.Len() {
						why := ""
						if !last.IsNull(i) {
							why = last.Text(i)
						}
						got = append(got, why)
					}
					return nil
				})
				if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) ||
					c.err == "" && (err != nil || !slices.Equal(got, c.reasons)) {
					t.Errorf("impute %q, %s, %s: %q, %v; want %q, %q", impute, c.name, format, got, err, c.reasons, c.err)
				}
			}
		}
	}
}
