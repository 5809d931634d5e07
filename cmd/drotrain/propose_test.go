package main

import (
	"bytes"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/data/check"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/data/propose"
	"github.com/drotrain/drotrain/eval"
)

// A proposal is written so that it is read back unchanged: text that looks like a number or a truth value stays text.
func TestPropose_WrittenConfigIsRead(t *testing.T) {
	t.Chdir(t.TempDir())
	p := &proposedTraining{Proposal: &propose.Proposal{Findings: []check.Finding{{Column: "12", Evidence: "a\ncopy"}}},
		flags: trainFlags()}
	for _, o := range [][2]string{{"target", "007"}, {"drop", "12,no"}, {"min-count", "3"}, {"no-header", "true"},
		{"filter", "a == \"b\""}, {"gap", "1e-05"}} {
		if err := p.flags.Set(o[0], o[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.writeConfig(&app{}, "t.yaml", false); err != nil {
		t.Fatal(err)
	}
	b := contents(t, "t.yaml")
	const want = `# drotrain train --config t.yaml
target: "007"
drop:
  - "12" # a copy
  - "no"
filter: "a == \"b\""
min-count: 3
gap: 1e-05
no-header: true
`
	if string(b) != want {
		t.Errorf("got\n%s\nwant\n%s", b, want)
	}
	again, err := parse(t, string(b))
	if err != nil {
		t.Fatal(err)
	}
	if again.Config.Target != "007" || !slices.Equal(again.Config.Drop, []string{"12", "no"}) {
		t.Errorf("target %q, drop %q", again.Config.Target, again.Config.Drop)
	}
}

// The default of --tolerance is that of the library, for every command that has a tolerance.
func TestDefaults_ToleranceOfLibrary(t *testing.T) {
	y := []float64{1, -1, 1, -1}
	p := []float64{0.9, 0.2, 0.7, 0.4}
	e, err := eval.Evaluate(t.Context(), eval.Input{Task: eval.Binary, LossName: "logistic", Target: y,
		Models: []eval.Model{{Name: "m", Score: p, Loss: []float64{1, 2, 3, 4}}},
		Groups: []encode.Grouping{{Name: "g", Labels: []string{"a", "b"}, Index: []int32{0, 0, 1, 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Gaps) == 0 {
		t.Fatal("no gaps")
	}
	want := strconv.FormatFloat(e.Gaps[0].Tolerance, 'g', -1, 64)
	for _, name := range []string{"eval"} {
		cmd, _, err := newRoot(&app{}).Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		if f := cmd.Flags().Lookup("tolerance"); f == nil || f.DefValue != want {
			t.Errorf("%s: %+v, want %s", name, f, want)
		}
	}
}

// Reading a large table shows its progress, and --threads sets the number of threads.
func TestReport_NamesInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "pay.csv", payTable("pay", "age", "site", "b"))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	threads := runtime.GOMAXPROCS(0)%2 + 1 // another number, of at most two
	train := "train --data pay.csv --target pay --drop site --nu 1 --report fast --quiet --report none " +
		"--allow-degenerate --out m --threads " + strconv.Itoa(threads)
	if code, _, stderr := try(t.Context(), strings.Fields(train)...); code != exit.OK {
		t.Fatalf("%d\n%s", code, stderr)
	}
	if got := runtime.GOMAXPROCS(0); got != threads {
		t.Errorf("%d threads, want %d", got, threads)
	}
	runtime.GOMAXPROCS(3 - threads)
	if code, _, stderr := try(t.Context(), strings.Fields(
		"tune --data pay.csv --target pay --drop site --folds 2 --quiet --out t --threads "+strconv.Itoa(
			threads))...); code != exit.OK {
		t.Fatalf("%d\n%s", code, stderr)
	}
	if got := runtime.GOMAXPROCS(0); got != threads {
		t.Errorf("%d threads of a choice, want %d", got, threads)
	}
	var errs bytes.Buffer
	clock := time.Unix(0, 0)
	var mu sync.Mutex
	a := &app{stdout: io.Discard, stderr: &errs, now: func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		clock = clock.Add(time.Second)
		return clock
	}}
	if code := a.run(t.Context(), strings.Fields("eval --model m --data pay.csv --resamples 0")); code != exit.OK {
		t.Fatalf("%d\n%s", code, errs.String())
	}
	if !strings.Contains(errs.String(), "drotrain: reading: ") || !strings.Contains(errs.String(), " of 1 kB") {
		t.Errorf("stderr %q", errs.String())
	}
}
