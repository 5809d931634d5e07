package data

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// Columns that are copied keep every digit: through our writer and back, from
// several files, and from IPC as from Parquet.
func TestExact_NumbersAreTheSameInEveryFormat(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	big := []int64{1<<60 + 1, -1<<62 - 3, 0, math.MaxInt64, 7}
	null := []bool{false, false, true, false, false}
	number := make([]float64, len(big))
	for i, v := range big {
		number[i] = float64(v)
	}
	cols := []Column{
		{Name: "id", Kind: Numeric, Type: "int64", Number: number, Int: big},
		{Name: "some", Kind: Numeric, Type: "int64", Number: number, Int: big, Null: null},
		{Name: "u", Kind: Numeric, Type: "uint64", Number: number, Int: []int64{-1, -2, 3, 4, 5}},
		{Name: "i8", Kind: Numeric, Type: "int8", Number: []float64{-128, 127, 0, 1, 2}},
		{Name: "u32", Kind: Numeric, Type: "uint32", Number: []float64{0, math.MaxUint32, 0, 1, 2}},
		{Name: "f32", Kind: Numeric, Type: "float32", Number: []float64{0.5, 1, 2, 3, 4}},
	}
	for _, name := range []string{"a.parquet", "b.parquet"} {
		if err := WriteTable(filepath.Join(dir, name), cols, false); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{filepath.Join(dir, "a.parquet"), dir} {
		f := openFrame(t, path)
		got, err := exactRows(ctx, f, []string{"u", "some", "id", "i8", "u32", "f32"})
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Rows {
			for _, c := range got {
				var want *Column
				for k := range cols {
					if cols[k].Name == c.Name {
						want = &cols[k]
					}
				}
				j := i % len(big)
				if c.Type != want.Type || c.Text(i) != want.Text(j) || c.IsNull(i) != want.IsNull(j) {
					t.Errorf("%s, %s, row %d: %s %s, want %s %s", path, c.Name, i+1, c.Type, c.Text(i), want.Type, want.Text(j))
				}
			}
		}
		f.Close()
	}
	// Those of several files in the other format too, one after the other.
	arrow := testdataFile(t, "pyarrow.arrow")
	two := t.TempDir()
	for _, name := range []string{"a.arrow", "b.arrow"} {
		if err := os.WriteFile(filepath.Join(two, name), arrow, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	once := openFrame(t, filepath.Join(two, "a.arrow"))
	twice := openFrame(t, two)
	one, err := exactRows(ctx, once, []string{"i64", "u64"})
	if err != nil {
		t.Fatal(err)
	}
	both, err := exactRows(ctx, twice, []string{"i64", "u64"})
	if err != nil {
		t.Fatal(err)
	}
	for k, c := range both {
		if c.Int == nil || len(c.Int) != 2*once.Rows {
			t.Fatalf("%s of two files: %d integers of %d", c.Name, len(c.Int), 2*once.Rows)
		}
		for i := range c.Int {
			if c.Int[i] != one[k].Int[i%once.Rows] {
				t.Errorf("%s, row %d: %d, not %d", c.Name, i+1, c.Int[i], one[k].Int[i%once.Rows])
			}
		}
	}
	// The integers of a table by pyarrow are the same in both formats.
	var texts [2][]string
	for k, name := range []string{"pyarrow_zstd.parquet", "pyarrow.arrow"} {
		f := openFrame(t, filepath.Join("testdata", name))
		got, err := exactRows(ctx, f, []string{"i64", "u64"})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range got {
			if c.Int == nil {
				t.Errorf("%s: %s has no integers", name, c.Name)
			}
			for i := range f.Rows {
				texts[k] = append(texts[k], c.Text(i))
			}
		}
		f.Close()
	}
	for i := range texts[0] {
		if texts[0][i] != texts[1][i] {
			t.Errorf("value %d: %s in Parquet, %s in IPC", i, texts[0][i], texts[1][i])
		}
	}
}

// Texts of CSV are copied character for character; numbers that we would write
// alike stay numbers.
func TestExact_CSV(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte("zip,n,id,b, s\n00123,1,9007199254740993,true,\" a \"\n04567,2,12,false,NA\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	f := openFrame(t, path)
	defer f.Close()
	got, err := exactRows(ctx, f, []string{"zip", "n", "id", "b", "s"})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"00123", "04567"}, {"1", "2"}, {"9007199254740993", "12"}, {"true", "false"}, {" a ", "NA"}}
	kinds := []Kind{Categorical, Numeric, Categorical, Bool, Categorical}
	for i, c := range got {
		for r, w := range want[i] {
			if c.Text(r) != w || c.Kind != kinds[i] {
				t.Errorf("%s, row %d: %v %q, want %v %q", c.Name, r+1, c.Kind, c.Text(r), kinds[i], w)
			}
		}
	}
}
