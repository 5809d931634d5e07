package data

import (
	"os"
	"path/filepath"
	"testing"
)

// The first row with digits lost, or with text among numbers, of a table in parts is
// counted through all of them; a part without one says nothing.
func TestConcat_Rows(t *testing.T) {
	const large = "9007199254740993" // 2⁵³ + 1
	for name, c := range map[string]struct {
		parts               []string
		inexact, unexpected int
	}{
		"none":            {[]string{"a\n1\n2\n", "a\n3\n", "a\n4\n5\n"}, 0, 0},
		"the first part":  {[]string{"a\n1\n" + large + "\n", "a\n" + large + "\n", "a\n4\n5\n"}, 2, 0},
		"the second part": {[]string{"a\n1\n2\n", "a\n7\n" + large + "\n", "a\n" + large + "\n"}, 4, 0},
		"the last part":   {[]string{"a\n1\n2\n", "a\n3\n", "a\n4\n" + large + "\n"}, 5, 0},
	} {
		dir := t.TempDir()
		for i, text := range c.parts {
			if err := os.WriteFile(filepath.Join(dir, string(rune('1'+i))+".csv"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		f := readFrame(t, dir)
		if got := f.Columns[0]; got.InexactRow != c.inexact || got.UnexpectedRow != c.unexpected {
			t.Errorf("%s: rows %d and %d, want %d and %d", name, got.InexactRow, got.UnexpectedRow, c.inexact, c.unexpected)
		}
	}
}

// What each of several tables suggests is kept, and a reading follows it where nobody has said
// another thing.
func TestConcat_Remarks(t *testing.T) {
	dir := t.TempDir()
	for i, text := range []string{"a,b\n2024-05-17,1\n2024-05-18,2\n", "a,b\n2024-06-17,1\n2024-06-18,2\n"} {
		if err := os.WriteFile(filepath.Join(dir, string(rune('1'+i))+".csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := readFrame(t, dir)
	if len(f.Remarks) != 2 || filepath.Base(f.Remarks[0].Path) != "1.csv" || filepath.Base(f.Remarks[1].Path) != "2.csv" {
		t.Errorf("%v", f.Remarks)
	}
	for was, want := range map[string]string{"": "parts", "number": "number"} {
		if got := (Reading{Dates: was}).WithRemarks(f.Remarks); got.Dates != want {
			t.Errorf("dates %q become %q, not %q", was, got.Dates, want)
		}
	}
}
