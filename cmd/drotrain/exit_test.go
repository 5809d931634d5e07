package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/train"
)

// leveled sets a level in place of a choice, which tests of signals are not about.
var leveled = []string{"--adversary", "groups", "--nu", "0.1"}

// try runs a command line in the current directory.
func try(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	a := &app{stdout: &out, stderr: &err, now: time.Now}
	code = a.run(ctx, args)
	return code, out.String(), err.String()
}

func TestExit_CodePerKindOfError(t *testing.T) {
	if testing.Short() {
		t.Skip("it trains and reports several times")
	}
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		code int
		args string
	}{
		{exit.OK, "train --quiet --data builtin:hmda --nu 1 --out m"},
		{exit.Failed, "train --quiet --out m"}, // it exists
		{exit.OK, "predict --model m --data builtin:hmda --keep deny,afam --out p.csv --quiet"},
		{exit.Usage, ""},
		{exit.Usage, "trian"},
		{exit.Usage, "train --nu -1"},
		{exit.Usage, "train --data x.csv"},
		{exit.Usage, "train --data builtin:nothing"},
		{exit.Usage, "train --config nowhere.yaml"},
		{exit.Failed, "train --data nowhere.csv --target y"},
		{exit.Limit, "train --quiet --nu 1 --max-passes 3 --gap 1e-9 --out limit"},
		{exit.Limit, "train --quiet --data builtin:cps1988 --nu 1 --mu 0 --gap 1e-9 --max-passes 20 --report none --out " +
			"nomu"},
		{exit.Gate, "eval --model m --data builtin:hmda --resamples 0 --fail-if overall.accuracy<1"},
		{exit.Usage, "eval --model m --data builtin:hmda --resamples 0 --fail-if overall.accuracy"},
		{exit.Gate, "eval --predictions p.csv --target deny --score probability --resamples 0 --fail-if overall.accuracy<1"},
		{exit.OK, "eval --predictions p.csv --target deny --score probability --resamples 0"},
		{exit.Usage, "eval --predictions p.csv --target deny"},
		{exit.Failed, "eval --predictions p.csv --target deny --score row"},
		{exit.Usage, "train --data builtin:hmda --target deny --features deny"},
		{exit.Usage, "predict --model m --data builtin:hmda"},
		{exit.Failed, "predict --model nowhere.json --data builtin:hmda --out p.csv"},
		{exit.Usage, "inspect"},
		{exit.Failed, "inspect nowhere.csv"},
		{exit.Usage, "datasets show nothing"},
		{exit.OK, "datasets"},
		{exit.OK, "version"},
		{exit.OK, "train -h"},
	} {
		code, _, stderr := try(t.Context(), strings.Fields(c.args)...)
		if code != c.code {
			t.Errorf("drotrain %s: exit code %d, want %d\n%s", c.args, code, c.code, stderr)
		}
		if code != exit.OK && code != exit.Gate && !strings.Contains(stderr, "drotrain: error: ") && c.args != "" {
			t.Errorf("drotrain %s: no error line in %q", c.args, stderr)
		}
	}
}

// A trigger calls f when a text has been written.
type trigger struct {
	bytes.Buffer
	text string
	f    func()
}

func (w *trigger) Write(p []byte) (int, error) {
	if strings.Contains(string(p), w.text) {
		w.f()
	}
	return w.Buffer.Write(p)
}

func TestSignal_InterruptEndsTheRun(t *testing.T) {
	const reportCommand = "drotrain eval --model drotrain-out/model.json --trained-on builtin:digits --out report.html"
	for _, c := range []struct {
		sig  syscall.Signal
		code int
		when string
		msg  string
	}{
		{syscall.SIGINT, 130, "robust: ",
			"drotrain: error: interrupted; the unfinished model was written to drotrain-out/model.json"},
		{syscall.SIGTERM, 143, "robust: ",
			"drotrain: error: terminated; the unfinished model was written to drotrain-out/model.json"},
		{syscall.SIGINT, 130, "note: target",
			"drotrain: error: interrupted; the model was written to drotrain-out/model.json, but its report is not " +
				"finished\nhint: write the report with `" + reportCommand + "`\n"},
		{syscall.SIGINT, 130, "ERM: ", "drotrain: error: interrupted before a model was trained\n"},
		{syscall.SIGTERM, 143, "rescaled ERM: ",
			"drotrain: error: terminated; the model was written to drotrain-out/model.json, but the comparison models " +
				"are not finished\n"},
	} {
		t.Run(c.when+c.sig.String(), func(t *testing.T) {
			t.Chdir(t.TempDir())
			ctx, cancel := context.WithCancelCause(t.Context())
			var out bytes.Buffer
			errs := &trigger{text: c.when, f: func() { cancel(exit.Interrupted{Signal: c.sig}) }}
			clock := time.Unix(0, 0)
			a := &app{stdout: &out, stderr: errs, now: func() time.Time { clock = clock.Add(time.Minute); return clock }}
			args := append([]string{"train", "--gap", "1e-9"}, leveled...)
			if strings.HasPrefix(c.when, "rescaled") {
				args = append(args, "--report", "none")
			}
			if code := a.run(ctx, args); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if !strings.Contains(errs.String(), c.msg) {
				t.Errorf("stderr %q", errs)
			}
			m, err := train.Load("drotrain-out/model.json")
			if c.when == "ERM: " {
				files, err := os.ReadDir("drotrain-out")
				if err != nil || len(files) != 1 || files[0].Name() != checkpointFile {
					t.Errorf("%v, %v are left instead of a checkpoint", files, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.when == "note: target" { // the command in the hint works
				args := append(strings.Fields(reportCommand)[1:], "--resamples", "0")
				if code, _, errs := try(t.Context(), args...); code != exit.OK {
					t.Errorf("exit code %d: %s", code, errs)
				}
			}
			if s := m.Summary(""); c.when == "robust: " && (s.Certified || s.Status != "cancelled") {
				t.Errorf("the model is marked %q, certified %v", s.Status, s.Certified)
			}
		})
	}
}

// A panic becomes an error that asks for a bug report, without a stack trace.
func TestPanic_AsksForAReport(t *testing.T) {
	var errs bytes.Buffer
	a := &app{stdout: failing{}, stderr: &errs}
	func() {
		defer func() {
			if r := recover(); r != nil {
				a.printError(internalError(r, panicSite()), exit.Failed)
			}
		}()
		var c *cobra.Command
		_ = c.Name()
	}()
	got := errs.String()
	if !strings.HasPrefix(got, "drotrain: error: internal error in ") || strings.Contains(got, "goroutine") ||
		!strings.Contains(got, "\nhint: this is a bug in drotrain; please report it") {
		t.Errorf("got %q", got)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// A failure to write to standard output is an error.
func TestStdout_FullDeviceIsAFailure(t *testing.T) {
	var errs bytes.Buffer
	a := &app{stdout: failing{}, stderr: &errs, now: time.Now}
	if code := a.run(t.Context(), []string{"version"}); code != exit.Failed {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(errs.String(), "cannot write to standard output: no space left on device") {
		t.Errorf("got %q", errs.String())
	}
}

// If a table changes during a run, the run fails with an error that names the table. There is either a model of the
// rows read before the change or no model.
func TestTrain_InputChangedInPlace(t *testing.T) {
	for when, model := range map[string]bool{"ERM: ": true, "robust: ": true} {
		t.Run(when, func(t *testing.T) {
			t.Chdir(t.TempDir())
			loans(t, "a.parquet", "b.parquet")
			b := contents(t, "b.parquet")
			var out bytes.Buffer
			once := false
			errs := &trigger{text: when, f: func() {
				if !once {
					once = os.WriteFile("a.parquet", b[:len(b)-1], 0o666) == nil
				}
			}}
			clock := time.Unix(0, 0)
			a := &app{stdout: &out, stderr: errs, now: func() time.Time { clock = clock.Add(time.Minute); return clock }}
			code := a.run(t.Context(), []string{"train", "--data", "a.parquet", "--target", "deny", "--groups", "region", "--nu",
				"1", "--out", "m"})
			if code != exit.Failed || !strings.Contains(errs.String(), "a.parquet: the file changed while it was being read") {
				t.Errorf("exit code %d, stderr %s", code, errs)
			}
			if m, err := train.Load("m/model.json"); (err == nil) != model {
				t.Errorf("model: %v", err)
			} else if err == nil && len(m.Sources[0].SHA256) != 64 {
				t.Errorf("sources %+v", m.Sources)
			}
			if _, err := os.Stat("m/report.html"); err == nil {
				t.Error("there is a report of other data")
			}
		})
	}
}

// If ν is so large that all weights are equal up to rounding, the hint names --nu; if the weights differ, or the run
// reached a limit, the hint does not.
func TestTrain_PenaltyBeyondRounding(t *testing.T) {
	nu := 1e20
	m := &train.Model{}
	m.Config.Nu = &nu
	for _, c := range []struct {
		status  string
		largest float64
		names   bool
	}{{"stalled", 1, true}, {"stalled", 1.001, false}, {"limit", 1, false}} {
		s := train.Summary{Status: c.status, Nu: nu, Mu: 1, N: 4, MaxWeight: c.largest / 4}
		if _, hint := exit.Describe(uncertifiedError(m, s)); strings.Contains(hint, "--nu 1e+20") != c.names {
			t.Errorf("%s, a largest weight of %v: %q", c.status, c.largest, hint)
		}
	}
}
