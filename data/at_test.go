package data

import (
	"math"
	"path/filepath"
	"testing"
)

// The values at some rows are those of the whole column, nulls, levels and all, of files
// and of columns in memory.
func TestColumnAt(t *testing.T) {
	dir := t.TempDir()
	for i, n := range []int{3000, 1, 2500} {
		writeMixed(t, filepath.Join(dir, string(rune('a'+i))+".parquet"), n, uint64(i+1))
	}
	f := openFrame(t, dir)
	memory, err := Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range [][]int{nil, {0}, {2, 5, 2999, 3000, 3001, 5500}, {3500, 3501, 3600}} {
		for _, c := range memory.Columns {
			for _, of := range []*Frame{f, memory} {
				got, err := of.ColumnAt(t.Context(), nil, c.Name, rows)
				if err != nil {
					t.Fatal(err)
				}
				for k, r := range rows {
					same := got.IsNull(k) == c.IsNull(r)
					switch {
					case !same || c.IsNull(r):
					case c.Kind == Categorical:
						same = got.Text(k) == c.Text(r)
					default:
						same = got.Number[k] == c.Number[r] || math.IsNaN(c.Number[r])
					}
					if !same {
						t.Errorf("%s, row %d: null %v, want %v, or another value", c.Name, r, got.IsNull(k), c.IsNull(r))
					}
				}
			}
		}
	}
	if _, err := f.ColumnAt(t.Context(), nil, "none", nil); err == nil {
		t.Error("no error of a column that is not there")
	}
}
