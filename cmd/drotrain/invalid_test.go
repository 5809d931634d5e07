package main

import (
	"os"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
)

// By default a row that cannot be scored is an error that names the option; with it the other rows are scored.
func TestPredict_InvalidRows(t *testing.T) {
	t.Chdir(t.TempDir())
	table := "x,y\n" + strings.Repeat("1.5,1\n0.5,0\n2,1\n0.2,0\n1,1\n1.1,0\n", 10)
	for name, text := range map[string]string{"t.csv": table, "new.csv": "x\n1\n\"\"\n2\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, _, stderr := try(t.Context(), "train", "--data", "t.csv", "--target", "y", "--out", "m", "--report", "none", "--quiet"); code != exit.OK {
		t.Fatal(stderr)
	}
	predict := []string{"predict", "--model", "m", "--data", "new.csv", "--out", "-"}
	if code, _, stderr := try(t.Context(), predict...); code == exit.OK || !strings.Contains(stderr, "--invalid null") {
		t.Errorf("exit code %d, and the error does not name the option:\n%s", code, stderr)
	}
	code, stdout, stderr := try(t.Context(), append(predict, "--invalid", "null")...)
	lines := strings.Split(stdout, "\n")
	if code != exit.OK || len(lines) != 5 || !strings.HasPrefix(lines[2], `2,,,"column ""x""`) || strings.HasPrefix(lines[3], "3,,") {
		t.Errorf("exit code %d:\n%s%s", code, stdout, stderr)
	}
	if !strings.Contains(stderr, "1 of 3 rows could not be scored") {
		t.Errorf("no warning of the rows that were not scored:\n%s", stderr)
	}
}
