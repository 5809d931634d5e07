package encode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/datatest"
)

const people = `y,age,sex,region,member,grade,flat
1.5,20,f,north,true,1,7
2.5,30,m,south,false,2,7
3.5,40,f,,true,3,7
4.5,50,m,east,false,1,7
`

func TestEncode_ByHand(t *testing.T) {
	f := frameOf(t, people)
	e := newEncoder(t, f, nil, Spec{Target: "y", Intercept: true, ScaleTarget: true, Categorical: []string{"grade"}})
	ds, report, err := e.Encode(t.Context(), f, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := report.String(); s != "" {
		t.Errorf("report %q", s)
	}
	names := []string{"age", "sex=m", "region=east", "region=north", "region=south", "region=(missing)", "member=true",
		"grade=1", "grade=2", "grade=3", "(intercept)"}
	if !reflect.DeepEqual(ds.Names, names) || ds.D != len(names) || ds.N != 4 || ds.Intercept != 10 {
		t.Fatalf("%d × %d %q, intercept %d", ds.N, ds.D, ds.Names, ds.Intercept)
	}
	// age: mean 35, population variance (225 + 25 + 25 + 225)/4 = 125.
	// y: mean 3, population variance (2.25 + 0.25 + 0.25 + 2.25)/4 = 1.25.
	sd, ySD := math.Sqrt(125), math.Sqrt(1.25)
	want := [][]float64{
		{-15 / sd, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1},
		{-5 / sd, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1},
		{5 / sd, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1},
		{15 / sd, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1},
	}
	for i, w := range want {
		for j := range w {
			if got := ds.Row(i)[j]; !(math.Abs(got-w[j]) <= closedForm) {
				t.Errorf("row %d, %s: %v, want %v", i, names[j], got, w[j])
			}
		}
		if y := (1.5 + float64(i) - 3) / ySD; !(math.Abs(ds.Target[i]-y) <= closedForm) {
			t.Errorf("target %d: %v, want %v", i, ds.Target[i], y)
		}
	}
	found := false
	for _, n := range e.Notes {
		found = found || strings.Contains(n, "constant in the training rows: flat (always 7)")
	}
	if !found {
		t.Errorf("notes %q do not tell of the constant column", e.Notes)
	}
}

const closedForm = 1e-12

func TestNewEncoder_StatisticsOfTrainingRows(t *testing.T) {
	f := frameOf(t, "y,x,c\n1,1,a\n2,3,b\n3,100,z\n4,200,a\n")
	e := newEncoder(t, f, []int{0, 1}, Spec{Target: "y", Task: Regression})
	if c := e.Columns[0]; c.Shift != 2 || c.Scale != 1 {
		t.Errorf("x is encoded with shift %v and scale %v, want 2 and 1", c.Shift, c.Scale)
	}
	ds, report, err := e.Encode(t.Context(), f, []int{3, 2})
	if err != nil {
		t.Fatal(err)
	}
	// c has two training levels, one column "c=b"; z is unseen and a is 0 there.
	if got, want := append(ds.Row(0), ds.Row(1)...), []float64{198, 0, 98, 0}; !reflect.DeepEqual(got, want) {
		t.Errorf("X %v, want %v", got, want)
	}
	if !reflect.DeepEqual(ds.Rows, []int{3, 2}) {
		t.Errorf("rows %v", ds.Rows)
	}
	want := []Unseen{{Column: "c", Count: 1, Examples: []string{"z"}, FirstRow: 3}}
	if !reflect.DeepEqual(report.Unseen, want) {
		t.Errorf("unseen %+v, want %+v", report.Unseen, want)
	}
}

func TestImpute_PerRule(t *testing.T) {
	f := frameOf(t, "y,x\n1,1\n2,\n3,2\n4,9\n5,\n,5\n")
	if _, err := NewEncoder(t.Context(), f, nil, Spec{Target: "y"}); err == nil {
		t.Error("nulls pass without --impute")
	}
	for _, c := range []struct {
		impute string
		rows   []int
		want   []float64
	}{
		{"mean", []int{0, 1, 2, 3, 4}, []float64{1, 4, 2, 9, 4}},
		{"median", []int{0, 1, 2, 3, 4}, []float64{1, 2, 2, 9, 2}},
		{"drop", nil, []float64{1, 2, 9}},
	} {
		e := newEncoder(t, f, c.rows, Spec{Target: "y", Impute: c.impute, Scale: "none"})
		ds, report, err := e.Encode(t.Context(), f, c.rows)
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for i := range ds.N {
			got = append(got, ds.Row(i)...)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.impute, got, c.want)
		}
		if c.impute == "drop" && (report.Dropped != 3 || !reflect.DeepEqual(ds.Rows, []int{0, 2, 3}) ||
			!reflect.DeepEqual(ds.Target, []float64{1, 3, 4})) {
			t.Errorf("drop: %+v, rows %v, target %v", report, ds.Rows, ds.Target)
		}
		if c.impute != "drop" && (len(report.Imputed) != 1 || report.Imputed[0].Count != 2) {
			t.Errorf("%s: %+v", c.impute, report)
		}
	}
}

// All that keeps a table from a model is told at once: columns that are not there or are text,
// else nulls and what is not finite, in every column.
func TestEncode_AllProblemsAtOnce(t *testing.T) {
	e := newEncoder(t, frameOf(t, "y,a,b,c\n1,1,3,u\n2,5,4,v\n3,2,9,u\n"), nil, Spec{Target: "y"})
	for text, want := range map[string][]string{
		"y,b\n1,x\n": {`a: there is no column "a", which the model was trained on`,
			"b: the column is text, but in the training table it held numbers: the first value is \"x\"",
			`c: there is no column "c", which the model was trained on`},
		"y,d\n1,x\n": {`a: there is no column "a", which the model was trained on`,
			`b: there is no column "b", which the model was trained on`,
			`c: there is no column "c", which the model was trained on`},
		"y,a,b,c\n1,,inf,u\n2,1,,v": {"a: the value is null, as in 1 of 2 rows", "b: the value is +Inf"},
		"y,a,b,c\n1,,2,u\n2,1,,v":   {"a: the value is null, as in 1 of 2 rows", "b: the value is null, as in 1 of 2 rows"},
	} {
		_, _, err := e.encode(t.Context(), frameOf(t, text), nil, false)
		var got []string
		all, _ := err.(data.Problems)
		for _, p := range all {
			got = append(got, p.Column+": "+p.Msg)
			if strings.Contains(p.Msg, "null") && !strings.Contains(p.Hint, "no fill value") {
				t.Errorf("%s: %s", p.Column, p.Hint)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q (%v)", text, got, want, err)
		}
	}
	e = newEncoder(t, frameOf(t, "y,a,b,c,d,e\n1,1,3,7,2,6\n2,5,4,8,2,2\n3,2,9,1,1,1\n"), nil, Spec{Target: "y"})
	const want = `the columns "a", "b", "c" and 1 more, on which the model was trained, are missing`
	if _, _, err := e.encode(t.Context(), frameOf(t, "y,e\n1,2\n"), nil, false); err == nil ||
		!strings.Contains(err.Error(), want) || !errors.Is(err, data.ErrNoColumn) {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestGroups_PerKindOfColumn(t *testing.T) {
	f := frameOf(t, "y,x,g,h,site\n1,1,a,,10\n2,2,b,v,9\n3,3,a,u,10\n4,5,b,v,9\n5,4,a,u,9\n")
	e := newEncoder(t, f, []int{0, 1, 2, 3}, Spec{Target: "y", Groups: []string{"g", "h", "site"}})
	ds, _, err := e.Encode(t.Context(), f, []int{0, 1, 4})
	if err != nil {
		t.Fatal(err)
	}
	want := []Grouping{
		{Name: "g", Labels: []string{"a", "b"}, Index: []int32{0, 1, 0}},
		{Name: "h", Labels: []string{"u", "v", "(missing)"}, Index: []int32{2, 1, 0}},
		{Name: "site", Labels: []string{"site=9", "site=10"}, Index: []int32{1, 0, 0}},
		{Name: "g × h × site", Labels: []string{"a / (missing) / site=10", "a / u / site=10", "a / u / site=9",
			"b / v / site=9"}, Index: []int32{0, 3, 2}},
	}
	if !reflect.DeepEqual(ds.Groups, want) {
		t.Errorf("groups %+v\nwant %+v", ds.Groups, want)
	}
	if !reflect.DeepEqual(ds.Names, []string{"x"}) {
		t.Errorf("features %q, want x alone", ds.Names)
	}
	// As features too, when asked; and a frame without one of the columns.
	e = newEncoder(t, f, nil, Spec{Target: "y", Features: []string{"x", "g"}, Groups: []string{"g", "h"}})
	ds, report, err := e.Encode(t.Context(), frameOf(t, "x,g\n1,a\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if ds.Target != nil || len(ds.Groups) != 1 || ds.Groups[0].Name != "g" ||
		!reflect.DeepEqual(report.MissingGroups, []string{"h"}) {
		t.Errorf("groups %+v, report %+v", ds.Groups, report)
	}
}

// Labels that hold the separator must not make two combinations one.
func TestGroups_CrossedLabels(t *testing.T) {
	f := frameOf(t, "y,x,g,h\n1,1,a / b,c\n2,2,a,b / c\n3,3,a,c\n")
	e := newEncoder(t, f, nil, Spec{Target: "y", Groups: []string{"g", "h"}})
	if g := e.Groups[2]; len(g.Labels) != 3 {
		t.Errorf("labels %q", g.Labels)
	}
	// Every label is told from every other, however it begins and ends, quoted or not.
	odd := []string{"a", "/ b", `"/ b"`, "c /", `"c /"`, "d / e", `"d / e"`, `"`, `"\"/ b\""`, ""}
	seen := map[string][2]string{}
	for _, l := range odd {
		for _, m := range odd {
			both := crossGroupings([]Grouping{{Labels: []string{l}, Index: []int32{0}},
				{Labels: []string{m}, Index: []int32{0}}}, 1).Labels[0]
			if of, ok := seen[both]; ok {
				t.Errorf("%q and %q are both %s", of, [2]string{l, m}, both)
			}
			seen[both] = [2]string{l, m}
		}
	}
}

func TestTargets_PerTask(t *testing.T) {
	for _, c := range []struct {
		values             string // one per row
		positive           string // option
		pos, neg, rule     string
		numbers, wantTasks bool
	}{
		{"yes no no", "", "yes", "no", "guessed from the word", false, false},
		{"Yes No No", "", "Yes", "No", "guessed from the word", false, false},
		{"b a a", "", "b", "a", "alphabetical", false, false},
		{"true false true", "", "true", "false", "guessed from the word", false, false},
		{"0 1 1", "", "1", "0", "greater number", true, false},
		{"-1 1 1", "", "1", "-1", "greater number", true, false},
		{"2 10 2", "", "10", "2", "greater number", true, false},
		{"1 0 x1 ", "", "", "", "", false, false},
		{"yes no no", "no", "no", "yes", "as requested", false, false},
		{"1 2 2", "1.0", "1", "2", "as requested", true, false},
	} {
		csv := "y,x\n"
		for i, v := range strings.Fields(c.values) {
			csv += fmt.Sprintf("%s,%d\n", v, i)
		}
		f := frameOf(t, csv)
		e, err := NewEncoder(t.Context(), f, nil, Spec{Target: "y", Positive: c.positive})
		if c.pos == "" {
			datatest.WantError(t, err, `column "y"`, "at least three values", "row 3")
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", c.values, err)
		}
		if e.Target.Task != Binary || e.Target.Positive != c.pos || e.Target.Negative != c.neg {
			t.Errorf("%s: %+v", c.values, e.Target)
		}
		if len(e.Notes) != 1 || !strings.Contains(e.Notes[0], c.rule) {
			t.Errorf("%s: notes %q, want the rule %q", c.values, e.Notes, c.rule)
		}
		ds, _, err := e.Encode(t.Context(), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range strings.Fields(c.values) {
			want := -1.0
			if v == c.pos {
				want = 1
			}
			if ds.Target[i] != want {
				t.Errorf("%s: target %v", c.values, ds.Target)
			}
		}
	}
}

func TestEncoder_RoundTripThroughJSON(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var csv strings.Builder
	csv.WriteString("y,a,b,c,d,g\n")
	for i := 0; i < 200; i++ {
		fmt.Fprintf(&csv, "%v,%v,%v,%s,%v,%d\n", rng.NormFloat64(), rng.ExpFloat64()*1e-7, rng.NormFloat64()*1e9,
			[]string{"p", "q", "r", ""}[rng.IntN(4)], rng.IntN(2) == 0, rng.IntN(3))
	}
	f := frameOf(t, csv.String())
	e := newEncoder(t, f, nil, Spec{Target: "y", Groups: []string{"g", "c"}, Features: []string{"d", "a", "b", "c"},
		ScaleTarget: true, Intercept: true})
	b := datatest.Marshal(t, e)
	var back Encoder
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(*e, back) {
		t.Errorf("the encoder changed:\n%+v\n%+v", *e, back)
	}
	one, _, err := e.Encode(t.Context(), f, nil)
	if err != nil {
		t.Fatal(err)
	}
	two, _, err := back.Encode(t.Context(), f, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(one, two) {
		t.Error("the data set changed")
	}
}

// A constant column is the user's own intercept where none is fitted and nothing
// is centred, and nothing elsewhere.
func TestFit_ConstantColumnWithoutIntercept(t *testing.T) {
	f := frameOf(t, "y,x,one,zero\n1,1,1,0\n2,5,1,0\n3,2,1,0\n")
	for _, c := range []struct {
		spec Spec
		want []string
	}{
		{Spec{Target: "y", Scale: "none"}, []string{"x", "one"}},
		{Spec{Target: "y", Scale: "none", Intercept: true}, []string{"x", interceptName}},
		{Spec{Target: "y", Scale: "standard"}, []string{"x"}},
	} {
		e := newEncoder(t, f, nil, c.spec)
		if !reflect.DeepEqual(e.Names(), c.want) {
			t.Errorf("%+v: columns %q, want %q", c.spec, e.Names(), c.want)
		}
	}
}

// A positive class is named as its value is written, or as the same number in another way;
// a number that is not there names none.
func TestFit_PositiveClassByName(t *testing.T) {
	for _, c := range []struct{ a, b, named, positive string }{
		{"1", "2", "2", "2"}, {"1", "2", "1", "1"}, {"1", "2", "2.0", "2"}, {"1", "2", "1e0", "1"}, {"0.5", "2", ".5", "0.5"},
		{"1", "2", "3", ""}, {"1", "2", "two", ""}, {"1", "2", "NaN", ""},
		{"true", "false", "FALSE", "false"}, {"true", "false", "True", "true"}, {"true", "false", "1", ""},
		{"a", "b", "b", "b"}, {"a", "b", "B", ""}, {"1", "2", "", "2"}, {"2", "10", "", "10"}, {"-1", "-2", "", "-1"},
		{"yes", "no", "", "yes"}, {"b", "a", "", "b"},
	} {
		text := "y,x\n"
		for i := range 40 {
			text += []string{c.a, c.b}[i%2] + "," + []string{"1", "2", "5"}[i%3] + "\n"
		}
		e, err := NewEncoder(context.Background(), frameOf(t, text), nil, Spec{Target: "y", Task: Binary, Positive: c.named})
		switch {
		case c.positive == "":
			datatest.WantError(t, err, "does not occur", c.a, c.b)
		case err != nil:
			t.Errorf("%+v: %v", c, err)
		case e.Target.Positive != c.positive || e.Target.Negative == c.positive ||
			e.Target.Negative != c.a && e.Target.Negative != c.b:
			t.Errorf("%+v: %q against %q", c, e.Target.Positive, e.Target.Negative)
		}
	}
}

// A target that a float64 rounds is trained on, and the first such row is named.
func TestFit_RoundedTargets(t *testing.T) {
	for row := range 3 {
		v := []int64{3, 1, 4, 1, 5, 9}
		v[row], v[5] = 1<<53+1, 1<<60+1
		y, err := data.ColumnOf("y", v)
		if err != nil {
			t.Fatal(err)
		}
		x, err := data.ColumnOf("x", []float64{2, 7, 1, 8, 2, 8})
		if err != nil {
			t.Fatal(err)
		}
		f := newFrame(t, y, x)
		e := newEncoder(t, f, nil, Spec{Target: "y", Task: Regression})
		if notes := strings.Join(e.Notes, "\n"); !strings.Contains(notes, fmt.Sprintf("first in row %d of", row+1)) {
			t.Errorf("row %d: %s", row+1, notes)
		}
	}
}

// Rows that are encoded in blocks are those that are encoded at once, all of them or some, of
// tables with rows and without, and every block says which rows it is of;
// beyond the first there is none without.
func TestEncodeBlocks_Rows(t *testing.T) {
	var b strings.Builder
	b.WriteString("y,x,c\n")
	for i := range 20 {
		fmt.Fprintf(&b, "%d,%d,%s\n", i, i*i%7, []string{"a", "b", "c"}[i%3])
	}
	f := frameOf(t, b.String())
	e := newEncoder(t, f, nil, Spec{Target: "y", Intercept: true})
	for _, rows := range [][]int{nil, {}, {0}, {19}, {4, 5, 9, 10, 17}, {5, 14, 15}} {
		want, told, err := e.Encode(t.Context(), f, rows)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{0, 1, 5, 19, 20, 21} {
			var got [][]float64
			var target []float64
			var of []int
			ends := []int{}
			report, err := e.EncodeBlocks(t.Context(), f, rows, size, true, func(b Block) error {
				if ends = append(ends, b.Last); b.Frame.Rows != b.Last-b.First || size > 0 && b.First%size != 0 {
					t.Errorf("a block from %d to %d has %d rows", b.First, b.Last, b.Frame.Rows)
				}
				if b.First > 0 && b.Rows.N == 0 {
					t.Errorf("rows %v in blocks of %d: none from %d to %d", rows, size, b.First, b.Last)
				}
				for i := range b.Rows.N {
					got, of = append(got, b.Rows.Row(i)), append(of, b.First+b.Rows.Rows[i])
				}
				target = append(target, b.Rows.Target...)
				return nil
			})
			if err != nil || !reflect.DeepEqual(report, told) || !slices.IsSorted(ends) {
				t.Errorf("rows %v in blocks of %d, to %v: %+v, at once %+v: %v", rows, size, ends, report, told, err)
			}
			if len(got) != want.N || !slices.Equal(target, want.Target) || !slices.Equal(of, want.Rows) {
				t.Fatalf("rows %v in blocks of %d: rows %v with targets %v, at once %v with %v", rows, size, of, target, want.Rows,
					want.Target)
			}
			for i, row := range got {
				if !slices.Equal(row, want.Row(i)) {
					t.Errorf("rows %v in blocks of %d: row %d is %v, at once %v", rows, size, i, row, want.Row(i))
				}
			}
		}
	}
}

// A text that reads as what no value is called has a column of its own beside that, and a name.
func TestFit_TextReadsMissing(t *testing.T) {
	e := newEncoder(t, frameOf(t, "y,x,c\n1,1,(missing)\n2,2,\n3,3,a\n4,5,(missing)\n5,4,\n6,7,a\n"), nil,
		Spec{Target: "y"})
	var names []string
	for _, c := range e.Columns {
		names = append(names, c.Name)
	}
	if want := []string{"x", `c="(missing)"`, "c=a", "c=(missing)"}; len(names) < len(want) ||
		!reflect.DeepEqual(names[:len(want)], want) {
		t.Errorf("columns %q, want %q", names, want)
	}
}

// The columns of the weights and the exposures are not features unless Features names them.
func TestNewEncoder_DefaultFeatures(t *testing.T) {
	f := frameOf(t, "y,x,w,e\n1,1,1,1\n2,3,2,1\n5,2,1,2\n")
	for want, s := range map[string]Spec{
		"[x]":   {Target: "y", Task: Regression, Weight: "w", Exposure: "e"},
		"[x w]": {Target: "y", Task: Regression, Weight: "w", Exposure: "e", Features: []string{"x", "w"}},
	} {
		e, err := NewEncoder(t.Context(), f, nil, s)
		if err != nil || fmt.Sprint(e.Names()) != want {
			t.Errorf("%+v: %v, want %s", e, err, want)
		}
	}
}
