package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
)

// writeLeak writes a table in which the column leak reveals the target, with dates and decimal commas.
func writeLeak(t *testing.T) {
	t.Helper()
	var b strings.Builder
	b.WriteString("y;a;leak;g;when\n")
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		y := i * 7919 % 2
		fmt.Fprintf(&b, "%d;%s;%d,%d;%c;2024-%02d-01\n", y,
			strings.Replace(fmt.Sprintf("%.4f", r.NormFloat64()+float64(y)), ".", ",", 1), 3*y, i%10, 'p'+rune(i%3), 1+i%12)
	}
	put(t, "t.csv", b.String())
}

// Warnings are printed last, on stderr and in JSON, also with --quiet.
func TestWarnings_QuietAndJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	writeLeak(t)
	const leak = `column "leak": possible leakage: the column alone`
	train := []string{"train", "--data", "t.csv", "--target", "y", "--groups", "g", "--drop", "when", "--decimal", ",",
		"--nu", "1", "--report", "fast", "--force"}
	for _, quiet := range []bool{false, true} {
		args := train
		if quiet {
			args = append(args, "--quiet")
		}
		code, _, stderr := try(t.Context(), args...)
		lines := strings.Split(strings.TrimSpace(stderr), "\n")
		if last := lines[len(lines)-1]; code != exit.OK || !strings.Contains(stderr, "drotrain: warning: "+leak) ||
			!strings.HasPrefix(last, "drotrain: warning: ") || strings.Contains(stderr, "note: warning") {
			t.Errorf("%d, quiet %v:\n%s", code, quiet, stderr)
		}
		if quiet && strings.Contains(stderr, "note:") {
			t.Errorf("notes:\n%s", stderr)
		}
	}
	code, stdout, _ := try(t.Context(), append(train, "--quiet", "--json")...)
	var got struct {
		Warnings, Notes []string
		Verdict         struct{ Outcome string }
		Measured        struct {
			Split  string
			Rows   int
			Models []struct {
				Name       string
				WorstGroup struct {
					Group string
					Risk  float64
				} `json:"worst_group"`
				Measures struct{ Values map[string]float64 } `json:"worst_group_measures"`
			}
		}
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != exit.OK {
		t.Fatal(err, code)
	}
	if len(got.Warnings) == 0 || !strings.HasPrefix(got.Warnings[0], leak) ||
		strings.Contains(strings.Join(got.Notes, ""), leak) {
		t.Errorf("%q, %q", got.Warnings, got.Notes)
	}
	m := got.Measured
	if got.Verdict.Outcome == "" || m.Split != "hold-out" || m.Rows != 60 || len(m.Models) < 2 ||
		m.Models[1].WorstGroup.Group == "" || !(m.Models[1].WorstGroup.Risk > 0) ||
		!(m.Models[1].Measures.Values["accuracy"] > 0) {
		t.Errorf("%+v", got)
	}
	if _, _, stderr := try(t.Context(), "eval", "--model", "drotrain-out", "--data", "t.csv",
		"--quiet"); !strings.Contains(stderr, "rows equal a training row in every encoded feature") {
		t.Errorf("eval: %s", stderr)
	}
}

// Commands that only write files print nothing with --quiet.
func TestQuiet_CommandsThatOnlyWrite(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "train.csv", "x,y\n"+strings.Repeat("0.25,a\n0.5,a\n0.75,a\n0.5,b\n0.75,b\n1,b\n1,b\n0.25,a\n", 10))
	put(t, "new.csv", "x\n0.3\n0.6\n0.8\n")
	mustRun(t, "train --data train.csv --target y --nu 1 --holdout 0 --report none --quiet --out m")
	for _, command := range []string{"predict --model m --data new.csv --out p.csv", "export --model m --out m.sql"} {
		for option, silent := range map[string]bool{" --force": false, " --force --quiet": true} {
			stdout, stderr := mustRun(t, command+option)
			if silent != (stdout+stderr == "") {
				t.Errorf("%s: %q, %q", command+option, stdout, stderr)
			}
		}
	}
}

// A reading option of predict replaces only that option of the training run.
func TestPredict_KeepsReadingOfTraining(t *testing.T) {
	t.Chdir(t.TempDir())
	writeLeak(t)
	if code, _, stderr := try(t.Context(), "train", "--data", "t.csv", "--target", "y", "--decimal", ",", "--dates",
		"parts", "--nu", "1", "--report", "none", "--quiet"); code != exit.OK {
		t.Fatal(stderr)
	}
	if code, stdout, stderr := try(t.Context(), "predict", "--model", "drotrain-out", "--data", "t.csv", "--na", "?",
		"--out", "p.csv", "--quiet"); code != exit.OK || stdout != "" {
		t.Error(stderr)
	}
}

// Options that have no effect together with others are refused before the table is read.
func TestOptions_WithoutEffect(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ args, want string }{
		{"--penalty chi2", "--penalty chi2 has no effect"},
		{"--penalty kl", "--penalty kl has no effect"},
		{"--penalty chi2 --protect 0.1", "--penalty chi2 has no effect"},
		{"--adversary rows", "--adversary rows has no effect"},
		{"--huber-delta 2", "--loss huber:2"},
		{"--loss squared:2", "this loss has no parameter"},
		{"--spline age:4", "COLUMN:spline4"},
		{"--log age", "--transform COLUMN:log"},
		{"--square age", "COLUMN:square"},
		{"--transform age:cube", "COLUMN:spline4"},
		{"--unit USD", "unit: USD per week"},
		{"--no-report", "--report none"},
		{"--fast", "--report fast"},
		{"--checkpoint-every 1s", "every 30 seconds"},
		{"--scale-target", "--scale none"},
		{"--holdout 0.3 --holdout split:s", "must be given only once, but was given before as 0.3"},
		{"--holdout 0.3,split:s", "must name the rows after the comma"},
		{"--holdout time:", "must be a proportion"},
		{"--holdout day", "time:COLUMN"},
		{"--time day", "time:COLUMN"},
		{"--on-disk", "--memory 0"},
		{"--report none --card c.yaml", "--card has no effect with --report none"},
		{"--report none --resamples 200", "--resamples has no effect with --report none"},
		{"--holdout crossfit --holdout time:when", "must be given only once"},
		{"--confidence 0.95", "drotrain eval --confidence"},
		{"--alpha 0.1", "--protect"},
		{"--no-progress", "--quiet suppresses progress"},
	} {
		code, _, stderr := try(t.Context(), append([]string{"train", "--data", "none.csv", "--target", "y"},
			strings.Fields(c.args)...)...)
		if code != exit.Usage || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: %d, %s", c.args, code, stderr)
		}
	}
	long := "overall.risk > 0 && " + strings.Repeat("x", 1<<19)
	if code, _, stderr := try(t.Context(), "eval", "--fail-if", long); code != exit.Usage ||
		len(stderr) > longestLine+1000 || !strings.Contains(stderr, "bytes) …") {
		t.Errorf("a long gate: %d, %d bytes: %.300s", code, len(stderr), stderr)
	}
}

// predict and eval warn if rows differ from the training rows; with --strict they end with exit code 4, and predict
// writes nothing. Training rows pass.
func TestDrift_WarningAndStrict(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name string, shift float64) {
		var b strings.Builder
		b.WriteString("size,g,y\n")
		for i := range 400 {
			fmt.Fprintf(&b, "%v,%c,%d\n", float64(i*37%100)/10+shift, 'a'+rune(i%3), (i*37%100+i*13%50)/75)
		}
		put(t, name, b.String())
	}
	write("t.csv", 0)
	write("moved.csv", 9)
	if code, _, stderr := try(t.Context(), "train", "--data", "t.csv", "--target", "y", "--groups", "g", "--nu", "1",
		"--report", "none", "--quiet"); code != exit.OK {
		t.Fatalf("%d: %s", code, stderr)
	}
	for _, command := range []string{"predict --model drotrain-out --quiet --out p.csv --force",
		"eval --model drotrain-out --resamples 0 --quiet"} {
		for _, c := range []struct {
			options string
			code    int
			says    string
		}{
			{"--data t.csv", exit.OK, ""}, {"--data t.csv --strict", exit.OK, ""},
			{"--data moved.csv", exit.OK,
				`warning: these rows differ from the training rows: "size" (population stability index`},
			{"--data moved.csv --strict", exit.Gate, `error: these rows differ from the training rows: "size" (`},
		} {
			code, _, stderr := try(t.Context(), strings.Fields(command+" "+c.options)...)
			if code != c.code || !strings.Contains(stderr, c.says) || c.says == "" && strings.Contains(stderr, "differ from") {
				t.Errorf("%s %s: %d: %s", command, c.options, code, stderr)
			}
		}
	}
	b := contents(t, "t.csv")
	text := string(b)
	for name, content := range map[string]string{
		"text.csv":    strings.Replace(text, "3.7,b,", "n/a,b,", 1),
		"words.csv":   "size,g,y\nhigh,a,0\nlow,b,1\n",
		"renamed.csv": "sizes,g,y\n" + strings.SplitN(text, "\n", 2)[1],
		"groups.csv":  strings.ReplaceAll(text, ",b,", ",d,"),
		"empty.csv":   "size,g,y\n",
	} {
		put(t, name, content)
	}
	for _, command := range []string{"predict --model drotrain-out --quiet --out p.csv --force",
		"eval --model drotrain-out --resamples 0 --quiet"} {
		for name, c := range map[string]struct {
			code int
			says string
		}{
			"text.csv": {exit.Failed,
				`column "size", row 2: the column is text, but in the training table it held numbers: the value is "n/a"`},
			"words.csv": {exit.Failed,
				`column "size": the column is text, but in the training table it held numbers: the first value is "high"`},
			"renamed.csv": {exit.Failed, "hint: did you mean \"sizes\"?\n"},
			"groups.csv":  {exit.OK, `"g" (population stability index`},
			"empty.csv":   {exit.Failed, "no rows to "},
		} {
			code, _, stderr := try(t.Context(), strings.Fields(command+" --data "+name)...)
			if code != c.code || !strings.Contains(stderr, c.says) ||
				c.code == exit.Failed && !strings.Contains(name, "empty") && !strings.Contains(stderr, "hint: ") {
				t.Errorf("%s %s: %d: %s", command, name, code, stderr)
			}
		}
	}
	if code, _, stderr := try(t.Context(), strings.Fields(
		"predict --model drotrain-out --data moved.csv --strict --out new.csv")...); code != exit.Gate {
		t.Errorf("%d: %s", code, stderr)
	}
	if _, err := os.Stat("new.csv"); err == nil {
		t.Error("refused predictions were written")
	}
}

// A name with a line break cannot make a warning look like several messages.
func TestLog_WarningIsOneLine(t *testing.T) {
	var b strings.Builder
	a := &app{stderr: &b}
	a.log(logWarning, "rows with a\ndrotrain: error: b > 1 are predicted worse")
	a.log(logError, "first problem\nsecond problem")
	want := "drotrain: warning: rows with a\\u000adrotrain: error: b > 1 are predicted worse\n" +
		"drotrain: error: first problem\nsecond problem\n"
	if got := b.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
