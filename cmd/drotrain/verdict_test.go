package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train"
)

// sites writes 600 rows that lie close to one line, from two sites, 12 rows of a third site far from the line, and
// five outliers.
func sites(t *testing.T) {
	t.Helper()
	var b strings.Builder
	b.WriteString("y,x,site\n")
	for i := range 600 {
		x, site := math.Mod(float64(i)*0.618034, 1)*4-2, "north"
		y := x + 0.5*math.Sin(float64(37*i))
		if i%4 == 0 {
			site = "south"
			y += 1.5 * math.Cos(float64(11*i))
		}
		switch {
		case i%50 == 7:
			site, y = "hut", -2*x
		case i%120 == 8:
			y += 8
		}
		fmt.Fprintf(&b, "%.4f,%.4f,%s\n", y, x, site)
	}
	put(t, "sites.csv", b.String())
}

// A model that depends on a few rows is reported as degenerate in an error, in JSON and by the exit code, unless
// --allow-degenerate is set; a milder model is not.
func TestTrain_DegenerateExitCode(t *testing.T) {
	t.Chdir(t.TempDir())
	sites(t)
	base := "train --data sites.csv --target y --drop site --report fast --quiet --force --out m --nu "
	code, stdout, stderr := try(t.Context(), strings.Fields(base+"0.05")...)
	if code != exit.Gate || !strings.Contains(stderr, "the model is degenerate: The robust model is worse") ||
		!strings.Contains(stderr, "hint: use the standard model (ERM), which was trained too, with --model-variant erm, or "+
			"train with a larger --nu;") ||
		!strings.Contains(stdout, "Do not use the robust model.") {
		t.Errorf("ν = 0.05: exit code %d, stderr %q\n%s", code, stderr, stdout)
	}
	code, stdout, _ = try(t.Context(), strings.Fields(base+"0.05 --json --allow-degenerate")...)
	var s train.Summary
	if err := json.Unmarshal([]byte(stdout), &s); err != nil {
		t.Fatal(err)
	}
	if code != exit.OK || !s.Certified || len(s.Warnings) != 2 ||
		!strings.HasPrefix(s.Warnings[1], "The robust model depends on few rows") || !(s.EffectiveSampleSize < 30) {
		t.Errorf("allowed: exit code %d, %v effective rows, warnings %q", code, s.EffectiveSampleSize, s.Warnings)
	}
	code, stdout, stderr = try(t.Context(), strings.Fields(base+"20")...)
	if code != exit.OK || strings.Contains(stderr, "warning") || strings.Contains(stdout, "Do not use") {
		t.Errorf("ν = 20: exit code %d\n%s", code, stdout)
	}
}

// An ERM model that is not measurably better than a constant leads to a warning, and no text calls it robust.
func TestTrain_NoBetterThanAConstant(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("y")
	for j := range 25 {
		fmt.Fprintf(&b, ",x%d", j)
	}
	for range 60 { // no column says anything of y
		fmt.Fprintf(&b, "\n%.3f", rng.NormFloat64())
		for range 25 {
			fmt.Fprintf(&b, ",%.3f", rng.NormFloat64())
		}
	}
	put(t, "noise.csv", b.String()+"\n")
	code, stdout, stderr := try(t.Context(), strings.Fields(
		"train --data noise.csv --target y --average plain --report fast --force --out m")...)
	if code != exit.OK || !strings.Contains(stderr,
		"drotrain: warning: The standard model (ERM) is not measurably better than the best constant prediction") {
		t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
	if said := stdout + stderr; strings.Contains(said, "robust") || strings.Contains(said, "Robust") {
		t.Errorf("an average is called robust:\n%s", said)
	}
}

// The worst group on the terminal, in JSON and in the verdict has at least the requested number of rows.
func TestVerdict_WorstGroupRows(t *testing.T) {
	t.Chdir(t.TempDir())
	sites(t)
	for _, c := range []struct {
		least       int
		want, other string
	}{{1, "hut", "south"}, {20, "south", "hut"}} {
		args := strings.Fields(
			fmt.Sprintf("train --data sites.csv --target y --groups site --report fast --quiet --force --out m --nu 20 "+
				"--group-features shared --min-group-size %d", c.least))
		if code, stdout, stderr := try(t.Context(), args...); code != exit.OK || !strings.Contains(stdout, " "+c.want+" ") ||
			strings.Contains(stdout, " "+c.other+" ") {
			t.Errorf("%d rows: %d\n%s%s", c.least, code, stdout, stderr)
		}
		_, stdout, _ := try(t.Context(), append(args, "--json")...)
		var s train.Summary
		if err := json.Unmarshal([]byte(stdout), &s); err != nil {
			t.Fatal(err)
		}
		raw := contents(t, "m/metrics.json")
		var e eval.Evaluation
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		w := e.Models[1].WorstGroup
		if s.WorstGroup == nil || !strings.Contains(s.WorstGroup.Name, c.want) || w == nil ||
			!strings.Contains(w.Label, c.want) || e.MinGroupSize != c.least {
			t.Errorf("%d rows: %+v in training, %+v in the evaluation", c.least, s.WorstGroup, w)
		}
	}
}

// A small table is cross-fitted unless an option requests otherwise; if a class has too few rows for five folds, 20 %
// of the rows are held out.
func TestTrain_SmallTablesAreCrossFitted(t *testing.T) {
	t.Chdir(t.TempDir())
	sites(t)
	var b strings.Builder
	b.WriteString("y,x\n")
	for i := range 60 {
		fmt.Fprintf(&b, "%v,%v\n", map[bool]string{true: "yes", false: "no"}[i < 3], math.Sin(float64(i)))
	}
	put(t, "rare.csv", b.String())
	put(t, "twice.csv", "y,x\n"+strings.Repeat("1,2\n2,3\n3,1\n", 700))
	put(t, "three.csv", "y,x\n"+strings.Repeat("a,1\na,2\nb,3\nb,2\nc,1\nc,0\n", 30))
	for _, c := range []struct{ args, split, said string }{
		{"--data sites.csv --target y --nu 20", "training rows, out of fold", ""},
		{"--data sites.csv --target y --nu 20 --holdout 0.2", "hold-out", ""},
		{"--data sites.csv --target y --nu 20 --holdout 0.3", "hold-out", ""},
		{"--data sites.csv --target y --nu 20 --holdout units:site", "hold-out", ""},
		{"--data sites.csv --target y --nu 20 --report fast", "hold-out", ""},
		{"--data rare.csv --target y --nu 20", "hold-out", "a fold would lack a class"},
		{"--data three.csv --target y --nu 20", "hold-out", "two classes"},
		{"--data twice.csv --target y --loss squared --nu 20", "hold-out", ""},
	} {
		code, _, stderr := try(t.Context(), strings.Fields("train --out m --force --allow-degenerate "+c.args)...)
		if code != exit.OK || c.said != "" && !strings.Contains(stderr, c.said) ||
			strings.Count(stderr, "note: target ") > 1 {
			t.Errorf("%s: exit code %d\n%s", c.args, code, stderr)
		}
		if e := metrics(t, "m/metrics.json"); string(e.Split) != c.split {
			t.Errorf("%s: measured on %s", c.args, e.Split)
		}
	}
	if code, _, stderr := try(t.Context(), strings.Fields(
		"train --data sites.csv --target y --holdout crossfit --holdout units:site --out m "+
			"--force")...); code != exit.Usage || !strings.Contains(stderr, "must be given only once") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

func metrics(t *testing.T, path string) *eval.Evaluation {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e, err := eval.ReadEvaluation(f)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
