package data

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/drotrain/drotrain/data/internal/datatest"
)

func TestWriteTable_ReadBack(t *testing.T) {
	null := []bool{false, true, false, false}
	cols := []Column{
		{Name: "x", Kind: Numeric, Number: []float64{1.5, math.Pi, -1e-300, 1e300}},
		{Name: "nulls", Kind: Numeric, Number: []float64{1.5, 0, 2, 3}, Null: null},
		{Name: "i32", Kind: Numeric, Type: "int32", Number: []float64{math.MinInt32, 0, 1, math.MaxInt32}},
		{Name: "i64", Kind: Numeric, Type: "int64", Number: []float64{-1 << 53, 0, 1, 1 << 53}},
		{Name: "b", Kind: Bool, Number: []float64{1, 0, 0, 1}, Null: null},
		{Name: "s, \"t\"", Kind: Categorical, Level: []string{"a,b", "c\"d", "é\n"}, Code: []int32{0, -1, 1, 2}, Null: null},
	}
	want := map[string][]any{
		"x": {1.5, math.Pi, -1e-300, 1e300}, "nulls": {1.5, nil, 2.0, 3.0}, "i32": {-2147483648.0, 0.0, 1.0, 2147483647.0},
		"i64": {-9007199254740992.0, 0.0, 1.0, 9007199254740992.0}, "b": {true, nil, false, true},
		"s, \"t\"": {"a,b", nil, "c\"d", "é\n"},
	}
	dir := t.TempDir()
	for _, name := range []string{"t.parquet", "t.csv", "t.tsv"} {
		if name != "t.parquet" { // reading CSV trims spaces and line ends around text
			cols[5].Level[2], want["s, \"t\""][3] = "é", "é"
		}
		path := filepath.Join(dir, name)
		if err := WriteTable(path, cols, false); err != nil {
			t.Fatal(err)
		}
		f := readFrame(t, path)
		if d := differs(f, want); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if err := WriteTable(path, cols, false); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: overwritten: %v", name, err)
		}
		if err := WriteTable(path, cols, true); err != nil {
			t.Error(err)
		}
	}
	for name, bad := range map[string][]Column{
		"none":   nil,
		"twice":  {cols[0], cols[0]},
		"length": {cols[0], {Name: "y", Kind: Numeric, Number: []float64{1}}},
		"other":  {{Name: "y"}},
		"int":    {{Name: "y", Kind: Numeric, Type: "int32", Number: []float64{0.5}}},
		"code":   {{Name: "y", Kind: Categorical, Code: []int32{3}, Level: []string{"a"}}},
	} {
		path := filepath.Join(dir, name+".parquet")
		if err := WriteTable(path, bad, false); err == nil {
			t.Errorf("%s: written", name)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: a file was left", name)
		}
	}
	if err := WriteTable(filepath.Join(dir, "t.xlsx"), cols, false); err == nil {
		t.Error("an unknown extension passes")
	}
	datatest.WantError(t, WriteTable(filepath.Join(dir, "no", "t.csv"), cols, false), filepath.Join(dir, "no", "t.csv"))
}

// A code without a level is refused on either side of the levels; a null may have one.
func TestWriteTable_CodeWithoutLevel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	for _, code := range []int32{-1, 1, 7} {
		c := Column{Name: "s", Kind: Categorical, Level: []string{"a"}, Code: []int32{0, code}}
		datatest.WantError(t, WriteTable(path, []Column{c}, true), "row 2", "code without a level")
		c.Null = []bool{false, true}
		if err := WriteTable(path, []Column{c}, true); err != nil {
			t.Errorf("a null of code %d: %v", code, err)
		}
	}
}
