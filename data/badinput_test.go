package data

import (
	"path/filepath"
	"strings"
	"testing"
)

// A column without a name has one that options and models can hold, in Parquet as in text.
func TestRead_EmptyNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	y := Column{Name: "y", Kind: Numeric, Number: []float64{1, 2, 4}}
	x := Column{Name: "", Kind: Numeric, Number: []float64{3, 5, 4}}
	if err := WriteTable(path, []Column{y, x}, false); err != nil {
		t.Fatal(err)
	}
	f := readFrame(t, path)
	for _, f := range []*Frame{f, frameOf(t, "y,\n1,3\n2,5\n4,4\n")} {
		if got := strings.Join(f.Names(), " "); got != "y column_2" || len(f.Notes) != 1 {
			t.Errorf("%s; %q", got, f.Notes)
		}
		c, err := f.Lookup("column_2")
		if err == nil {
			c, err = c.Load(t.Context())
		}
		if err != nil || c.Number[1] != 5 {
			t.Errorf("%v, %v", c, err)
		}
	}
	f.Close()
}
