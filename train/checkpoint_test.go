package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
)

// sameAnswer reports whether two models of one configuration are certified and agree: the same choice, and objectives
// that differ by at most the gaps.
func sameAnswer(a, b *Model) bool {
	gap := a.Config.Gap * math.Max(1, math.Abs(a.Result.Objective))
	choice := func(m *Model) string {
		if m.Result.Selection == nil {
			return ""
		}
		return fmt.Sprint(m.Result.Selection.Chosen)
	}
	return a.Result.Status == b.Result.Status && choice(a) == choice(b) &&
		math.Abs(a.Result.Objective-b.Result.Objective) <= 2*gap
}

// A training run that is interrupted and resumed repeatedly, at any point, ends with a model that is certified to the
// same gap: if the checkpoint is written after every value or only at a signal, in memory and on disk.
func TestFit_ResumedIsCertifiedToTheSameGap(t *testing.T) {
	in := func(ctx context.Context, f *data.Frame, c Config) (*Model, error) { return FitFrame(ctx, f, c) }
	onDisk := func(ctx context.Context, f *data.Frame, c Config) (*Model, error) {
		m, oracle, err := prepareTrainingOn(ctx, f, c, away(t, &c, 0))
		if err != nil {
			return nil, err
		}
		return m, m.trainAndCheckDisk(ctx, oracle, time.Now())
	}
	f, classes := wide(t, 12_000), classTable(t, 1000, 4)
	for _, k := range []struct {
		name  string
		set   func(*Config)
		fit   func(context.Context, *data.Frame, Config) (*Model, error)
		every time.Duration
		long  bool
	}{
		{"chosen", func(c *Config) { c.Groups, c.Folds = []string{"g"}, 2 }, in, time.Hour, false},
		{"chosen, recalibrated", func(c *Config) { c.Folds, c.Recalibrate = 2, true }, in, 0, true},
		{"kl, recalibrated", func(c *Config) { c.Nu, c.Recalibrate, c.Folds = level.At(0.1), true, 2 }, in, 0, false},
		{"chi2 on disk", func(c *Config) { c.Penalty, c.Nu = "chi2", level.At(0.1) }, onDisk, time.Hour, false},
		{"kl on disk", func(c *Config) { c.Nu = level.At(0.1) }, onDisk, 0, true},
		{"lbfgs", func(c *Config) { c.Nu, c.Solver, c.Gap = level.At(1), "lbfgs", 1e-4 }, in, time.Hour, false},
		{"separable", func(c *Config) { c.Nu, c.Solver, c.Gap = level.At(1), "separable", 1e-4 }, in, 0, true},
		{"classes, chosen", func(c *Config) { c.Target, c.Folds, c.Select = "class", 2, "tail" },
			func(ctx context.Context, _ *data.Frame, c Config) (*Model, error) { return FitFrame(ctx, classes, c) }, 0, false},
		{"protect", func(c *Config) { c.Protect = level.At(0.3) }, in, 0, true},
		{"groups", func(c *Config) { c.Groups, c.Adversary, c.Nu = []string{"g"}, "groups", level.At(0.1) }, in, 0, false},
		{"group coefficients", func(c *Config) {
			c.Groups, c.Adversary, c.Nu, c.GroupCoefficients = []string{"g"}, "groups", level.At(0.1), groupCoefficientsPooled
		}, in, 0, false},
	} {
		if os.Getenv("DROTRAIN_LONG") == "" && k.long {
			continue
		}
		began := time.Now()
		cfg := keepingRows()
		cfg.Target = "y"
		k.set(&cfg)
		want, err := k.fit(t.Context(), f, cfg)
		if err != nil {
			t.Fatalf("%s: %v", k.name, err)
		}
		path := filepath.Join(t.TempDir(), "checkpoint")
		more := 3 // steps from one interruption to the next
		if testing.Short() {
			more = 8
		}
		for runs, after := 1, 1; ; runs, after = runs+1, after+more {
			cfg.Checkpoint = NewCheckpoint(path, k.every)
			if runs > 1 {
				if cfg.Checkpoint, err = ResumeCheckpoint(path, k.every); errors.Is(err, os.ErrNotExist) {
					cfg.Checkpoint = NewCheckpoint(path, k.every)
				} else if err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			seen := 0
			cfg.Observe = func(Progress) {
				if seen++; seen == after {
					cancel()
				}
			}
			m, err := k.fit(ctx, f, cfg)
			cancel()
			if k.every > 0 && cfg.Checkpoint.HasParts() && err != nil {
				_ = cfg.Checkpoint.Flush()
			}
			if cfg.Checkpoint.err != nil {
				t.Fatal(cfg.Checkpoint.err)
			}
			if err == nil {
				if !sameAnswer(m, want) || m.Encoder.D() != want.Encoder.D() {
					t.Errorf("%s, after %d runs: %+v\nuninterrupted: %+v", k.name, runs, m.Result, want.Result)
				}
				if runs < 2 {
					t.Errorf("%s: only %d runs", k.name, runs)
				}
				t.Logf("%s: %d runs, %v", k.name, runs, time.Since(began))
				break
			}
			if !errors.Is(err, context.Canceled) || runs > 200 {
				t.Fatalf("%s, run %d: %v", k.name, runs, err)
			}
		}
	}
}

// A resumed solve starts at the best point of the interrupted one.
func TestCheckpoint_ResumesSolve(t *testing.T) {
	f := wide(t, 3000)
	cfg := keepingRows()
	cfg.Target, cfg.Nu, cfg.Solver, cfg.Gap = "y", level.At(1), "lbfgs", 1e-9
	path := filepath.Join(t.TempDir(), "checkpoint")
	cfg.Checkpoint = NewCheckpoint(path, 0)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const enough = 8
	last := 0.0
	cfg.Observe = func(p Progress) {
		if p.Phase == "robust" && p.Passes >= enough {
			last = p.RelativeGap
			cancel()
		}
	}
	if _, err := FitFrame(ctx, f, cfg); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	var err error
	if cfg.Checkpoint, err = ResumeCheckpoint(path, 0); err != nil {
		t.Fatal(err)
	}
	first, reached := 0.0, last
	cfg.Observe = func(p Progress) {
		if p.Phase == "robust" && first == 0 {
			first = p.RelativeGap
		}
	}
	if _, err := FitFrame(t.Context(), f, cfg); err != nil || !(first <= 1.01*reached) {
		t.Errorf("it goes on from a gap of %v, and was at %v: %v", first, reached, err)
	}
}

// A resumed choice solves only the models that the interrupted one had not finished.
func TestCheckpoint_ResumesChoice(t *testing.T) {
	f := wide(t, 3000)
	cfg := keepingRows()
	cfg.Target, cfg.Groups, cfg.Folds = "y", []string{"g"}, 2
	path := filepath.Join(t.TempDir(), "checkpoint")
	cfg.Checkpoint = NewCheckpoint(path, 0)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cfg.Observe = func(p Progress) {
		if p.Done == 10 {
			cancel()
		}
	}
	if _, err := FitFrame(ctx, f, cfg); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	var err error
	if cfg.Checkpoint, err = ResumeCheckpoint(path, 0); err != nil {
		t.Fatal(err)
	}
	known := 0
	for fold := range cfg.Folds {
		for c := range 20 {
			var x struct{ X []float64 }
			if ok, _ := cfg.Checkpoint.forPart("choice").Load(fmt.Sprintf("choice, fold %d, candidate %d", fold+1, c+1),
				&x); ok &&
				len(x.X) > 0 {
				known++
			}
		}
	}
	if known < 10 {
		t.Errorf("%d models are kept of 10 that were solved for", known)
	}
}

// A resumed cross-fitted evaluation keeps the finished folds and the finished parts of a fold.
func TestCheckpoint_ResumesCrossFit(t *testing.T) {
	f := wide(t, 1500)
	cfg := keepingRows()
	cfg.Target, cfg.Nu, cfg.Evaluate, cfg.Holdout = "y", level.At(0.3), EvaluateCrossfit, 0
	path := filepath.Join(t.TempDir(), "checkpoint")
	margins := func(ctx context.Context) ([]float64, error) {
		m := fitFrame(t, f, cfg)
		out, err := m.CrossFit(ctx)
		if err != nil {
			return nil, err
		}
		return out.Robust.Margin, nil
	}
	want, err := margins(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for runs := 1; ; runs++ {
		if cfg.Checkpoint, err = ResumeCheckpoint(path, 0); err != nil {
			cfg.Checkpoint = NewCheckpoint(path, 0)
		}
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		cfg.Observe = func(p Progress) {
			if p.Phase == "cross-fitting" {
				if seen++; seen == 4*runs {
					cancel()
				}
			}
		}
		got, err := margins(ctx)
		cancel()
		if err == nil {
			if !floats.EqualApprox(got, want, 1e-2) || runs < 2 {
				t.Errorf("after %d runs the margins differ, or there were too few", runs)
			}
			break
		}
		if !errors.Is(err, context.Canceled) || runs > 50 {
			t.Fatal(err)
		}
	}
}

// The error for an option, file or version that differs from the checkpoint names it.
func TestResume_RefusesChanges(t *testing.T) {
	f := wide(t, 500)
	cfg := keepingRows()
	cfg.Target, cfg.Nu = "y", level.At(1)
	path := filepath.Join(t.TempDir(), "checkpoint")
	cfg.Checkpoint = NewCheckpoint(path, 0)
	if _, err := FitFrame(t.Context(), f, cfg); err != nil {
		t.Fatal(err)
	}
	whole := contents(t, path)
	for want, change := range map[string]func(*Config){
		"option seed has changed: it was 0, now it is 7": func(c *Config) { c.Seed = 7 },
		"option nu has changed":                          func(c *Config) { c.Nu = level.At(2) },
		"option drop has changed":                        func(c *Config) { c.Drop = []string{"a"} },
	} {
		c := cfg
		change(&c)
		var err error
		if c.Checkpoint, err = ResumeCheckpoint(path, 0); err != nil {
			t.Fatal(err)
		}
		var changed *ChangedError
		if _, err := FitFrame(t.Context(), f, c); !errors.As(err, &changed) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	for what, fact := range map[string][2]string{
		"the version of drotrain has changed: it was v0, now it is " + Version(): {"the version of drotrain", "v0"},
		"file 1 (t.parquet) has changed: it was 12, now it is 34":                {"file 1 (t.parquet)", "12"},
		"the number of files has changed: it was 2, now it is 1":                 {"the number of files", "2"},
	} {
		c := cfg
		c.Checkpoint = NewCheckpoint(filepath.Join(t.TempDir(), "other"), 0)
		if err := c.Checkpoint.Agree(fact[0], fact[1]); err != nil {
			t.Fatal(err)
		}
		of := wide(t, 500)
		of.Sources = []data.Source{{Path: "t.parquet", SHA256: "34"}}
		if _, err := FitFrame(t.Context(), of, c); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%q: %v", what, err)
		}
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, whole) {
		t.Error("a refused run has changed the checkpoint")
	}
}
