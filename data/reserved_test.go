package data

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A directory or a pattern with two names of one file is refused, for its rows would count twice.
func TestOpen_LinkToOneOfTheFiles(t *testing.T) {
	for name, link := range map[string]func(from, to string) error{"symbolic": os.Symlink, "hard": os.Link} {
		dir := t.TempDir()
		file := filepath.Join(dir, "a.csv")
		if err := os.WriteFile(file, []byte("x,y\n1,2\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := link(file, filepath.Join(dir, "b.csv")); err != nil {
			t.Skip(err)
		}
		for _, path := range []string{dir, filepath.Join(dir, "*.csv")} {
			_, err := Read(t.Context(), path)
			if err == nil || !strings.Contains(err.Error(), "count twice") || !strings.Contains(err.Error(), "b.csv") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
