package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/internal/printable"
)

// payTable returns a small table of numbers. Its names contain an escape sequence, a C1 control character and a
// bidirectional override.
func payTable(pay, age, site, level string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s,%s,%s\n", pay, age, site)
	for i := range 120 {
		l := "a"
		if i%3 == 0 {
			l = level
		}
		fmt.Fprintf(&b, "%d,%d,%s\n", 2*(20+i*11%37)+i*7%13, 20+i*11%37, l)
	}
	return b.String()
}

// contents returns the contents of a file.
func contents(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// put writes a file, and creates its directory if necessary.
func put(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// No option makes a command overwrite its input, even under a different name.
func TestOutputs_NeverOverwriteInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	table := payTable("pay", "age", "site", "b")
	put(t, "pay.csv", table)
	put(t, "c.yaml", "target: pay\nquiet: true\n")
	for _, command := range []string{
		"train --data pay.csv --target pay --groups site --out m --quiet --allow-degenerate",
		"predict --model m --data pay.csv --keep pay,site --out preds.csv --quiet",
	} {
		if code, _, stderr := try(t.Context(), strings.Fields(command)...); code != exit.OK {
			t.Fatalf("%s: %d\n%s", command, code, stderr)
		}
	}
	model := contents(t, "m/model.json")
	preds := contents(t, "preds.csv")
	for i, c := range []struct {
		args     string
		at, from string // a link made at, of an input
	}{
		{"predict --model m --data pay.csv --out pay.csv --force", "", ""},
		{"predict --model m --data pay.csv --out ./m/../pay.csv --force", "", ""},
		{"predict --model m --data pay.csv --out link.csv --force", "link.csv", "pay.csv"},
		{"eval --model m --data pay.csv --resamples 0 --out m/model.json --force", "", ""},
		{"eval --model m --data pay.csv --resamples 0 --out e.json --force", "e.json", "m/model.json"},
		{"eval --model m --data pay.csv --resamples 0 --out m/model.json --force", "", ""},
		{"eval --model m --data pay.csv --resamples 0 --format json --out d --force", "d/report.json", "pay.csv"},
		{"eval --predictions preds.csv --target pay --score prediction --resamples 0 --out a.json --force", "a.json",
			"preds.csv"},
		{"export --model m --format csv --out m/model.json --force", "", ""},
		{"train --data pay.csv --target pay --out o --force", "o/model.json", "pay.csv"},
		{"train --data pay.csv --target pay --out o --force", "o/report.html", "pay.csv"},
		{"train --data pay.csv --config c.yaml --out o --force", "o/metrics.json", "c.yaml"},
	} {
		for _, link := range []func(string, string) error{os.Symlink, os.Link} {
			if c.at != "" {
				os.Remove(c.at)
				if err := os.MkdirAll(filepath.Dir(c.at), 0o777); err != nil {
					t.Fatal(err)
				}
				from, err := filepath.Abs(c.from)
				if err == nil {
					err = link(from, c.at)
				}
				if err != nil {
					t.Skip(err)
				}
			}
			code, _, stderr := try(t.Context(), strings.Fields(c.args)...)
			if code != exit.Failed || !strings.Contains(stderr, "is an input of this command and is never overwritten") {
				t.Errorf("%d, %s: code %d\n%s", i, c.args, code, stderr)
			}
			if strings.Contains(stderr, "robust") {
				t.Errorf("%s: refused after the training", c.args)
			}
			os.Remove(c.at)
		}
	}
	for name, want := range map[string]string{"pay.csv": table, "m/model.json": string(model), "preds.csv": string(preds),
		"c.yaml": "target: pay\nquiet: true\n"} {
		if b, err := os.ReadFile(name); err != nil || string(b) != want {
			t.Errorf("%s was changed: %v", name, err)
		}
	}
}

// Names of columns, levels and files are escaped on a terminal and unchanged in JSON.
func TestOutput_NamesCannotControlTerminal(t *testing.T) {
	t.Chdir(t.TempDir())
	age, site, level := "age\x1b[2J\u202e", "si\u0085te", "l\x1b]0;title\x07\u2066"
	put(t, "pay.csv", payTable("pay", age, site, level))
	for _, args := range [][]string{
		{"inspect", "pay.csv"},
		{"inspect", "pay.csv", "--json"},
		{"train", "--data", "pay.csv", "--target", "pay", "--groups", site, "--out", "m", "--min-group-size", "1"},
		{"train", "--data", "pay.csv", "--target", "pay", "--groups", site, "--out", "m", "--force", "--json"},
		{"inspect", "m/model.json"},
		{"eval", "--model", "m", "--data", "pay.csv", "--resamples", "0"},
		{"predict", "--model", "m", "--data", "pay.csv", "--keep", age, "--out", "p.csv"},
		{"train", "--data", "pay.csv", "--target", age + "x", "--out", "n"},
		{"eval", "--model", "m", "--data", "no\x1b[2Jsuch.csv"},
		{"eval", "--model", "m", "--data", "pay.csv", "--resamples", "0", "--out", "r\x1b[1m.html"},
	} {
		_, stdout, stderr := try(t.Context(), args...)
		for _, s := range []string{stdout, stderr} {
			if i := strings.IndexFunc(s, func(r rune) bool { return r != '\n' && r != '\t' && printable.IsHidden(r) }); i >= 0 {
				t.Errorf("drotrain %q printed %q", args, s[max(0, i-20):min(len(s), i+20)])
			}
		}
	}
	_, stdout, _ := try(t.Context(), "inspect", "pay.csv", "--json")
	var info tableInfo
	if err := json.Unmarshal([]byte(stdout), &info); err != nil {
		t.Fatal(err)
	}
	if info.Columns[1].Name != age || info.Columns[2].Name != site {
		t.Errorf("columns %q and %q", info.Columns[1].Name, info.Columns[2].Name)
	}
}

// A model file may come from somebody else: eval opens the training table only if the table is in the folder of the
// model or is named by the user.
func TestEval_OpensNoForeignTable(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "elsewhere/pay.csv", payTable("pay", "age", "site", "b"))
	put(t, "m/pay.csv", payTable("pay", "age", "site", "b"))
	run := func(code int, args ...string) string {
		t.Helper()
		got, stdout, stderr := try(t.Context(), args...)
		if got != code {
			t.Errorf("drotrain %q: exit code %d, want %d\n%s", args, got, code, stderr)
		}
		return stdout + stderr
	}
	run(exit.OK, "train", "--data", "elsewhere/pay.csv", "--target", "pay", "--average", "plain", "--out", "far",
		"--quiet")
	run(exit.OK, "train", "--data", "m/pay.csv", "--target", "pay", "--average", "plain", "--out", "m", "--force",
		"--quiet")
	for _, model := range []string{"far", "far/model.json"} {
		says := run(exit.Usage, "eval", "--model", model, "--resamples", "0", "--out", "r.html")
		if !strings.Contains(says, "elsewhere/pay.csv is not in the folder of the model") ||
			!strings.Contains(says, "--trained-on elsewhere/pay.csv") {
			t.Errorf("says %q", says)
		}
	}
	says := run(exit.OK, "eval", "--model", "far", "--resamples", "0", "--trained-on", "elsewhere/pay.csv", "--out",
		"far.html", "--quiet")
	if !strings.Contains(says, "Measured out of fold (120 rows)") {
		t.Errorf("says %q", says)
	}
	run(exit.OK, "eval", "--model", "m/model.json", "--resamples", "0", "--out", "m.html", "--quiet")
	if err := os.Symlink("../elsewhere", "m/link"); err == nil { // a way out of the folder
		raw := contents(t, "m/model.json")
		put(t, "m/model.json", strings.ReplaceAll(string(raw), "m/pay.csv", "m/link/pay.csv"))
		run(exit.Usage, "eval", "--model", "m", "--resamples", "0", "--out", "n.html")
	}
}

// With --csv-safe, no cell of a CSV file is run as a formula; without it, text is unchanged.
func TestCSV_CellsAreNoFormulas(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "pay.csv", payTable("pay", "-age", "@site", "=1+1"))
	for _, args := range [][]string{
		{"train", "--data", "pay.csv", "--target", "pay", "--average", "plain", "--out", "m", "--quiet"},
		{"predict", "--model", "m", "--data", "pay.csv", "--keep=-age,@site", "--out", "plain.csv", "--quiet"},
		{"predict", "--model", "m", "--data", "pay.csv", "--keep=-age,@site", "--out", "safe.csv", "--csv-safe", "--quiet"},
	} {
		if code, _, stderr := try(t.Context(), args...); code != exit.OK {
			t.Fatalf("drotrain %q: %d %s", args, code, stderr)
		}
	}
	plain := contents(t, "plain.csv")
	safe := contents(t, "safe.csv")
	if !strings.HasPrefix(string(plain), "row,-age,@site,prediction\n1,20,=1+1,") {
		t.Errorf("plain: %.60q", plain)
	}
	if !strings.HasPrefix(string(safe), "row,'-age,'@site,prediction\n1,20,'=1+1,") {
		t.Errorf("safe: %.60q", safe)
	}
	if strings.ReplaceAll(string(safe), "'", "") != string(plain) {
		t.Error("--csv-safe changes more than it adds")
	}
	for safe, want := range map[string]string{"true": "\n'-age,'-age,numeric,", "false": "\n-age,-age,numeric,"} {
		if code, _, stderr := try(t.Context(), "export", "--model", "m", "--out", safe+".csv",
			"--csv-safe="+safe); code != exit.OK {
			t.Fatal(stderr)
		}
		if b, err := os.ReadFile(safe + ".csv"); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("--csv-safe=%s: %v\n%s", safe, err, b)
		}
	}
	if code, _, stderr := try(t.Context(), "export", "--model", "m", "--out", "default.csv"); code != exit.OK {
		t.Fatal(stderr)
	}
	if b, err := os.ReadFile("default.csv"); err != nil || !strings.Contains(string(b), "\n'-age,'-age,") {
		t.Errorf("by default: %v\n%s", err, b)
	}
}

// Only one run can use a directory at a time, whether or not the directory existed before, and under any name.
func TestOutputDirectory_IsLockedByOneRun(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Symlink(".", "here"); err != nil {
		t.Skip(err)
	}
	put(t, "old/x", "")
	a := &app{stdout: os.Stdout, stderr: os.Stderr}
	for _, names := range [][2]string{{"new", "here/new"}, {"old", "here/here/old"}, {"a/b/c", "./a/./b/c/"}} {
		first, err := a.inputs.OpenDir(names[0], true)
		if err != nil {
			t.Fatal(err)
		}
		code, _, stderr := try(t.Context(), "train", "--out", names[1], "--force")
		if code != exit.Failed || !strings.Contains(stderr, "another run is writing to this directory") ||
			strings.Contains(stderr, "ERM") {
			t.Errorf("%s beside %s: %d %s", names[1], names[0], code, stderr)
		}
		first.Close()
		second, err := a.inputs.OpenDir(names[1], true)
		if err != nil {
			t.Errorf("%s after %s: %v", names[1], names[0], err)
			continue
		}
		second.Close()
	}
	if _, err := os.Stat("new"); err == nil {
		t.Error("a directory without files was made")
	}
}

// A line break in the name of a target is escaped wherever the name is printed.
func TestTargetName_LineBreak(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "pay.csv", payTable("\"pay\nCertified: yes\"", "age", "site", "a"))
	target := "pay\nCertified: yes"
	for _, args := range [][]string{
		{"train", "--data", "pay.csv", "--target", target, "--average", "plain", "--report", "none", "--out", "m"},
		{"inspect", "m"},
		{"eval", "--model", "m", "--data", "pay.csv", "--resamples", "0", "--out", "e.json"},
		{"inspect", "e.json"},
	} {
		code, stdout, stderr := try(t.Context(), args...)
		if code != exit.OK || strings.Contains(stdout+stderr, "\nCertified: yes") || !strings.Contains(stdout+stderr,
			`pay\u000aCertified: yes`) {
			t.Errorf("drotrain %q: %d\n%s%s", args, code, stdout, stderr)
		}
	}
}
