package frame

import (
	"math"
	"slices"
	"strings"
	"testing"
)

type place struct {
	Site string `data:"site"`
}

type person struct {
	place
	Pay    float64
	Age    *int8  `data:"age,omitempty"`
	Union  bool   `data:"union"`
	Ignore string `data:"-"`
	hidden int
	Big    uint64 `data:"big"`
}

func TestFromStructs(t *testing.T) {
	age := int8(-3)
	rows := []person{{place{"a"}, 10, nil, true, "x", 1, 1 << 60}, {place{"b"}, 11.5, &age, false, "y", 2, 1}, {place{"a"}, 12, nil, true, "z", 3, 2}}
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

func TestNewFrameRefuses(t *testing.T) {
	two := Column{Name: "two", Type: "double", Kind: Numeric, Number: []float64{1, 2}}
	for what, c := range map[string]Column{
		"name":   {Kind: Numeric, Number: []float64{1, 2}},
		"twice":  two,
		"length": {Name: "x", Kind: Numeric, Number: []float64{1}},
		"nulls":  {Name: "x", Kind: Numeric, Number: []float64{1, 2}, Null: []bool{true}},
		"kind":   {Name: "x"},
		"code":   {Name: "x", Kind: Categorical, Code: []int32{0, 1}, Level: []string{"a"}},
	} {
		if _, err := NewFrame(two, c); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}

func TestColumnOf(t *testing.T) {
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
}
