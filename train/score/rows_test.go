package score

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
)

// formula is 0.5 + 2·(size − 3)/4 + the weight of a site, + the size where the site is b, with a fill
// for sizes and none for sites.
func formula() *Formula {
	fill := 5.0
	return &Formula{
		Target: data.Target{Name: "y", Task: data.Regression, Scale: 1}, Constant: 0.5,
		Terms: []Term{
			{Column: "size", Kind: data.Numeric, Weight: 2, Shift: 3, Scale: 4, Fill: &fill},
			{Column: "site", Kind: data.Categorical, Stored: data.Categorical, Levels: []string{"a", "b", "7", "true"}, Weights: []float64{1, 10, 100, 1000}},
		},
		Products: []Product{
			{Factors: []Factor{{Term: 1, Level: 1}, {Term: 0}}, Weight: 1, Shift: 2, Scale: 1},
			{Factors: []Factor{{Term: 0}, {Term: 0}}, Weight: 1, Scale: 1},
		},
	}
}

// byHand is what the formula says of a size and what a site adds.
func byHand(size, site float64, b bool) float64 {
	v := 0.5 + 2*(size-3)/4 + site + size*size - 2
	if b {
		v += size
	}
	return v
}

// A value of any type is taken for what it says: numbers, levels written as numbers, truth values,
// nulls; what training did not see adds nothing.
func TestValuesOfAnyType(t *testing.T) {
	s := New(formula())
	type named float32
	type word string
	type truth bool
	size, nothing := 8.0, (*float64)(nil)
	for _, c := range []struct {
		size, site any
		want       float64
	}{
		{8.0, "a", byHand(8, 1, false)}, {8, "b", byHand(8, 10, true)}, {uint8(8), 7, byHand(8, 100, false)}, {int16(8), uint(7), byHand(8, 100, false)},
		{named(8), word("b"), byHand(8, 10, true)}, {&size, true, byHand(8, 1000, false)}, {json.Number("8"), truth(true), byHand(8, 1000, false)},
		{nil, "a", byHand(5, 1, false)}, {nothing, nil, byHand(5, 0, false)}, {true, "c", byHand(1, 0, false)}, {false, false, byHand(0, 0, false)},
		{8.0, json.Number("7"), byHand(8, 100, false)}, {8.0, 8, byHand(8, 0, false)},
	} {
		if got, err := s.Values(c.size, c.site); err != nil || !(math.Abs(got-c.want) <= 1e-12) {
			t.Errorf("%v, %v: %v, not %v (%v)", c.size, c.site, got, c.want, err)
		}
	}
	for want, v := range map[string]any{"invalid syntax": json.Number("eight"), "value out of range": json.Number("1e999"), "is the text": "8", "the value is NaN": math.NaN(), "neither a number": []int{8}, "the value is -Inf": math.Inf(-1)} {
		_, err := s.Values(v, "a")
		var at *data.Error
		if !errors.As(err, &at) || at.Column != "size" || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", v, err, want)
		}
	}
}

// Texts that a reading names otherwise have the weights of their names, one as well as several, in
// products too; numbers and what no name is for stay as they are.
func TestRenamedLevels(t *testing.T) {
	for _, names := range []map[string]string{{"B": "b"}, {"B": "b", "beta": "b", "A": "a"}, {}} {
		f := formula()
		f.Rename(names)
		s := New(f)
		for text, site := range map[string]float64{"a": 1, "b": 10, "7": 100, "A": 0, "B": 0, "beta": 0} {
			level := text
			if to, ok := names[text]; ok {
				level, site = to, map[string]float64{"a": 1, "b": 10}[to]
			}
			if got, err := s.Values(8.0, text); err != nil || !(math.Abs(got-byHand(8, site, level == "b")) <= 1e-12) {
				t.Errorf("%v: %q is %v, not %v (%v)", names, text, got, byHand(8, site, level == "b"), err)
			}
		}
	}
	kept := formula()
	if kept.Terms[1].Stored = data.Numeric; true {
		kept.Rename(map[string]string{"B": "b"})
	}
	if !slices.Equal(kept.Terms[1].Levels, formula().Terms[1].Levels) {
		t.Errorf("levels of numbers are renamed: %q", kept.Terms[1].Levels)
	}
}

// A struct has fields for the columns, by their tags or names; others, and those that are no
// column's, are passed over.
func TestFieldsOfStructs(t *testing.T) {
	type inner struct {
		Size float64 `drotrain:"size"`
	}
	type row struct {
		inner
		N      float64 `drotrain:"size"`
		Site   string  `drotrain:"site"`
		site   string
		Hidden string `drotrain:"-"`
	}
	s, err := Of[row](New(formula()))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Score(&row{N: 8, Site: "b", site: "a", inner: inner{3}}); err != nil || !(math.Abs(got-byHand(8, 10, true)) <= 1e-12) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := Of[float64](New(formula())); err == nil || !strings.Contains(err.Error(), "float64 is not a struct") {
		t.Errorf("%v", err)
	}
	type lacking struct {
		site   string `drotrain:"site"`
		Length float64
		inner
	}
	if _, err := Of[lacking](New(formula())); err == nil || !strings.Contains(err.Error(), `["size" "site"]`) {
		t.Errorf("%v (%v)", err, lacking{site: "a"}.site)
	}
}

// Of a table that cannot be scored the error says where: the column, its type, the row.
func TestTablesThatAreNotScored(t *testing.T) {
	s := New(formula())
	number := func(name string, v ...float64) data.Column {
		return data.Column{Name: name, Kind: data.Numeric, Type: "double", Number: v}
	}
	site := data.Column{Name: "site", Kind: data.Categorical, Type: "string", Level: []string{"a", "b"}, Code: []int32{0, 1, 1}}
	frame := func(columns ...data.Column) *data.Frame {
		t.Helper()
		f, err := data.NewFrame(columns...)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		f    *data.Frame
		rows int
		want string
		row  int
	}{
		"room for fewer": {t.Context(), frame(number("size", 1, 2, 3), site), 2, "room for 2 scores of 3 rows", 0},
		"given up":       {cancelled, frame(number("size", 1, 2, 3), site), 3, "context canceled", 0},
		"no column":      {t.Context(), frame(number("size", 1, 2, 3)), 3, `"site"`, 0},
		"another type":   {t.Context(), &data.Frame{Rows: 3, Columns: []*data.Column{{Name: "size", Kind: data.Other, Type: "list<int>", Null: make([]bool, 3)}}}, 3, "the type is list<int> here, but training had numeric values", 0},
		"an infinity":    {t.Context(), frame(number("size", 1, 2, math.Inf(1)), site), 3, "the value is +Inf", 3},
		"text":           {t.Context(), frame(data.Column{Name: "size", Kind: data.Categorical, Type: "string", Level: []string{"a", "b"}, Code: []int32{0, 1, 1}}, site), 3, `is the text "a"`, 1},
	} {
		err := s.ScoreTo(c.ctx, make([]float64, c.rows), c.f)
		var at *data.Error
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.As(err, &at) != (name != "given up" && name != "room for fewer") || at != nil && at.Row != c.row {
			t.Errorf("%s: %v (%+v)", name, err, at)
		}
	}
	// A column is read once, in however many products it is.
	got := make([]float64, 3)
	if err := s.ScoreTo(t.Context(), got, frame(number("size", 1, 2, 3), site)); err != nil || got[2] != byHand(3, 10, true) || got[0] != byHand(1, 1, false) {
		t.Errorf("%v, %v", got, err)
	}
}

// A finite number so large that its part, the sum or the prediction is not finite is an error,
// by row and by table.
func TestScores_NotFinite(t *testing.T) {
	for name, f := range map[string]*Formula{
		"a part":         {Target: data.Target{Task: data.Regression, Scale: 1}, Terms: []Term{{Column: "a", Weight: 4, Scale: 0.5}, {Column: "b", Weight: -4, Scale: 0.5}}},
		"a class":        {Target: data.Target{Task: data.Binary}, Terms: []Term{{Column: "a", Weight: 4, Scale: 1}, {Column: "b", Weight: 4, Scale: 1}}},
		"the sum":        {Target: data.Target{Task: data.Regression, Scale: 1}, Terms: []Term{{Column: "a", Weight: 1, Scale: 1}, {Column: "b", Weight: 1, Scale: 1}}},
		"the sum, class": {Target: data.Target{Task: data.Binary}, Terms: []Term{{Column: "a", Weight: 1, Scale: 1}, {Column: "b", Weight: 1, Scale: 1}}},
		"the target":     {Target: data.Target{Task: data.Regression, Scale: 1, Transform: "log"}, Terms: []Term{{Column: "a", Weight: 1, Scale: 1}, {Column: "b", Weight: 0, Scale: 1}}},
	} {
		for i := range f.Terms {
			f.Terms[i].Kind = data.Numeric
		}
		s := New(f)
		if v, err := s.Values(math.MaxFloat64, math.MaxFloat64); err == nil || !strings.Contains(err.Error(), "too far from those of training") {
			t.Errorf("%s: %v, %v", name, v, err)
		}
		column := func(name string) data.Column {
			return data.Column{Name: name, Kind: data.Numeric, Type: "double", Number: []float64{1, math.MaxFloat64}}
		}
		table, err := data.NewFrame(column("a"), column("b"))
		if err != nil {
			t.Fatal(err)
		}
		err = s.ScoreTo(t.Context(), make([]float64, 2), table)
		var at *data.Error
		if !errors.As(err, &at) || at.Row != 2 {
			t.Errorf("%s, a table: %v", name, err)
		}
		if v, err := s.Values(1, 1); err != nil || math.IsNaN(v) {
			t.Errorf("%s: %v, %v of small numbers", name, v, err)
		}
	}
	type row struct{ A, B float64 }
	of, err := Of[row](New(&Formula{Target: data.Target{Task: data.Regression, Scale: 1}, Terms: []Term{{Column: "A", Kind: data.Numeric, Weight: 1, Scale: 1}}}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := of.Score(nil); err == nil {
		t.Error("a nil row is scored")
	}
}
