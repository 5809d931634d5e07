package encode

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/datatest"
	"github.com/drotrain/drotrain/design"
)

// Every refusal names the column, the row, and what would help.
func TestFit_Refusals(t *testing.T) {
	ids := "y,id,x\n"
	for i := 0; i < 30; i++ {
		ids += fmt.Sprintf("%d,u%d,%d\n", i, i, i*i)
	}
	many := "y,c,x\n"
	for i := 0; i < 2400; i++ {
		many += fmt.Sprintf("%d,c%d,%d\n", i, i%1200, i*i)
	}
	floats := "y,x,g\n"
	for i := 0; i < 200; i++ {
		floats += fmt.Sprintf("%d,%d,%v\n", i, i*i, float64(i)/8)
	}
	const ok = "y,x,c\n1,1,a\n2,2,b\n3,4,a\n"
	for name, c := range map[string]struct {
		csv   string
		spec  Spec
		parts []string
	}{
		"absent target": {ok, Spec{Target: "Y "}, []string{"t.csv", `no column "Y "`, `did you mean "y"?`}},
		"absent feature": {"y,education\n1,1\n2,2\n", Spec{Target: "y", Features: []string{"educaton"}},
			[]string{`did you mean "education"?`}},
		"absent group": {ok, Spec{Target: "y", Groups: []string{"region"}},
			[]string{`no column "region"`, `"y", "x" and "c"`}},
		"absent log": {ok, Spec{Target: "y", Transforms: Transforms{Log: []string{"w"}}},
			[]string{`no column "w"`, `"y", "x" and "c"`}},
		"log of the target": {ok, Spec{Target: "y", Transforms: Transforms{Log: []string{"y"}}},
			[]string{`column "y"`, "the column cannot have a logarithm, since it is not a feature"}},
		"absent drop":       {ok, Spec{Target: "y", Drop: []string{"q"}}, []string{`no column "q"`}},
		"no target":         {ok, Spec{}, []string{"name the target"}},
		"unknown task":      {ok, Spec{Target: "y", Task: "rank"}, []string{`"rank"`, "regression"}},
		"unknown impute":    {ok, Spec{Target: "y", Impute: "zero"}, []string{`"zero"`, "median"}},
		"unknown scale":     {ok, Spec{Target: "y", Scale: "minmax"}, []string{`"minmax"`, "standard"}},
		"target is feature": {ok, Spec{Target: "y", Features: []string{"y"}}, []string{`"y"`, "target"}},
		"dropped feature":   {ok, Spec{Target: "y", Features: []string{"x"}, Drop: []string{"x"}}, []string{`"x"`, "drop"}},
		"feature twice":     {ok, Spec{Target: "y", Features: []string{"x", "x"}}, []string{`"x"`, "twice"}},
		"one value":         {"y,x\n1,1\n1,2\n", Spec{Target: "y"}, []string{`column "y"`, "only one value"}},
		"one value binary":  {"y,x\nno,1\nno,2\n", Spec{Target: "y", Task: Binary}, []string{`"no"`, "only one value"}},
		"large classes": {"y,x\n9007199254740993,1\n9007199254740992,2\n5,3\n5,4\n", Spec{Target: "y"},
			[]string{`column "y", row 1`, "distinguished as classes", "as text"}},
		"large quantity": {"y,x\n9007199254740993,1\n9007199254740992,2\n", Spec{Target: "y", Task: Regression},
			[]string{"only one value"}},
		"one row": {"y,x\n1,1\n", Spec{Target: "y"}, []string{"only one training row"}},
		"no rows": {"y,x\n", Spec{Target: "y"}, []string{"no rows"}},
		"classes of halves": {"y,x\n1,1\n2.5,2\n3,3\n", Spec{Target: "y", Task: Binary},
			[]string{"needs classes", "as a quantity"}},
		"few whole numbers": {"y,x\n3,1\n2,2\n1,3\n1,2\n2,4\n3,1\n1,0\n", Spec{Target: "y"},
			[]string{`3 different whole numbers, 1, 2, 3, which`, "counts", "as classes", "as a quantity"}},
		"four whole numbers": {"y,x\n4,1\n3,2\n2,3\n1,2\n1,4\n2,1\n3,0\n4,0\n4,0\n", Spec{Target: "y"},
			[]string{`4 different whole numbers, 1, 2, 3, …, which`}},
		"positive of three": {"y,x\na,1\nb,2\nc,3\n", Spec{Target: "y", Positive: "a"},
			[]string{"this target has 3", "positive"}},
		"text regression": {"y,x\na,1\nb,2\n", Spec{Target: "y", Task: Regression}, []string{"must be numbers"}},
		"unexpected text": {"y,x\n1,1\n2,2\n1o,3\n4,4\n", Spec{Target: "y"}, []string{`"1o"`, "row 3"}},
		"null target": {"y,x\n1,1\n,2\n,3\n4,4\n", Spec{Target: "y"},
			[]string{`column "y", row 2`, "2 of 4 rows", "drop the rows with nulls"}},
		"NaN target":  {"y,x\n1,1\n2,2\nNaN,3\n", Spec{Target: "y"}, []string{`column "y", row 3`, "target is null"}},
		"Inf feature": {"y,x\n1,1\n2,-inf\n3,3\n", Spec{Target: "y"}, []string{`column "x", row 2`, "-Inf"}},
		"overflow":    {"y,x\n1,1\n2,1e999\n3,3\n", Spec{Target: "y"}, []string{`column "x", row 2`, "+Inf"}},
		"null feature": {"y,x\n1,1\n2,\n3,NA\n", Spec{Target: "y"},
			[]string{`column "x", row 2`, "2 of 3 rows", "mean or median", "leave the column out"}},
		"all rows dropped": {"y,x,z\n1,,1\n2,,2\n3,3,\n", Spec{Target: "y", Impute: "drop"},
			[]string{"none of the 3 training rows has values", "mean or median"}},
		"identifiers": {ids, Spec{Target: "y"}, []string{`column "id"`, "each of the 30 training rows",
			"leave the column out"}},
		"too many levels": {many, Spec{Target: "y"}, []string{`column "c"`, "1200 levels", "1000", "leave the column out"}},
		"float groups":    {floats, Spec{Target: "y", Groups: []string{"g"}}, []string{`column "g"`, "bin the values"}},
		"positive absent": {"y,x\na,1\nb,2\n", Spec{Target: "y", Positive: "c"},
			[]string{`"c" does not occur`, `"a" and "b"`}},
		"positive regress": {ok, Spec{Target: "y", Positive: "1"}, []string{"no positive class"}},
		"all constant":     {"y,x\n1,5\n2,5\n3,5\n", Spec{Target: "y"}, []string{"no features: ", "name the features"}},
		"level spelled":    {"y,a b\n1,\n2,2\n3,3\n", Spec{Target: "y"}, []string{`column "a b"`}},
		"too large":        {"y,x\n1,-1e308\n2,1e308\n3,1.7e308\n", Spec{Target: "y"}, []string{`column "x"`, "too large"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewEncoder(t.Context(), frameOf(t, c.csv), nil, c.spec)
			datatest.WantError(t, err, c.parts...)
		})
	}
}

// Texts that are numbers are told to be so, where they are a target of more than two.
func TestFit_TargetOfNumbersAsText(t *testing.T) {
	y, err := data.ColumnOf("y", []string{"1.5", "2", "-3e1"})
	if err != nil {
		t.Fatal(err)
	}
	x, err := data.ColumnOf("x", []float64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	f := newFrame(t, y, x)
	_, err = NewEncoder(t.Context(), f, nil, Spec{Target: "y"})
	datatest.WantError(t, err, "numbers stored as text", "store the target as numbers", "as classes")
}

// A feature of a typed file whose texts are nearly all numbers is told to be so.
func TestFit_FeatureOfNumbersAsText(t *testing.T) {
	texts, target := []string{"x"}, []float64{0}
	for i := range 40 {
		texts, target = append(texts, fmt.Sprint(float64(i)/8)), append(target, float64(i%2))
	}
	x, err := data.ColumnOf("x", texts)
	if err != nil {
		t.Fatal(err)
	}
	y, err := data.ColumnOf("y", target)
	if err != nil {
		t.Fatal(err)
	}
	_, err = NewEncoder(t.Context(), newFrame(t, y, x), nil, Spec{Target: "y"})
	datatest.WantError(t, err, "stored as text, but holds numbers except", `"x"`)
}

// What is wrong with several columns is told at once; columns without a role do
// not count.
func TestFit_AllProblemsAtOnce(t *testing.T) {
	text := "y,id,x,z,dup,dup\n"
	for i := range 30 {
		x := fmt.Sprint(i * i)
		if i%7 == 3 {
			x = ""
		}
		z := fmt.Sprint(i)
		if i == 11 {
			z = "inf"
		}
		text += fmt.Sprintf("%d,u%d,%s,%s,1,2\n", i, i, x, z)
	}
	f := frameOf(t, text)
	_, err := NewEncoder(t.Context(), f, nil, Spec{Target: "y", Features: []string{"id", "x", "z"}})
	datatest.WantError(t, err, "3 problems", `column "id"`, "each of the 30 training rows", `column "x", row 4`,
		"4 of 30 rows", `column "z", row 12`, "+Inf")
	var all data.Problems
	if !errors.As(err, &all) || len(all) != 3 || all[1].Fixes[0] != fix.Impute {
		t.Errorf("%#v", err)
	}
	if all[1].Rows != 4 || all[1].Row != 4 {
		t.Errorf("%+v", all[1])
	}
	// So are a target that is not there, groups that cannot be and features, in one list.
	_, err = Fit(t.Context(), f, nil, nil, Spec{Target: "why", Features: []string{"id", "x", "q"},
		Groups: []string{"z", "g"}}, Sink{Storage: design.Float64Storage})
	datatest.WantError(t, err, "6 problems", `no column "why"`, `no column "q"`, `no column "g"`, `column "id"`,
		`column "x", row 4`, `column "z"`)
	_, err = Fit(t.Context(), f, nil, nil, Spec{Target: "x", Features: []string{"id", "z"}},
		Sink{Storage: design.Float64Storage})
	datatest.WantError(t, err, "3 problems", "the target is null, as in 4 of 30", `column "id"`, `column "z", row 12`)
	_, err = NewEncoder(t.Context(), f, nil, Spec{Target: "y", Features: []string{"x", "z"}, Impute: "mean"})
	datatest.WantError(t, err, `column "z", row 12`)
	if errors.As(err, &all) {
		t.Errorf("one problem comes as several: %v", err)
	}
}

// The second column of a name gets one of its own, whatever the format, and is said to.
func TestFrame_NameTwice(t *testing.T) {
	f := frameOf(t, "y,x,x,x.1,x\n1,1,2,3,4\n2,2,3,4,5\n3,4,5,6,9\n")
	if got := strings.Join(f.Names(), " "); got != "y x x.2 x.1 x.3" || len(f.Notes) != 2 {
		t.Errorf("%s; %q", got, f.Notes)
	}
	e, err := NewEncoder(t.Context(), f, nil, Spec{Target: "y", Drop: []string{"x.1"}})
	if err != nil || len(e.Inputs) != 3 {
		t.Errorf("%v, %+v", err, e)
	}
	exact, err := exactRows(t.Context(), f, []string{"x.3"})
	if err != nil || exact[0].Text(2) != "9" {
		t.Errorf("%v, %+v", err, exact)
	}
}

// An encoder refuses frames that do not fit it.
func TestEncode_Refusals(t *testing.T) {
	e := newEncoder(t, frameOf(t, "y,x,c\nno,1,a\nyes,2,b\nyes,4,a\n"), nil, Spec{Target: "y"})
	for csv, parts := range map[string][]string{
		"y,c\nno,a\n":             {`no column "x"`, "trained on"},
		"y,x,c\nno,1,a\nno,,a\n":  {`column "x", row 2`, "null", "no fill value"},
		"y,x,c\nno,1,a\nmaybe,1,": {`column "y", row 2`, `"maybe"`, `"yes"`, `"no"`},
		"y,x,c\nno,one,a\n":       {`column "x"`, "the column is text"},
		"y,x,c\nno,NaN,a\n":       {`column "x", row 1`, "the value is null"},
	} {
		_, _, err := e.Encode(t.Context(), frameOf(t, csv), nil)
		datatest.WantError(t, err, parts...)
	}
	if ds, _, err := e.encode(t.Context(), frameOf(t, "y,x,c\nmaybe,1,a\n"), nil, false); err != nil || ds.Target != nil ||
		ds.N != 1 {
		t.Errorf("EncodeFeatures: %v, %+v", err, ds)
	}
	if _, _, err := e.Encode(t.Context(), frameOf(t, "x,c\n1,a\n"), []int{1}); err == nil {
		t.Error("a row beyond the table passes")
	}
	if ds, _, err := e.Encode(t.Context(), frameOf(t, "x,c\n"), nil); err != nil || ds.N != 0 {
		t.Errorf("no rows: %v", err)
	}
}

func TestFit_UnusableTypes(t *testing.T) {
	f := readFrame(t, "../testdata/pyarrow_zstd.parquet")
	for _, name := range []string{"date", "stamp", "list", "struct", "map", "binary"} {
		_, err := NewEncoder(t.Context(), f, nil, Spec{Target: "i32", Features: []string{name}})
		datatest.WantError(t, err, fmt.Sprintf("column %q", name), "cannot be a feature", "leave the column out")
		_, err = NewEncoder(t.Context(), f, nil, Spec{Target: name, Features: []string{"f32"}})
		datatest.WantError(t, err, fmt.Sprintf("column %q", name), "cannot be the target")
		_, err = NewEncoder(t.Context(), f, nil, Spec{Target: "i32", Features: []string{"f32"}, Groups: []string{name}})
		datatest.WantError(t, err, fmt.Sprintf("column %q", name), "cannot define groups")
	}
	// Unused ones do no harm.
	if _, err := NewEncoder(t.Context(), f, nil, Spec{Target: "i32", Features: []string{"f32", "text"}}); err != nil {
		t.Error(err)
	}
}

// A reference level is of a category among the features, and is not passed over elsewhere.
func TestFit_ReferenceOfNoCategory(t *testing.T) {
	f := frameOf(t, "y,x,c,d\n1,1,a,u\n2,3,b,v\n4,2,a,u\n")
	_, err := NewEncoder(t.Context(), f, nil, Spec{Target: "y", Drop: []string{"d"},
		Reference: map[string]string{"x": "1", "nope": "2", "d": "u"}})
	datatest.WantError(t, err, `column "x": only a category can have a reference level`, "used as a numeric feature",
		`there is no column "nope"`, `column "d": the column cannot have a reference level`)
	if _, err := NewEncoder(t.Context(), f, nil, Spec{Target: "y",
		Reference: map[string]string{"c": "b", "d": "u"}}); err != nil {
		t.Error(err)
	}
	if _, err := NewEncoder(t.Context(), f, nil, Spec{Target: "y", Categorical: []string{"x"},
		Reference: map[string]string{"x": "1"}, MaxLevels: 10}); err != nil {
		t.Error(err)
	}
}
