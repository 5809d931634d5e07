package encode

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/datatest"
	"github.com/drotrain/drotrain/design"
)

// sparseTables returns a table in the format of LIBSVM and the same table as CSV with a column for each place.
func sparseTables(rows, width int, seed uint64) (svm, csv string) {
	r := rand.New(rand.NewPCG(seed, 1))
	var s, c strings.Builder
	c.WriteString("label")
	for k := range width {
		fmt.Fprintf(&c, ",x[%d]", k)
	}
	for range rows {
		label := r.IntN(2)
		fmt.Fprintf(&s, "%d", label)
		fmt.Fprintf(&c, "\n%d", label)
		for k := range width {
			v := 0.0
			if r.IntN(5) == 0 {
				v = math.Round(2000*r.Float64()-1000) / 8
			}
			if v != 0 {
				fmt.Fprintf(&s, " %d:%v", k, v)
			}
			fmt.Fprintf(&c, ",%v", v)
		}
		s.WriteString("\n")
	}
	return s.String(), c.String() + "\n"
}

func readSparse(t *testing.T, name, text string) *data.Frame {
	t.Helper()
	f, err := data.ReadBytes(t.Context(), name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A sparse vector is encoded as the same numbers in columns of their own are.
func TestFit_SparseVectorEqualsColumns(t *testing.T) {
	svm, csv := sparseTables(3000, 12, 7)
	train, holdout := make([]int, 0, 3000), make([]int, 0, 3000)
	for i := range 3000 {
		if i%3 == 0 {
			holdout = append(holdout, i)
		} else {
			train = append(train, 2999-i+i%3) // in no order
		}
	}
	slices.Sort(train)
	train = slices.Compact(train)
	holdout = slices.DeleteFunc(holdout, func(i int) bool { return slices.Contains(train, i) })
	for _, scale := range []string{"max", "none"} {
		for _, storage := range []design.Storage{design.SparseStorage, design.Float64Storage, design.Float32Storage} {
			t.Run(scale+" "+string(storage), func(t *testing.T) {
				spec := Spec{Target: "label", Scale: scale, Intercept: true}
				var fitted [2]*Fitted
				for k, f := range []*data.Frame{readSparse(t, "t.svm", svm), readSparse(t, "t.csv", csv)} {
					var err error
					if fitted[k], err = Fit(t.Context(), f, slices.Clone(train), slices.Clone(holdout), spec,
						Sink{Storage: storage}); err != nil {
						t.Fatal(err)
					}
				}
				if !slices.Equal(fitted[0].Train.Names, fitted[1].Train.Names) {
					t.Fatalf("the columns are %q, want %q", fitted[0].Train.Names, fitted[1].Train.Names)
				}
				for s, pair := range [][2]*Dataset{{fitted[0].Train, fitted[1].Train}, {fitted[0].Holdout, fitted[1].Holdout}} {
					for i := range pair[0].N {
						if got, want := pair[0].Row(i), pair[1].Row(i); !slices.Equal(got, want) {
							t.Fatalf("set %d, row %d: %v, want %v", s, i, got, want)
						}
					}
				}
			})
		}
	}
}

func TestEncoder_SparseVectorSurvivesJSON(t *testing.T) {
	svm, _ := sparseTables(400, 30, 3)
	f := readSparse(t, "t.svm", svm)
	e, err := NewEncoder(t.Context(), f, nil, Spec{Target: "label", Intercept: true})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), "x[3]") {
		t.Errorf("the model lists the entries one by one: %s", b)
	}
	var again Encoder
	if err := json.Unmarshal(b, &again); err != nil {
		t.Fatal(err)
	}
	if err := again.Validate(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(e.Columns, again.Columns) {
		t.Errorf("the columns are %v, want %v", again.Columns, e.Columns)
	}
	for _, damage := range [][2]string{{`"index":[0,`, `"index":[9,`}, {`"index":[0,`, `"index":[-1,`},
		{`"scales":[`, `"scales":[1,`}, {`"first":0`, `"first":7`}} {
		bad := strings.Replace(string(b), damage[0], damage[1], 1)
		var e Encoder
		err := json.Unmarshal([]byte(bad), &e)
		if err == nil {
			err = e.Validate()
		}
		if bad == string(b) || err == nil {
			t.Errorf("%q for %q is accepted", damage[1], damage[0])
		}
	}
}

// Other rows may have fewer places than training and places that training did not see.
func TestEncode_PlacesUnseen(t *testing.T) {
	e, err := NewEncoder(t.Context(), readSparse(t, "t.svm", "1 1:4 3:2\n0 1:2\n1 3:1\n0 1:1\n"), nil,
		Spec{Target: "label"})
	if err != nil {
		t.Fatal(err)
	}
	ds, report, err := e.Encode(t.Context(), readSparse(t, "u.svm", "1 1:2\n0 2:5 9:1 3:1\n1\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]float64{{0.5, 0}, {0, 0.5}, {0, 0}} {
		if got := ds.Row(i); !slices.Equal(got, want) {
			t.Errorf("row %d: %v, want %v", i, got, want)
		}
	}
	want := `column "x": 1 row with entries at indices unseen in training ("x[2]" and "x[9]")`
	if got := report.String(); got != want {
		t.Errorf("the report is %q, want %q", got, want)
	}
}

// A file that counts indices from 0 is told apart from one that counts from 1, as the training rows do; nothing is said
// where training saw index 0, or where the file has no entry at it.
func TestEncode_IndicesFromZero(t *testing.T) {
	const hint = "add 1 to its indices"
	for name, c := range map[string]struct {
		trained, given string
		want           bool
	}{
		"0 given to 1":         {"1 1:4 3:2\n0 1:2\n1 3:1\n0 1:1\n", "1 0:2 2:1\n", true},
		"0 given to 2":         {"1 2:4 3:2\n0 2:2\n1 3:1\n0 2:1\n", "1 0:2 3:1\n", true},
		"1 given to 1":         {"1 1:4 3:2\n0 1:2\n1 3:1\n0 1:1\n", "1 2:2 9:1\n", false},
		"0 given to 0":         {"1 0:4 3:2\n0 0:2\n1 3:1\n0 0:1\n", "1 0:2 2:1\n", false},
		"explicit zero at 0":   {"1 1:4 3:2\n0 1:2\n1 3:1\n0 1:1\n", "1 0:0 2:1\n", false},
		"no index is unseen":   {"1 1:4 3:2\n0 1:2\n1 3:1\n0 1:1\n", "1 1:2\n", false},
		"training has no such": {"1 5:4 7:2\n0 5:2\n1 7:1\n0 5:1\n", "1 5:2\n0 0:1\n", true},
	} {
		e, err := NewEncoder(t.Context(), readSparse(t, "t.svm", c.trained), nil, Spec{Target: "label"})
		if err != nil {
			t.Fatal(err)
		}
		_, report, err := e.Encode(t.Context(), readSparse(t, "u.svm", c.given), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := report.String(); strings.Contains(got, hint) != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A file that counts indices from 1 is told apart from training rows that count from 0 if its indices end one higher. It
// is told in every part of the file with unseen indices.
func TestEncode_IndicesFromOne(t *testing.T) {
	const zero, one = "1 0:4 3:2\n0 0:2\n1 3:1\n0 0:1\n", "1 1:4 4:2\n0 1:2\n1 4:1\n0 1:1\n"
	for name, c := range map[string]struct {
		trained, given string
		first          int // first of the encoded rows
		want           bool
	}{
		"1 given to 0":       {zero, one, 0, true},
		"later rows":         {zero, one, 2, true},
		"0 given to 0":       {zero, zero, 0, false},
		"0 given to 1":       {one, zero, 0, false},
		"an entry at 0":      {zero, one + "0 0:1\n", 0, false},
		"an entry before":    {zero, "0 0:1\n" + one, 3, false},
		"explicit zero at 0": {zero, one + "0 0:0\n", 0, false},
		"ends much higher":   {zero, one + "0 5:1\n", 0, false},
		"ends as training":   {zero, "1 1:2 3:1\n", 0, false},
	} {
		e, err := NewEncoder(t.Context(), readSparse(t, "t.svm", c.trained), nil, Spec{Target: "label"})
		if err != nil {
			t.Fatal(err)
		}
		f := readSparse(t, "u.svm", c.given)
		_, report, err := e.Encode(t.Context(), f.Slice(c.first, f.Rows), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := report.String(); strings.Contains(got, "subtract 1 from its indices") != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Vectors without columns or entries are named as the reason why there are no features.
func TestFit_EmptyVectors(t *testing.T) {
	for text, want := range map[string]string{
		"1\n0\n1\n0\n":                    `the vectors of column "x" have no columns and no entries`,
		"1 3:0\n0\n1 1:0\n0\n":            `the vectors of column "x" have no entries other than 0 in the training rows`,
		"1 qid:1 2:0\n0 qid:1\n1 qid:1\n": `the vectors of column "x" have no entries other than 0`,
	} {
		_, err := NewEncoder(t.Context(), readSparse(t, "t.svm", text), nil, Spec{Target: "label"})
		if err == nil || !strings.Contains(err.Error(), "there are no features: "+want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A column cannot have the name of an entry of a sparse vector, since reports would show two features of this name.
func TestFit_ColumnNamedLikeAnEntry(t *testing.T) {
	for name, want := range map[string]bool{"x[3]": true, "x[03]": false, "x[a]": false, "x": false, "z[3]": false} {
		f := readSparse(t, "t.svm", "1 qid:4 1:4 3:2\n0 qid:2 1:2\n1 qid:3 3:1\n0 qid:5 1:1\n")
		if f.Columns[1].Name = name; name == "x" {
			f.Columns[1].Name = "y"
		}
		_, err := NewEncoder(t.Context(), f, nil, Spec{Target: "label"})
		got := err != nil && strings.Contains(err.Error(), `column "x[3]": the entries of the sparse vector "x" have names`)
		if got != want || err != nil && !got {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Numbers whose coefficients could overflow in their own units are refused, also where the model could be fitted.
func TestFit_NumbersTooSmallToScale(t *testing.T) {
	for _, c := range []struct{ name, text, scale, want string }{
		{"t.svm", "1 2:1e-302\n0 2:1e-310\n1 1:1 2:3e-301\n", "", `column "x[2]": the entries are too small to scale`},
		{"t.svm", "1 2:1e-300\n0 2:1e-310\n1 1:1 2:3e-299\n", "none", ""},
		{"t.svm", "1 2:1e-280\n0 2:1e-310\n1 1:1 2:3e-299\n", "", ""},
		{"t.csv", "label,z\n1,1e-310\n0,3e-310\n1,2e-310\n", "", `column "z": the values differ by too little`},
		{"t.csv", "label,z\n1,1e-310\n0,3e-310\n1,2e-310\n", "max", `column "z": the values are too small to scale`},
	} {
		_, err := NewEncoder(t.Context(), readSparse(t, c.name, c.text), nil, Spec{Target: "label", Scale: c.scale})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q, scale %q: %v, want %q", c.text, c.scale, err, c.want)
		}
	}
}

// The error about lists that are not vectors says how vectors are stored.
func TestFit_OtherListsAreNoVectors(t *testing.T) {
	path := datatest.WriteLists(t, ".arrows", arrow.ListOf(arrow.PrimitiveTypes.Int64), "[[1, 2], [3, 4], [5, 5], [8, 7]]")
	f := openFrame(t, path)
	defer f.Close()
	_, err := NewEncoder(t.Context(), f, nil, Spec{Target: "y"})
	var wrong *data.Error
	if !errors.As(err, &wrong) || !strings.Contains(wrong.Hint, "as a vector (lists of floats") {
		t.Errorf("%v", err)
	}
}

func TestFit_SparseVectorHasNoSingleValues(t *testing.T) {
	const text = "1 1:4 3:2\n0 1:2\n1 3:1\n0 1:1\n"
	cases := []struct {
		name string
		spec Spec
		want string
	}{
		{"target", Spec{Target: "x"}, `column "x": a column of type sparse vector cannot be the target`},
		{"group", Spec{Target: "label", Groups: []string{"x"}},
			`column "x": a column of type sparse vector cannot define groups`},
		{"exposure", Spec{Target: "label", Exposure: "x", Task: Regression},
			`column "x": the exposure must be numeric, but the column holds sparse vector`},
		{"entry", Spec{Target: "label", Features: []string{"x[3]"}}, `there is no column "x[3]"`},
		{"category", Spec{Target: "label", Categorical: []string{"x"}}, `column "x": a category needs single values`},
		{"square", Spec{Target: "label", Transforms: Transforms{Square: []string{"x"}}},
			`column "x": a square needs single values`},
		{"spline", Spec{Target: "label", Transforms: Transforms{Spline: map[string]int{"x": 3}}},
			`column "x": a spline needs single values`},
		{"reference", Spec{Target: "label", Reference: map[string]string{"x": "1"}},
			`column "x": a reference level needs single values`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Fit(t.Context(), readSparse(t, "t.svm", text), nil, nil, c.spec, Sink{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestEncode_SparseVectorOverflows(t *testing.T) {
	e, err := NewEncoder(t.Context(), readSparse(t, "t.svm", "1 1:1e-300\n0 1:1e-301\n"), nil, Spec{Target: "label"})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = e.Encode(t.Context(), readSparse(t, "u.svm", "1 1:1e-300\n0 1:1e300\n"), nil)
	if err == nil || !strings.Contains(err.Error(), `column "x[1]", row 2: the value 1e+300 is far outside`) {
		t.Errorf("got %v", err)
	}
}

// A table with vectors of the other form than the model's gets advice.
func TestEncode_OtherFormOfVector(t *testing.T) {
	read := func(name, text string) *data.Frame {
		f, err := data.ReadBytes(t.Context(), name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	vectors := openFrame(t, datatest.WriteLists(t, ".arrows", arrow.ListOf(arrow.PrimitiveTypes.Float64),
		"[[1, 2], [3, 4], [5, 5], [8, 7]]"))
	defer vectors.Close()
	for _, c := range vectors.Columns { // e[0], e[1]
		c.Name, c.Vector = strings.Replace(c.Name, "e[", "x[", 1), strings.Replace(c.Vector, "e", "x", 1)
	}
	tables := map[string]*data.Frame{
		"vectors": vectors,
		"sparse":  read("t.svm", "1 0:1 1:2\n0 0:2 1:1\n1 0:3 1:5\n0 0:4 1:2\n"),
		"dense":   read("t.csv", "label,x[0],x[1],x[2],x[3]\n1,1,2,1,0\n0,2,1,1,1\n1,3,5,2,1\n0,4,2,3,3\n"),
	}
	for _, c := range []struct{ model, table, want string }{
		{"sparse", "dense",
			`there is no column "x", which the model was trained on (the table has dense columns, such as "x[0]"`},
		{"sparse", "vectors", `the column "x" is split into several columns, but the model was trained on a single one`},
		{"sparse", "vectors", `the table has dense columns, such as "x[0]"`},
		{"dense", "sparse", `the table has the sparse vector "x"`},
	} {
		fitted := fitRows(t, tables[c.model], nil, nil, Spec{Target: "label"}, Sink{})
		_, _, err := fitted.Encoder.Encode(t.Context(), tables[c.table], nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("model of %s vectors: %v, want %q", c.model, err, c.want)
		}
	}
}
