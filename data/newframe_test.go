package data

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/internal/datatest"
)

type place struct {
	Site string `drotrain:"site"`
}

type Firm struct {
	Name string
	Size int
}

type Years int

type person struct {
	place
	Pay    float64
	Age    *int8  `drotrain:"age,omitempty"`
	Union  bool   `drotrain:"union"`
	Ignore string `drotrain:"-"`
	hidden int
	Big    uint64 `drotrain:"big"`
}

func TestFromStructs_EqualsTheTable(t *testing.T) {
	age := int8(-3)
	rows := []person{{place{"a"}, 10, nil, true, "x", 1, 1 << 60}, {place{"b"}, 11.5, &age, false, "y", 2, 1},
		{place{"a"}, 12, nil, true, "z", 3, 2}}
	pointers := []*person{&rows[0], &rows[1], &rows[2]}
	byValue, err := FromStructs(rows)
	if err != nil {
		t.Fatal(err)
	}
	byPointer, err := FromStructs(pointers)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*Frame{byValue, byPointer} {
		if f.Rows != 3 || strings.Join(f.Names(), " ") != "site Pay age union big" {
			t.Fatalf("%d rows of %q", f.Rows, f.Names())
		}
		var cells []string
		for _, name := range f.Names() {
			c, err := f.Column(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			for i := range f.Rows {
				cells = append(cells, c.Text(i))
			}
			if name == "age" && (!c.IsNull(0) || c.IsNull(1) || !c.IsNull(2) || !c.Integer) {
				t.Errorf("nulls of age %v", c.Null)
			}
			if name == "big" && c.InexactRow != 0 {
				t.Errorf("2⁶⁰ is a float64, row %d", c.InexactRow)
			}
		}
		if want := "a b a 10 11.5 12  -3  true false true 1.152921504606847e+18 1 2"; strings.Join(cells, " ") != want {
			t.Errorf("cells %q", strings.Join(cells, " "))
		}
	}
	// What is embedded and no struct is a column of its own.
	years, err := FromStructs([]struct{ Years }{{7}, {9}})
	if err != nil || strings.Join(years.Names(), " ") != "Years" ||
		!slices.Equal(years.Columns[0].Number, []float64{7, 9}) {
		t.Errorf("%+v, %v", years, err)
	}
	if _, err := FromStructs([]struct{ Where place }{{}}); err == nil || !strings.Contains(err.Error(), "field Where") {
		t.Errorf("a struct that is not embedded: %v", err)
	}
	// A pointer that is embedded gives the fields of what it leads to, and nulls where it is nil.
	type worker struct {
		*Firm
		Pay float64
	}
	f, err := FromStructs([]worker{{nil, 1}, {&Firm{"a", 7}, 2}, {nil, 3}})
	if err != nil || strings.Join(f.Names(), " ") != "Pay Name Size" && strings.Join(f.Names(), " ") != "Name Size Pay" {
		t.Fatal(f, err)
	}
	for name, want := range map[string][]string{"Pay": {"1", "2", "3"}, "Name": {"", "a", ""}, "Size": {"", "7", ""}} {
		c, err := f.Column(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range want {
			if c.Text(i) != text || c.IsNull(i) != (text == "") {
				t.Errorf("%s of row %d: %q", name, i, c.Text(i))
			}
		}
	}
	if _, err := FromStructs([]*person{nil}); err == nil {
		t.Error("a nil row")
	}
	if _, err := FromStructs([]int{1}); err == nil {
		t.Error("rows that are no structs")
	}
	if _, err := FromStructs([]struct{ C complex128 }{{1}}); err == nil || !strings.Contains(err.Error(), "complex128") {
		t.Error(err)
	}
}

func TestNewFrame_Refusals(t *testing.T) {
	two := Column{Name: "two", Type: "double", Kind: Numeric, Number: []float64{1, 2}}
	for what, c := range map[string]Column{
		"column 2 has no name":              {Kind: Numeric, Number: []float64{1, 2}},
		"two columns have this name":        two,
		"has 1 rows, but the others have 2": {Name: "x", Kind: Numeric, Number: []float64{1}},
		"has 2 rows, but Null has 1 entries": {Name: "x", Kind: Numeric, Number: []float64{1, 2},
			Null: []bool{true}},
		"the column has no values": {Name: "x", Number: []float64{1, 2}},
		"row 2 has the code 1, but the column has only 1 levels": {Name: "x", Kind: Categorical, Code: []int32{0, 1},
			Level: []string{"a"}},
		"row 1 has the code -1, but the column has only 1 levels": {Name: "x", Kind: Categorical, Code: []int32{-1, 0},
			Level: []string{"a"}, Null: []bool{false, true}},
	} {
		_, err := NewFrame(two, c)
		datatest.WantError(t, err, what)
	}
}

func TestColumnOf_PerType(t *testing.T) {
	c, err := ColumnOf("x", []float32{1.5, float32(math.Inf(1))})
	if err != nil || c.Kind != Numeric || !slices.Equal(c.Number, []float64{1.5, math.Inf(1)}) {
		t.Errorf("%+v %v", c, err)
	}
	if c, err := ColumnOf("x", []int64{1, 1<<60 + 1}); err != nil || c.InexactRow != 2 {
		t.Errorf("%+v %v", c, err)
	}
	if _, err := ColumnOf("x", []any{1}); err == nil {
		t.Error("values of any type")
	}
	// Nulls have no code and no number, wherever they are; what has none has no marks.
	a, b, seven, yes := "a", "b", 7.5, true
	if c, err := ColumnOf("x", []*string{nil, &b, nil, &a, &b}); err != nil ||
		!slices.Equal(c.Code, []int32{-1, 0, -1, 1, 0}) || !slices.Equal(c.Level, []string{"b", "a"}) ||
		!slices.Equal(c.Null, []bool{true, false, true, false, false}) || c.Kind != Categorical {
		t.Errorf("%+v %v", c, err)
	}
	if c, err := ColumnOf("x", []*float64{&seven, &seven, nil, nil}); err != nil ||
		!slices.Equal(c.Number, []float64{7.5, 7.5, 0, 0}) || !slices.Equal(c.Null, []bool{false, false, true, true}) ||
		c.Integer {
		t.Errorf("%+v %v", c, err)
	}
	if c, err := ColumnOf("x", []*bool{nil, &yes}); err != nil || c.Kind != Bool ||
		!slices.Equal(c.Number, []float64{0, 1}) || !slices.Equal(c.Null, []bool{true, false}) {
		t.Errorf("%+v %v", c, err)
	}
	if c, err := ColumnOf("x", []uint8{3, 255}); err != nil || c.Null != nil || !c.Integer || c.InexactRow != 0 {
		t.Errorf("%+v %v", c, err)
	}
	// The first integer that a float64 does not hold is told, at both ends of the range.
	for row, v := range map[int][]int64{0: {math.MinInt64, 1 << 62, -1 << 53}, 3: {0, math.MinInt64, math.MaxInt64},
		1: {1<<53 + 1, math.MaxInt64}} {
		if c, err := ColumnOf("x", v); err != nil || c.InexactRow != row {
			t.Errorf("row %d of %d: %v", c.InexactRow, v, err)
		}
	}
	for row, v := range map[int][]uint64{0: {1 << 63, 0}, 2: {1 << 63, math.MaxUint64}, 1: {1<<63 + 1}} {
		if c, err := ColumnOf("x", v); err != nil || c.InexactRow != row {
			t.Errorf("row %d of %d: %v", c.InexactRow, v, err)
		}
	}
}
