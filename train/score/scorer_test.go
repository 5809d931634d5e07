package score

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// formula is 0.5 + 2·(size − 3)/4 + the weight of the site, plus the size if the site is b. Null sizes are filled,
// null sites are not.
func formula() *Formula {
	fill := 5.0
	return &Formula{
		Target: Target{Name: "y", Numeric: true, Scale: 1}, Constant: 0.5,
		Terms: []Term{
			{Column: "size", Kind: Numeric, Weight: 2, Shift: 3, Scale: 4, Fill: &fill},
			{Column: "site", Kind: Categorical, Stored: Categorical, Levels: []string{"a", "b", "7", "true"},
				Weights: []float64{1, 10, 100, 1000}},
		},
		Products: []Product{
			{Factors: []Factor{{Term: 1, Level: 1}, {Term: 0}}, Weight: 1, Shift: 2, Scale: 1},
			{Factors: []Factor{{Term: 0}, {Term: 0}}, Weight: 1, Scale: 1},
		},
	}
}

// byHand returns the margin of the formula for a size and the contribution of a site.
func byHand(size, site float64, b bool) float64 {
	v := 0.5 + 2*(size-3)/4 + site + size*size - 2
	if b {
		v += size
	}
	return v
}

// Values of all types are accepted: numbers, levels written as numbers, bools, nulls. Unseen levels contribute
// nothing.
func TestScorer_ValuesOfAnyType(t *testing.T) {
	s := newScorer(t, formula())
	type named float32
	type word string
	type truth bool
	size, nothing := 8.0, (*float64)(nil)
	for _, c := range []struct {
		size, site any
		want       float64
	}{
		{8.0, "a", byHand(8, 1, false)}, {8, "b", byHand(8, 10, true)}, {uint8(8), 7, byHand(8, 100, false)},
		{int16(8), uint(7), byHand(8, 100, false)},
		{named(8), word("b"), byHand(8, 10, true)}, {&size, true, byHand(8, 1000, false)},
		{json.Number("8"), truth(true), byHand(8, 1000, false)},
		{nil, "a", byHand(5, 1, false)}, {math.NaN(), "a", byHand(5, 1, false)}, {nothing, nil, byHand(5, 0, false)},
		{true, "c", byHand(1, 0, false)}, {false, "false", byHand(0, 0, false)},
		{8.0, json.Number("7"), byHand(8, 100, false)}, {8.0, "8", byHand(8, 0, false)},
	} {
		if got, err := s.Values(c.size, c.site); err != nil || !(math.Abs(got-c.want) <= 1e-12) {
			t.Errorf("%v, %v: %v, not %v (%v)", c.size, c.site, got, c.want, err)
		}
	}
	for want, v := range map[string]any{"the value is the number 8, but the training table had text such as \"a\"": 8,
		"the value is the bool false, but": false} {
		if _, err := s.Values(8.0, v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("site %v: %v, want %q", v, err, want)
		}
	}
	for want, v := range map[string]any{"the value eight is not a number": json.Number("eight"),
		"exceeds the range": json.Number("1e999"),
		"is the text":       "8", "is not a number, a text": []int{8}, "the value is -Inf": math.Inf(-1)} {
		_, err := s.Values(v, "a")
		var at *Error
		if !errors.As(err, &at) || at.Column != "size" || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", v, err, want)
		}
	}
}

// Texts that a reading renames have the weights of their new names, also several texts with one new name, and in
// products. Numbers and other texts stay the same.
func TestScorer_RenamedLevels(t *testing.T) {
	for _, names := range []map[string]string{{"B": "b"}, {"B": "b", "beta": "b", "A": "a"}, {}} {
		f := formula()
		f.Rename(names)
		s := newScorer(t, f)
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
	if kept.Terms[1].Stored = Numeric; true {
		kept.Rename(map[string]string{"B": "b"})
	}
	if !slices.Equal(kept.Terms[1].Levels, formula().Terms[1].Levels) {
		t.Errorf("levels of numbers are renamed: %q", kept.Terms[1].Levels)
	}
}

// Fields provide the columns by their tags or names; other fields are ignored.
func TestScorer_FieldsOfStructs(t *testing.T) {
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
	s, err := Of[row](newScorer(t, formula()))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Score(&row{N: 8, Site: "b", site: "a", inner: inner{3}}); err != nil ||
		!(math.Abs(got-byHand(8, 10, true)) <= 1e-12) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := Of[float64](newScorer(t, formula())); err == nil ||
		!strings.Contains(err.Error(), "float64 is not a struct") {
		t.Errorf("%v", err)
	}
	type outer struct {
		inner
		Site string `drotrain:"site"`
	}
	if s, err := Of[outer](newScorer(t, formula())); err != nil {
		t.Error(err)
	} else if got, err := s.Score(&outer{inner: inner{8}, Site: "b"}); err != nil ||
		!(math.Abs(got-byHand(8, 10, true)) <= 1e-12) {
		t.Errorf("an embedded struct: %v, %v", got, err)
	}
	type lacking struct {
		site   string `drotrain:"site"`
		Length float64
		*inner
	}
	if _, err := Of[lacking](newScorer(t, formula())); err == nil || !strings.Contains(err.Error(), `["size" "site"]`) {
		t.Errorf("%v (%v)", err, lacking{site: "a"}.site)
	}
}

// A number so large that its contribution, the sum or the prediction is not finite is an error, for single rows and
// for tables.
func TestScores_NotFinite(t *testing.T) {
	for name, f := range map[string]*Formula{
		"a part": {Target: Target{Numeric: true, Scale: 1},
			Terms: []Term{{Column: "a", Weight: 4, Scale: 0.5}, {Column: "b", Weight: -4, Scale: 0.5}}},
		"a class": {Target: Target{}, Terms: []Term{{Column: "a", Weight: 4, Scale: 1},
			{Column: "b", Weight: 4, Scale: 1}}},
		"the sum": {Target: Target{Numeric: true, Scale: 1},
			Terms: []Term{{Column: "a", Weight: 1, Scale: 1}, {Column: "b", Weight: 1, Scale: 1}}},
		"the sum, class": {Target: Target{}, Terms: []Term{{Column: "a", Weight: 1, Scale: 1},
			{Column: "b", Weight: 1, Scale: 1}}},
		"the target": {Target: Target{Numeric: true, Scale: 1, Transform: "log"},
			Terms: []Term{{Column: "a", Weight: 1, Scale: 1}, {Column: "b", Weight: 0, Scale: 1}}},
	} {
		for i := range f.Terms {
			f.Terms[i].Kind = Numeric
		}
		s := newScorer(t, f)
		if v, err := s.Values(math.MaxFloat64, math.MaxFloat64); err == nil ||
			!strings.Contains(err.Error(), "far outside the training range") {
			t.Errorf("%s: %v, %v", name, v, err)
		}
		if v, err := s.Values(1, 1); err != nil || math.IsNaN(v) {
			t.Errorf("%s: %v, %v of small numbers", name, v, err)
		}
	}
	type row struct{ A, B float64 }
	of, err := Of[row](newScorer(t, &Formula{Target: Target{Numeric: true, Scale: 1},
		Terms: []Term{{Column: "A", Kind: Numeric, Weight: 1, Scale: 1}}}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := of.Score(nil); err == nil {
		t.Error("a nil row is scored")
	}
}

// productFormula has a function of every kind and products of two columns.
func productFormula() *Formula {
	fill := 2.5
	return &Formula{
		Target:   Target{Name: "y", Numeric: true, Shift: 3, Scale: 2},
		Constant: -0.75,
		Terms: []Term{
			{Column: "income", Kind: Numeric, Stored: Numeric, Scale: 1, Fill: &fill},
			{Column: "age", Kind: Numeric, Stored: Numeric, Weight: 0.3, Shift: 40, Scale: 12},
			{Column: "site", Kind: Categorical, Stored: Categorical, Levels: []string{"a", "b", "c"},
				Weights: []float64{0.1, -0.2, 0.4}, Null: true, Missing: 0.7},
		},
		Products: []Product{
			{Factors: []Factor{{Term: 0, Function: Function{Name: "log"}}}, Weight: 0.9, Shift: 0.5, Scale: 1.5},
			{Factors: []Factor{{Term: 0, Function: Function{Name: "log1p"}}}, Weight: -0.2, Shift: 1, Scale: 3},
			{Factors: []Factor{{Term: 1, Function: Function{Name: "square"}}}, Weight: 0.11, Shift: 1600, Scale: 700},
			{Factors: []Factor{{Term: 1, Function: Function{
				Name: "piecewise", Knots: []float64{20, 40, 70}, Pieces: [][4]float64{{1, 0.1, 0, -1e-4},
					{2.2, -0.02, -6e-3, 1e-4}},
				Below: [2]float64{1, 0.1}, Above: [2]float64{-1.1, -0.11}}}}, Weight: 0.6, Shift: 0.2, Scale: 0.8},
			{Factors: []Factor{{Term: 0}, {Term: 1}}, Weight: 0.05, Shift: 90, Scale: 60},
			{Factors: []Factor{{Term: 2, Level: 1}, {Term: 1}}, Weight: 0.4, Shift: 0, Scale: 10},
			{Factors: []Factor{{Term: 2, Level: 3}, {Term: 0, Function: Function{Name: "log"}}}, Weight: -0.35, Shift: 0,
				Scale: 1},
		},
	}
}

// Functions and products of columns agree with arithmetic by hand.
func TestScorer_Products(t *testing.T) {
	s := newScorer(t, productFormula())
	sites := []any{"a", "b", "c", nil, "other"}
	var rows [][]any
	var want []float64
	for i, age := range []float64{10, 20, 33, 40, 55, 70, 90} {
		income, site := []float64{0.1, 1, 2.5, 40}[i%4], sites[i%len(sites)]
		given := any(income)
		if income == 2.5 {
			given = nil
		}
		spline := 1 + 0.1*(age-20)
		switch u := age - 20; {
		case age >= 70:
			spline = -1.1 - 0.11*(age-70)
		case age >= 40:
			u = age - 40
			spline = 2.2 - 0.02*u - 6e-3*u*u + 1e-4*u*u*u
		case age >= 20:
			spline = 1 + 0.1*u - 1e-4*u*u*u
		}
		m := -0.75 + 0.3*(age-40)/12
		m += map[any]float64{"a": 0.1, "b": -0.2, "c": 0.4, nil: 0.7}[site]
		m += 0.9*(math.Log(income)-0.5)/1.5 - 0.2*(math.Log(1+income)-1)/3 + 0.11*(age*age-1600)/700
		m += 0.6*(spline-0.2)/0.8 + 0.05*(income*age-90)/60
		switch site {
		case "b":
			m += 0.4 * age / 10
		case nil:
			m -= 0.35 * math.Log(income)
		}
		rows, want = append(rows, []any{given, age, site}), append(want, 3+2*m)
	}
	for i, row := range rows {
		got, err := s.Values(row...)
		if err != nil || !(math.Abs(got-want[i]) <= 1e-12*max(1, math.Abs(want[i]))) {
			t.Errorf("%v: %v, wanted %v (%v)", row, got, want[i], err)
		}
	}
	if v, err := s.Values(-1.0, 30, "a"); v != 0 || err == nil || !strings.Contains(err.Error(), "income") {
		t.Errorf("the logarithm of a negative number: %v", err)
	}
	row := []any{1.0, 30, "a"}
	if n := testing.AllocsPerRun(100, func() { _, _ = s.Values(row...) }); n != 0 {
		t.Errorf("a row with products allocates %v times", n)
	}
}

// flagged returns a formula with a training range, a fill and a bool.
func flagged() *Formula {
	low, high, fill := 0.0, 10.0, 4.0
	return &Formula{
		Target: Target{Numeric: true, Scale: 1},
		Terms: []Term{
			{Column: "size", Kind: Numeric, Weight: 2, Scale: 1, Low: &low, High: &high, Fill: &fill},
			{Column: "known", Kind: Bool, Stored: Bool, Levels: []string{"false", "true"}, Weights: []float64{0, 5}},
			{Column: "site", Kind: Categorical, Stored: Categorical, Levels: []string{"a"}, Weights: []float64{1}},
		},
		Products: []Product{{Factors: []Factor{{Term: 0}, {Term: 1, Level: 1}}, Weight: 3, Scale: 1}},
	}
}

func TestExplain_UnusualValues(t *testing.T) {
	for name, c := range map[string]struct {
		row    map[string]any
		want   [4]float64
		column int // of the flag; -1: none
		flags  Contribution
		strict string // what a strict scorer reports; "": a score
	}{
		"usual": {map[string]any{"size": 3, "known": "TRUE", "site": "a"}, [4]float64{6, 5, 1, 9}, -1, Contribution{}, ""},
		"outside": {map[string]any{"size": 11, "known": false, "site": "a"}, [4]float64{22, 0, 1, 0}, 0,
			Contribution{Outside: true}, "outside the range"},
		"filled": {map[string]any{"size": nil, "known": 1, "site": "a"}, [4]float64{8, 5, 1, 12}, 0,
			Contribution{Filled: true}, "is null"},
		"unseen": {map[string]any{"size": 3, "known": true, "site": "z"}, [4]float64{6, 5, 0, 9}, 2,
			Contribution{Unseen: true}, "does not occur in the training rows"},
		"a null": {map[string]any{"size": 3, "known": nil, "site": "a"}, [4]float64{6, 0, 1, 0}, 1,
			Contribution{Unseen: true}, "does not occur in the training rows"},
		"digits": {map[string]any{"size": 3, "known": 0, "site": "7"}, [4]float64{6, 0, 0, 0}, 2, Contribution{Unseen: true},
			"does not occur in the training rows"},
	} {
		s := newScorer(t, flagged())
		e, err := s.Explain(c.row)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sum := e.Constant
		for i, p := range e.Contributions {
			sum += p.Value
			if p.Value != c.want[i] || len(p.Columns) != []int{1, 1, 1, 2}[i] {
				t.Errorf("%s: contribution %+v, want %v", name, p, c.want[i])
			}
			flags := Contribution{Unseen: p.Unseen, Filled: p.Filled, Outside: p.Outside}
			if want := (Contribution{}); i == c.column && !reflect.DeepEqual(flags, c.flags) ||
				i != c.column && !reflect.DeepEqual(flags, want) {
				t.Errorf("%s: flags of %v: %+v", name, p.Columns, flags)
			}
		}
		if v, err := s.Map(c.row); err != nil || v != e.Score || sum != e.Margin || v != e.Margin {
			t.Errorf("%s: score %v and %v, margin %v, sum %v (%v)", name, v, e.Score, e.Margin, sum, err)
		}
		s = newScorer(t, flagged())
		s.Strict = true
		if _, err := s.Map(c.row); (err == nil) != (c.strict == "") ||
			err != nil && !strings.Contains(err.Error(), c.strict) {
			t.Errorf("%s, strict: %v", name, err)
		}
	}
	for _, v := range []any{"yes", "1", 2, math.NaN()} {
		if _, err := newScorer(t, flagged()).Values(3, v, "a"); err == nil || !strings.Contains(err.Error(),
			`column "known"`) {
			t.Errorf("%v as a bool: %v", v, err)
		}
	}
}

func TestScorer_Dates(t *testing.T) {
	s := newScorer(t, &Formula{Target: Target{Numeric: true, Scale: 1},
		Terms: []Term{{Column: "day", Kind: Numeric, Weight: 1, Scale: 1, Date: true}}})
	if v, err := s.Values(time.Date(1970, 1, 3, 12, 0, 0, 0, time.UTC)); err != nil || v != 2.5 {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := newScorer(t, flagged()).Values(time.Now(), true, "a"); err == nil {
		t.Error("a time is a number")
	}
}

// newScorer returns a scorer of a valid formula.
func newScorer(t *testing.T, f *Formula) *Scorer {
	t.Helper()
	if f.Target.Name == "" {
		f.Target.Name = "y"
	}
	s, err := New(f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// New returns an error for an invalid formula, which would otherwise panic when a row is scored.
func TestNew_BrokenFormulas(t *testing.T) {
	for want, breakIt := range map[string]func(f *Formula){
		"term 7 does not exist":     func(f *Formula) { f.Products[0].Factors[0].Term = 7 },
		"term -1 does not exist":    func(f *Formula) { f.Products[0].Factors[0].Term = -1 },
		"no level 9; it has 4":      func(f *Formula) { f.Products[0].Factors[0].Level = 9 },
		`unknown function "sqaure"`: func(f *Formula) { f.Products[1].Factors[0].Function.Name = "sqaure" },
		"0 knots and 0 pieces":      func(f *Formula) { f.Products[1].Factors[0].Function.Name = "piecewise" },
		"2 knots and 0 pieces": func(f *Formula) {
			f.Products[1].Factors[0].Function = Function{Name: "piecewise", Knots: []float64{1, 2}}
		},
		"not ascending": func(f *Formula) {
			f.Products[1].Factors[0].Function = Function{Name: "piecewise", Knots: []float64{2, 2},
				Pieces: make([][4]float64, 1)}
		},
		"has no factors":              func(f *Formula) { f.Products[0].Factors = nil },
		"4 levels, but 3 weights":     func(f *Formula) { f.Terms[1].Weights = f.Terms[1].Weights[:3] },
		`the level "a" occurs twice`:  func(f *Formula) { f.Terms[1].Levels = []string{"a", "a", "b", "c"} },
		"already has a term":          func(f *Formula) { f.Terms[1].Column = "size" },
		"the column cannot be other":  func(f *Formula) { f.Terms[0].Kind = Other },
		"the scale 0":                 func(f *Formula) { f.Terms[0].Scale = 0 },
		"the constant is NaN":         func(f *Formula) { f.Constant = math.NaN() },
		"no name":                     func(f *Formula) { *f = Formula{} },
		`the function "exp"; it must`: func(f *Formula) { f.Target.Transform = "exp" },
		"the formula of class 1 is null": func(f *Formula) {
			*f = Formula{Target: Target{Name: "y", Classes: []string{"a", "b", "c"}}, Classes: []*Formula{{}, nil, {}}}
		},
		"there are 0 formulas": func(f *Formula) { f.Target.Numeric, f.Target.Classes = false, []string{"a", "b", "c"} },
	} {
		f := formula()
		breakIt(f)
		if s, err := New(f); err == nil || s != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
	if _, err := New(nil); err == nil {
		t.Error("nil is accepted")
	}
	if _, err := new(Scorer).Values(); err == nil {
		t.Error("a scorer without a model scores")
	}
	if _, err := Of[struct{}](new(Scorer)); err == nil {
		t.Error("a scorer without a model scores structs")
	}
}

// Adaptations are returned without allocations; a level with extra white space is an error.
func TestScorer_Adapted(t *testing.T) {
	f := flagged()
	s := newScorer(t, f)
	for _, c := range []struct {
		row  []any
		want Adapted
	}{
		{[]any{3.0, true, "a"}, 0}, {[]any{nil, true, "a"}, Filled}, {[]any{3.0, true, "new"}, Unseen},
		{[]any{1e6, true, "a"}, Outside},
		{[]any{1e6, true, nil}, Outside | Unseen},
	} {
		v, got, err := s.ValuesAdapted(c.row...)
		plain, err2 := s.Values(c.row...)
		if err != nil || err2 != nil || got != c.want || v != plain {
			t.Errorf("%v: %v (%q), %v, want %q", c.row, v, got, err, c.want)
		}
	}
	row := []any{nil, true, "new"}
	if n := testing.AllocsPerRun(100, func() { _, _, _ = s.ValuesAdapted(row...) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	for _, level := range []string{" a", "a ", "a\t"} {
		if _, err := s.Values(3.0, true, level); err == nil || !strings.Contains(err.Error(), "only in white space") {
			t.Errorf("%q: %v", level, err)
		}
	}
	if got := (Unseen | Outside).String(); got != "unseen, outside" {
		t.Error(got)
	}
}

// Files that are not models are errors.
func TestRead_Refuses(t *testing.T) {
	for text, want := range map[string]string{
		"": "not a model", "{}": "no schema version", "null": "no schema version", "[1]": "not a model",
		`{"schema": 2}`: "schema 2", `{"schema": 1}`: "its encoder is missing",
		`{"schema": 1, "encoder": {}}`: "0 coefficients for 0 encoded columns",
		`{"schema": 1, "encoder": {"columns": [{"kind": "numeric", "scale": 1}], "inputs": [{"name": "x", "kind": "numeric", "first": 4}], "target": {"name": "y"}}, "coefficients": [1]}`: "of 1",
		`{"schema": 1, "encoder": {"columns": [{"kind": "numeric", "scale": 1}], "inputs": [{"name": "x", "kind": "number"}]}}`:                                                            "unknown column kind",
		`{"schema": 1, "encoder": {"columns": [{"kind": "numeric", "scale": 0}], "inputs": [{"name": "x", "kind": "numeric"}], "target": {"name": "y"}}, "coefficients": [1]}`:             "the scale 0",
		`{"schema": 1, "link": "probit", "encoder": {"columns": [{"kind": "numeric", "scale": 1}], "target": {"name": "y"}}, "coefficients": [1]}`:                                         `link "probit"`,
	} {
		if s, err := Read(strings.NewReader(text)); err == nil || s != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", text, err, want)
		}
	}
	if _, err := Read(nil); err == nil {
		t.Error("nil is accepted")
	}
}
