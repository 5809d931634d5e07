package goldentest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// one is a thing of which there is one, in the plural. Numbers of which 1 is the last digit
// or group of digits are others.
var one = regexp.MustCompile(`(?m)(?:^|[^\d.,\-−\x{2009}/] ?)\b1 (?:more |other |training |hold-out |rare )?(?:rows|columns|groups|values|nulls filled|folds|models|levels|files|passes|gates|coefficients|candidates|laws|resamples|seconds)\b`)

// Nothing that commands and reports are recorded to say speaks of 1 rows.
func TestNothingSaysOneRows(t *testing.T) {
	for text, want := range map[string]bool{"1 rows": true, "of 1 other models": true, "(1 columns)": true, "1 row": false, "21 rows": false, "0.1 rows": false, "4\u20091 rows": false, "3 401 rows": false} {
		if one.MatchString(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
	root := filepath.Join("..", "..")
	read := 0
	for _, room := range []string{"cmd", "data/testdata", "data/propose", "docs", "eval", "export", "notebooks-go", "train"} {
		err := filepath.WalkDir(filepath.Join(root, room), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !slices.Contains([]string{".txt", ".md", ".html"}, filepath.Ext(path)) {
				return err
			}
			b, err := os.ReadFile(path)
			read++
			for line := range strings.Lines(string(b)) {
				if !strings.HasPrefix(line, "#") && one.MatchString(line) {
					t.Errorf("%s: %.200s", path, line)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < 50 {
		t.Errorf("%d texts are read", read)
	}
}
