package data

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/schema"
	"github.com/drotrain/drotrain/internal/goldentest"
)

// tenant is a row of the table that encoders are recorded of, with so many kinds of columns;
// other places have other levels, and other kinds of them.
func tenant(r, place int) string {
	cell := func(missing bool, text any) string {
		if missing {
			return ""
		}
		return fmt.Sprint(text)
	}
	age, pay := 20+r*13%50, 1000*math.Exp(float64(r*7%40)/10)
	level, married, seen, day := fmt.Sprintf("s%d", r*r%7%5), fmt.Sprint(r%3 == 0), r%9 == 4, fmt.Sprintf("2024-%02d-01", 1+r%12)
	switch place {
	case 1:
		level, married, seen = fmt.Sprintf("s%d", r%11), fmt.Sprint(r%2), r%6 == 1
	case 2:
		married, level = []string{"true", "maybe", "0", "FALSE", "1"}[r%5], fmt.Sprint(r%3)
	}
	yes := "no"
	if (r*r+age)%5 < 2 {
		yes = "yes"
	}
	return fmt.Sprintf("%d,%s,%.2f,%s,%s,%s,%s,%d,4,%s,%.3f", r*3, cell(seen, age), pay, cell(r%10 == 7, level), married, day, []string{"north", "south", "east"}[r*5%3], r%4, yes, pay/100+float64(age)+float64(r%7))
}

func tenants(t *testing.T, first, end, place int) *Frame {
	t.Helper()
	var b strings.Builder
	b.WriteString("id,age,pay,school,married,day,region,children,still,yes,rent\n")
	for r := first; r < end; r++ {
		b.WriteString(tenant(r, place) + "\n")
	}
	f, err := ReadBytes(t.Context(), "tenants.csv", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// held is a dataset as plain values.
func held(d *Dataset) map[string]any {
	if d == nil {
		return nil
	}
	x := make([][]float64, d.N)
	for i := range x {
		x[i] = d.Row(i)
	}
	groups := make([]any, 0)
	for _, g := range d.Groups {
		groups = append(groups, g)
	}
	return map[string]any{"matrix": fmt.Sprintf("%T", d.X), "intercept": d.Intercept, "x": x, "names": d.Names, "target": d.Target, "rows": d.Rows, "groups": groups}
}

// Encoders of every kind, the rows they are fitted to, rows held out, and rows of another table,
// whole and in blocks, are what they were, and so is what is said of them.
func TestEncodersAreRecorded(t *testing.T) {
	f, other := tenants(t, 0, 61, 0), tenants(t, 40, 90, 1)
	third := tenants(t, 40, 50, 2)
	words, err := ReadBytes(t.Context(), "words.csv", []byte("age,pay,married,day,region\nold,low,3,7,8\nnew,high,4,7,8\n"))
	if err != nil {
		t.Fatal(err)
	}
	var train, holdout []int
	for r := range f.Rows {
		if r%4 == 1 {
			holdout = append(holdout, r)
		} else {
			train = append(train, r)
		}
	}
	yes, rent := Spec{Target: "yes", Impute: "mean", Intercept: true}, Spec{Target: "rent", Impute: "median", Intercept: true, ScaleTarget: true}
	with := func(s Spec, change func(s *Spec)) Spec {
		change(&s)
		return s
	}
	var out strings.Builder
	for _, c := range []struct {
		name    string
		spec    Spec
		storage Storage
	}{
		{"two classes", yes, ""},
		{"two classes, the other positive, sparse", with(yes, func(s *Spec) { s.Positive = "no" }), schema.Sparse},
		{"two classes, without a fill", with(yes, func(s *Spec) { s.Impute = "" }), ""},
		{"two classes, nulls dropped", with(yes, func(s *Spec) { s.Impute = "drop" }), schema.Float64},
		{"groups", with(yes, func(s *Spec) { s.Groups = []string{"region", "school"} }), ""},
		{"groups of numbers, bools and the target", with(yes, func(s *Spec) {
			s.Groups, s.Features = []string{"children", "married", "yes"}, []string{"pay", "age", "married"}
		}), ""},
		{"a number", rent, ""},
		{"a number, as it is", with(rent, func(s *Spec) { s.Scale, s.ScaleTarget, s.Intercept = "none", false, false }), ""},
		{"a number, float32", with(rent, func(s *Spec) { s.Drop = []string{"id", "day"} }), schema.Float32},
		{"a number, float32, as it is", with(rent, func(s *Spec) { s.Scale = "none" }), schema.Float32},
		{"a number, sparse", with(rent, func(s *Spec) { s.Scale, s.Features = "none", []string{"school", "region", "married", "age"} }), schema.Sparse},
		{"its logarithm", with(rent, func(s *Spec) { s.TargetTransform = "log" }), ""},
		{"the logarithm of one more", with(rent, func(s *Spec) { s.TargetTransform, s.ScaleTarget = "log1p", false }), ""},
		{"levels that are few become one", with(rent, func(s *Spec) { s.MinCount = 8 }), ""},
		{"three levels at most", with(rent, func(s *Spec) { s.MinCount, s.MaxLevels, s.Drop = 1, 3, []string{"day"} }), ""},
		{"too many levels", with(rent, func(s *Spec) { s.MaxLevels = 3 }), ""},
		{"references", with(rent, func(s *Spec) { s.Reference = map[string]string{"school": "s2", "region": "south"} }), ""},
		{"a reference that is none", with(rent, func(s *Spec) { s.Reference = map[string]string{"school": "s9", "pay": "1"} }), ""},
		{"categories of numbers and bools", with(rent, func(s *Spec) { s.Categorical = []string{"children", "married"} }), ""},
		{"a category of numbers with fractions", with(rent, func(s *Spec) { s.Categorical = []string{"pay"} }), ""},
		{"logarithms", with(rent, func(s *Spec) { s.Transforms.Log = []string{"pay", "age"} }), ""},
		{"a logarithm of 0", with(rent, func(s *Spec) { s.Transforms.Log = []string{"children"} }), ""},
		{"squares", with(rent, func(s *Spec) { s.Transforms.Square = []string{"age", "pay"} }), ""},
		{"squares, as they are", with(rent, func(s *Spec) { s.Scale, s.Transforms.Square = "none", []string{"age"} }), ""},
		{"splines", with(rent, func(s *Spec) { s.Transforms.Spline = map[string]int{"age": 4, "pay": 5} }), ""},
		{"a spline of three knots, sparse", with(rent, func(s *Spec) { s.Transforms.Spline = map[string]int{"pay": 3} }), schema.Sparse},
		{"products of numbers", with(rent, func(s *Spec) { s.Transforms.Interact = [][2]string{{"age", "pay"}} }), ""},
		{"products of levels", with(rent, func(s *Spec) { s.Transforms.Interact = [][2]string{{"school", "region"}, {"married", "age"}} }), ""},
		{"products with a constant", with(rent, func(s *Spec) {
			s.Transforms.Interact = [][2]string{{"still", "age"}, {"school", "still"}, {"age", "children"}}
		}), ""},
		{"products, sparse", with(rent, func(s *Spec) { s.Transforms.Interact = [][2]string{{"school", "region"}, {"region", "pay"}} }), schema.Sparse},
		{"all that is made", with(yes, func(s *Spec) {
			s.Transforms = schema.Transforms{Log: []string{"pay"}, Square: []string{"children"}, Spline: map[string]int{"age": 3}, Interact: [][2]string{{"age", "married"}}}
		}), ""},
		{"a constant alone", with(rent, func(s *Spec) { s.Features = []string{"still"} }), ""},
		{"columns that are not there", with(rent, func(s *Spec) { s.Features, s.Groups = []string{"pay", "nothing"}, []string{"nobody"} }), ""},
		{"a target of text as a number", with(yes, func(s *Spec) { s.Task = Regression }), ""},
		{"a target of many numbers as classes", with(rent, func(s *Spec) { s.Task = Binary }), ""},
		{"a positive that is none", with(yes, func(s *Spec) { s.Positive = "maybe" }), ""},
	} {
		fmt.Fprintf(&out, "# %s\n", c.name)
		tell := func(what string, v any) {
			text, err := json.Marshal(map[string]any{what: v})
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			out.WriteString(goldentest.Condensed(t, text))
		}
		refused := func(what string, err error) bool {
			if err != nil {
				fmt.Fprintf(&out, "%s: %s\n", what, strings.ReplaceAll(err.Error(), "\n", " ⏎ "))
			}
			return err != nil
		}
		q, err := Fit(t.Context(), f, train, holdout, c.spec, c.storage)
		if refused("fit", err) {
			continue
		}
		e := q.Encoder
		tell("encoder", e)
		tell("train", held(q.Train))
		tell("holdout", held(q.Holdout))
		fmt.Fprintf(&out, "%s %s; %s; %s\n", q.Storage, q.TrainReport, q.HoldoutReport, strings.Join(e.Notes, "; "))
		if d, report, err := e.Encode(t.Context(), other, nil); !refused("elsewhere", err) {
			tell("elsewhere", held(d))
			tell("report", report)
		}
		if d, report, err := e.Encode(t.Context(), third, nil); !refused("third", err) {
			tell("third", held(d))
			tell("report", report)
		}
		_, _, err = e.Encode(t.Context(), words, nil)
		refused("words", err)
		if d, report, err := e.EncodeFeatures(t.Context(), other, []int{3, 44, 3}); !refused("features", err) {
			tell("features", held(d))
			tell("report", report)
		}
	}
	goldentest.Text(t, filepath.Join("testdata", "recorded.txt"), out.String())
}

// Tables of several stripes, in memory and in a file, in every storage, of all rows and of some,
// out of order and twice, are encoded as they were.
func TestStripesAreRecorded(t *testing.T) {
	const rows = 2*2048 + 300
	a, b := Column{Name: "a", Kind: Numeric, Null: make([]bool, rows)}, Column{Name: "b", Kind: Numeric}
	s, y := Column{Name: "s", Kind: Categorical, Level: []string{"u", "v", "w", "x"}}, Column{Name: "y", Kind: Numeric}
	for r := range rows {
		a.Number, b.Number = append(a.Number, float64(r*r%1013)/7), append(b.Number, float64(max(0, r%90-60)))
		a.Null[r] = r%11 == 4 || r > 2000 && r < 2100
		s.Code, y.Number = append(s.Code, int32(r*r%7%4)), append(y.Number, float64(r%40)+a.Number[r]/9)
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := WriteTable(path, []Column{a, b, s, y}, false); err != nil {
		t.Fatal(err)
	}
	file, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	memory, err := NewFrame(a, b, s, y)
	if err != nil {
		t.Fatal(err)
	}
	third, mixed := make([]int, 0, rows), make([]int, 0, rows)
	for r := range rows {
		if r%3 != 1 {
			third = append(third, r)
		}
		mixed = append(mixed, (r*1009+5)%rows)
	}
	var out strings.Builder
	for k, f := range []*Frame{memory, file} {
		for _, storage := range []Storage{"", schema.Float64, schema.Float32, schema.Sparse} {
			for n, train := range [][]int{nil, third, mixed[:3000], append(mixed[:100:100], mixed[:50]...)} {
				holdout := [][]int{nil, {1, 2047, 4096, 4393}, mixed[4000:4006], mixed[4000:4006]}[n]
				for _, how := range []string{"mean", "median", "drop"} {
					if (n > 1 || storage != "") && how != "mean" {
						continue
					}
					q, err := Fit(t.Context(), f, train, holdout, Spec{Target: "y", Impute: how, Intercept: n%2 == 0, ScaleTarget: true, Transforms: schema.Transforms{Square: []string{"a"}, Interact: [][2]string{{"s", "b"}, {"a", "b"}}}}, storage)
					if err != nil {
						t.Fatal(err)
					}
					text, err := json.Marshal(map[string]any{"encoder": q.Encoder.Columns, "train": held(q.Train), "holdout": held(q.Holdout)})
					if err != nil {
						t.Fatal(err)
					}
					fmt.Fprintf(&out, "# frame %d, storage %q, rows %d, %s\n%s", k, storage, n, how, goldentest.Condensed(t, text))
				}
			}
		}
	}
	goldentest.Text(t, filepath.Join("testdata", "stripes.txt"), out.String())
}
