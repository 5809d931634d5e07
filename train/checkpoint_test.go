package train

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/train/level"
)

// timeless is a model as it is saved, without the times in it.
func timeless(t *testing.T, m *Model) string {
	t.Helper()
	m.Result.Seconds = 0
	for i := range m.Trace {
		m.Trace[i].Seconds = 0
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A training that is interrupted anywhere, again and again, and goes on, ends with the
// model of one that was not, bit for bit.
func TestResumeGivesTheSameModel(t *testing.T) {
	f := wide(t, 12_000)
	for name, set := range map[string]func(*Config){
		"chosen": func(c *Config) { c.Groups, c.Levels, c.Folds = []string{"g"}, 1, 2 },
		"kl":     func(c *Config) { c.Nu = level.At(0.1) },
		"lbfgs":  func(c *Config) { c.Nu, c.Solver, c.Gap = level.At(1), "lbfgs", 1e-4 },
		"groups": func(c *Config) { c.Groups, c.Adversary, c.Nu = []string{"g"}, "groups", level.At(0.1) },
	} {
		cfg := DefaultConfig()
		cfg.Target = "y"
		set(&cfg)
		m, err := FitFrame(t.Context(), f, cfg)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := timeless(t, m)
		path := filepath.Join(t.TempDir(), "checkpoint")
		for runs, after := 1, 1; ; runs, after = runs+1, after+2 {
			cfg.Checkpoint = NewCheckpoint(path, 0)
			if runs > 1 {
				if cfg.Checkpoint, err = ResumeCheckpoint(path, 0); errors.Is(err, os.ErrNotExist) {
					cfg.Checkpoint = NewCheckpoint(path, 0)
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
			m, err := FitFrame(ctx, f, cfg)
			cancel()
			if cfg.Checkpoint.Err() != nil {
				t.Fatal(cfg.Checkpoint.Err())
			}
			if err == nil {
				if got := timeless(t, m); got != want {
					t.Errorf("%s, after %d runs:\n%s\nuninterrupted:\n%s", name, runs, got, want)
				}
				if runs < 3 {
					t.Errorf("%s: only %d runs", name, runs)
				}
				break
			}
			if !errors.Is(err, context.Canceled) || runs > 200 {
				t.Fatalf("%s, run %d: %v", name, runs, err)
			}
		}
	}
}

// What has changed since a checkpoint is refused by its name.
func TestResumeRefusesChanges(t *testing.T) {
	f := wide(t, 500)
	cfg := DefaultConfig()
	cfg.Target, cfg.Nu = "y", level.At(1)
	path := filepath.Join(t.TempDir(), "checkpoint")
	cfg.Checkpoint = NewCheckpoint(path, 0)
	if _, err := FitFrame(t.Context(), f, cfg); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Config){
		"option seed has changed: it was 0, now it is 7": func(c *Config) { c.Seed = 7 },
		"option nu has changed":                          func(c *Config) { c.Nu = level.At(2) },
		"option drop has changed":                        func(c *Config) { c.Drop = []string{"a"} },
	} {
		c := cfg
		change(&c)
		if c.Checkpoint, err = ResumeCheckpoint(path, 0); err != nil {
			t.Fatal(err)
		}
		var changed *ChangedError
		if _, err := FitFrame(t.Context(), f, c); !errors.As(err, &changed) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, whole) {
		t.Error("a refused run has changed the checkpoint")
	}
}
