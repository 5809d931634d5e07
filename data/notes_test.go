package data

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A remark on a column that is not used is no note, however many files the table has.
func TestNotesOn_UnusedColumnOfSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.csv", "b.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("zip,x\n00001,1\n00002,2\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, files := range map[string]int{filepath.Join(dir, "a.csv"): 1, dir: 2} {
		f := openFrame(t, path)
		defer f.Close()
		notes := f.NotesOn(func(string) bool { return true })
		if len(notes) != files || !strings.Contains(notes[0], "leading zeros") {
			t.Errorf("%s: notes on all columns: %q", path, notes)
		}
		if notes := f.NotesOn(func(column string) bool { return column != "zip" }); len(notes) != 0 {
			t.Errorf("%s: notes without the column: %q", path, notes)
		}
	}
}
