package data

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/data/fix"
)

// A slice of a table has its rows and no others, of every column, in memory and in a file.
func TestSlice_Rows(t *testing.T) {
	const n = 40
	number, text, null := make([]float64, n), make([]string, n), make([]bool, n)
	for i := range n {
		number[i], text[i] = float64(i)/2, fmt.Sprint("t", i%7)
		if null[i] = i%6 == 1; null[i] {
			number[i] = 0
		}
	}
	words, err := ColumnOf("text", text)
	if err != nil {
		t.Fatal(err)
	}
	columns := []Column{{Name: "number", Type: "double", Kind: Numeric, Number: number, Null: null}, words}
	memory := newFrame(t, columns...)
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := WriteTable(path, columns, true); err != nil {
		t.Fatal(err)
	}
	file := openFrame(t, path)
	defer file.Close()
	for _, f := range []*Frame{memory, file} {
		for _, r := range [][2]int{{0, n}, {0, 1}, {7, 19}, {n - 1, n}, {5, 5}} {
			part := f.Slice(r[0], r[1])
			if part.Rows != r[1]-r[0] || !slices.Equal(part.Names(), f.Names()) {
				t.Fatalf("%v: %d rows of %q", r, part.Rows, part.Names())
			}
			for _, name := range f.Names() {
				got, err := part.Column(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				whole, err := f.Column(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				for i := r[0]; i < r[1]; i++ {
					if got.Text(i-r[0]) != whole.Text(i) {
						t.Errorf("%v: row %d of %q is %q, not %q", r, i, name, got.Text(i-r[0]), whole.Text(i))
					}
				}
			}
		}
	}
}

// A row is told by its file and by its number in it, also of a part of the rows, and by its number
// alone where there is no file.
func TestWhere_RowsOfFiles(t *testing.T) {
	files := []Source{{Path: "a", Rows: 2}, {Path: "none", Rows: 0}, {Path: "b", Rows: 3}}
	f := &Frame{Rows: 5, Sources: files}
	for row, want := range []string{"a 1", "a 2", "b 1", "b 2", "b 3"} {
		if path, n := f.Where(row); fmt.Sprint(path, " ", n) != want {
			t.Errorf("row %d is row %d of %q, not %s", row, n, path, want)
		}
		for first := range row + 1 {
			if path, n := f.Slice(first, 5).Where(row - first); fmt.Sprint(path, " ", n) != want {
				t.Errorf("row %d from %d on is row %d of %q, not %s", row, first, n, path, want)
			}
		}
		if path, n := (&Frame{Rows: 5}).Where(row); path != "" || n != row+1 {
			t.Errorf("row %d of no file is row %d of %q", row, n, path)
		}
	}
	if got := f.FaultAt("x", 3, fix.Advice{}, "bad"); got.Path != "b" || got.Row != 2 {
		t.Errorf("%+v", got)
	}
	if got := f.FaultAt("x", -1, fix.Advice{}, "bad"); got.Path != f.Name() || got.Row != 0 {
		t.Errorf("%+v", got)
	}
}
