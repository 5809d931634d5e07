package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// If a gate fails or cannot be checked, the file of --against stays unchanged, and the metrics and the JUnit file are
// written nevertheless.
func TestEvalGates_FailureKeepsReferenceAndWritesFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	in := func(name string) string { return filepath.Join(dir, name) }
	read := func(name string) string {
		t.Helper()
		b, err := os.ReadFile(in(name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var rows strings.Builder
	rows.WriteString("y,x,g\n")
	for i := range 400 {
		rows.WriteString([]string{"yes,1,a\n", "no,0,b\n", "yes,0,a\n", "no,1,b\n", "no,0,a\n", "yes,1,b\n"}[i%6])
	}
	if err := os.WriteFile(in("t.csv"), []byte(rows.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in("renamed.csv"), []byte(strings.Replace(rows.String(), ",x,", ",z,", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(want int, args ...string) {
		t.Helper()
		if code, _, errs := try(t.Context(), args...); code != want {
			t.Fatalf("%q: exit code %d, not %d: %s", args, code, want, errs)
		}
	}
	run(0, "train", "--data", "t.csv", "--target", "y", "--groups", "g", "--average", "plain", "--report", "fast", "--out",
		"m", "--quiet")
	run(0, "eval", "--model", "m", "--data", "t.csv", "--out", "ref.json", "--quiet")
	before := read("ref.json")
	for _, c := range []struct {
		data, gate string
		code       int
		message    string
	}{
		{"t.csv", "risk > 0.01", 4, "fails if"},
		{"t.csv", "group[nowhere].risk > 0.9", 4, "no group is called"},
		{"t.csv", "accuracy < 0", 2, "never fail"},
		{"t.csv", "acuracy < 0.5", 2, "acuracy"},
		{"renamed.csv", "risk > 5", 4, "there is no column"},
	} {
		run(c.code, "eval", "--model", "m", "--data", c.data, "--against", "ref.json", "--fail-if", c.gate, "--out",
			"ref.json,gates.xml", "--force", "--quiet")
		if read("ref.json") != before {
			t.Fatalf("%s: the reference was replaced", c.gate)
		}
		for _, name := range []string{"gates.xml", "ref.failed.json"} {
			if s := read(name); !strings.Contains(s, c.message) || !strings.Contains(s, "fail") {
				t.Errorf("%s: %s has %s", c.gate, name, s)
			}
			os.Remove(in(name))
		}
	}
	run(0, "eval", "--model", "m", "--data", "t.csv", "--against", "ref.json", "--fail-if", "risk > 5", "--out",
		"ref.json", "--force", "--quiet")
	if read("ref.json") == before {
		t.Error("a run that passed did not replace the reference")
	}
	// The groups of the training are no new groups.
	if code, _, errs := try(t.Context(), "eval", "--model", "m", "--data", "t.csv", "--groups", "g", "--strict", "--out",
		"g2.xml"); code != 0 || strings.Contains(errs, "groups unseen in training") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}
