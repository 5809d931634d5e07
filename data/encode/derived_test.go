package encode

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/internal/datatest"
	"github.com/drotrain/drotrain/design"
)

// What is wrong with several columns to make is told at once.
func TestFit_FaultsOfDerivedColumns(t *testing.T) {
	text := "y,few,two,c,x\n"
	for i := range 60 {
		text += fmt.Sprintf("%d,%d,%d,%s,%d\n", i*7%13, i%2, i%3%2, []string{"u", "v"}[i%2], i)
	}
	_, err := NewEncoder(context.Background(), frameOf(t, text), nil,
		Spec{Target: "y", Task: Regression, Transforms: Transforms{
			Spline: map[string]int{"few": 5, "two": 5,
				"x": 4}, Log: []string{"c"}, Square: []string{"c"}, Interact: [][2]string{{"x", "none"}}}})
	datatest.WantError(t, err, "few", "two", "a logarithm needs a numeric feature", "a square needs a numeric feature",
		"none")
	e, err := NewEncoder(context.Background(), frameOf(t, text), nil,
		Spec{Target: "y", Task: Regression, Transforms: Transforms{Spline: map[string]int{"x": 4}, Square: []string{"few"},
			Interact: [][2]string{{"x", "c"}}}})
	if err != nil || len(e.Names()) < 3+4 {
		t.Errorf("%v, %v", e, err)
	}
}

// A value that is not finite in a column that others are made of is refused with its file, column
// and row, and is no damage to the file.
func TestFit_MadeOfValuesThatAreNotFinite(t *testing.T) {
	for _, value := range []string{"NaN", "inf"} {
		var b strings.Builder
		b.WriteString("x,z,y\n")
		for i := range 60 {
			if i == 41 {
				fmt.Fprintf(&b, "%s,%d,%d\n", value, i%7, i%2)
				continue
			}
			fmt.Fprintf(&b, "%d,%d,%d\n", 1+i*i%37, i%7, i%2)
		}
		for name, of := range map[string]Transforms{
			"spline": {Spline: map[string]int{"x": 4}}, "log": {Log: []string{"x"}}, "square": {Square: []string{"x"}},
			"product": {Interact: [][2]string{{"x", "z"}}},
		} {
			f := readBytes(t, "t.csv", []byte(b.String()))
			_, err := Fit(t.Context(), f, nil, nil, Spec{Target: "y", Scale: "standard", Transforms: of}, Sink{Storage: ""})
			if err == nil || errors.Is(err, data.ErrDamaged) {
				t.Errorf("%s of %s: %v", name, value, err)
				continue
			}
			if value == "NaN" { // a null of the column that is derived
				datatest.WantError(t, err, "t.csv", "row 42", "the value is null")
				continue
			}
			datatest.WantError(t, err, "t.csv", `column "x", row 42`, "the value is")
		}
	}
}

// Pairs of levels are counted before a column is made of any: only those that occur are columns,
// and too many are refused.
func TestFit_ProductOfCategoriesIsCountedFirst(t *testing.T) {
	table := func(a, b int) *data.Frame {
		var s strings.Builder
		s.WriteString("a,b,y\n")
		for i := range 4000 {
			fmt.Fprintf(&s, "u%d,v%d,%d\n", i%a, i/a%b, i*i%7%2)
		}
		return frameOf(t, s.String())
	}
	spec := Spec{Target: "y", Transforms: Transforms{Interact: [][2]string{{"a", "b"}}}}
	_, err := Fit(t.Context(), table(60, 60), nil, nil, spec, Sink{Storage: ""})
	datatest.WantError(t, err, `column "a"`, `"b"`, "too many pairs of levels", "at most 1000")
	spec.MaxLevels = 10_000
	if _, err := Fit(t.Context(), table(60, 60), nil, nil, spec, Sink{Storage: ""}); err != nil {
		t.Errorf("with more levels allowed: %v", err)
	}
	spec.MaxLevels = 0
	f := table(30, 30)
	crossed := fitRows(t, f, nil, nil, spec, Sink{Storage: ""})
	if n, d := crossed.Train.X.Dims(); crossed.Storage != design.SparseStorage || d != 30+30+900+0 {
		t.Errorf("%d rows, %d columns, stored as %s: sparse is wanted", n, d, crossed.Storage)
	}
	again, _, err := crossed.Encoder.Encode(t.Context(), f, nil)
	if err != nil {
		t.Fatal(err)
	}
	row, same := make([]float64, len(crossed.Encoder.Columns)), make([]float64, len(crossed.Encoder.Columns))
	for i := range f.Rows {
		crossed.Train.X.RowTo(row, i)
		again.X.RowTo(same, i)
		sum := 0.0
		for c, v := range row {
			in := crossed.Encoder.Columns[c]
			want := 0.0
			switch in.Name {
			case fmt.Sprintf("a=u%d", i%30), fmt.Sprintf("b=v%d", i/30%30), fmt.Sprintf("a=u%d:b=v%d", i%30, i/30%30):
				want = 1
			}
			if v != want || same[c] != want {
				t.Fatalf("row %d, %s: %v in training, %v encoded again, want %v", i+1, in.Name, v, same[c], want)
			}
			sum += v
		}
		if sum != 3 {
			t.Fatalf("row %d has %v entries", i+1, sum)
		}
	}
	fitted := fitRows(t, frameOf(t, "a,b,y\nu,p,0\nv,q,1\nw,r,0\nu,p,1\nv,q,1\nw,r,0\n"), nil, nil, spec,
		Sink{Storage: ""})
	for _, note := range fitted.Encoder.Notes {
		if strings.Contains(note, ":") && strings.Contains(note, "constant") {
			t.Errorf("a column of a pair that does not occur was made: %s", note)
		}
	}
}
