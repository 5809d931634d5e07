package train

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
)

// keeping is a training on a file that keeps its rows.
func keeping(t *testing.T, n int) (Config, *data.Frame) {
	t.Helper()
	f := wide(t, n)
	var columns []data.Column
	for _, c := range f.Columns {
		columns = append(columns, *c)
	}
	cfg := DefaultConfig()
	cfg.Data = filepath.Join(t.TempDir(), "t.parquet")
	if err := data.WriteTable(cfg.Data, columns, false); err != nil {
		t.Fatal(err)
	}
	cfg.Target, cfg.Groups, cfg.Cache, cfg.KeepCache = "y", []string{"g"}, filepath.Join(t.TempDir(), "cache"), true
	cfg.Nu = level.At(0.3)
	return cfg, f
}

// Rows that were kept give the same model without reading the table, whatever is asked of
// the solver, and are refused aloud where they are of anything else.
func TestKeptRows(t *testing.T) {
	for name, set := range map[string]func(*Config){
		"dense":   func(*Config) {},
		"float32": func(c *Config) { c.Storage, c.Weight = "float32", "b" },
		"sparse":  func(c *Config) { c.Storage, c.Groups, c.Filter = "sparse", nil, "b < 4" },
	} {
		cfg, _ := keeping(t, 3000)
		set(&cfg)
		fit := func(c Config) (string, error) {
			m, err := Fit(t.Context(), c)
			if err != nil {
				return "", err
			}
			defer m.Run.Close()
			return timeless(t, m), nil
		}
		want, err := fit(cfg)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		said := ""
		again := cfg
		again.Announce = func(line string) { said += line + "\n" }
		if got, err := fit(again); err != nil || got != want || !strings.Contains(said, "not read again") {
			t.Errorf("%s: %v, %q\n%s\nfirst:\n%s", name, err, said, got, want)
		}
		// Values that cannot be read are not missed: all but the footer, with the file's times.
		info, err := os.Stat(cfg.Data)
		if err != nil {
			t.Fatal(err)
		}
		if files, err := os.ReadDir(cfg.Cache); err != nil || len(files) != 1 {
			t.Errorf("%s: %v %v", name, files, err)
		}
		b, err := os.ReadFile(cfg.Data)
		if err != nil {
			t.Fatal(err)
		}
		changed := append([]byte(nil), b...)
		changed[len(b)/3] ^= 1
		if err := os.WriteFile(cfg.Data, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(cfg.Data, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
		var stale *StaleCacheError
		if _, err := fit(cfg); !errors.As(err, &stale) || !strings.Contains(err.Error(), "file 1 ("+cfg.Data+") has changed") {
			t.Errorf("%s: of a file that was changed in secret: %v", name, err)
		}
		// The same contents in a new file are the same rows.
		if err := os.WriteFile(cfg.Data, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := fit(cfg); err != nil || got != want {
			t.Errorf("%s: of a file that was written again: %v", name, err)
		}
	}
}

// What decides the rows is named where it differs; what does not may.
func TestKeptRowsOfOtherOptions(t *testing.T) {
	cfg, _ := keeping(t, 400)
	last := ""
	run := func(change func(*Config)) error {
		c := cfg
		change(&c)
		m, err := Fit(t.Context(), c)
		if m != nil {
			last = timeless(t, m)
			m.Run.Close()
		}
		return err
	}
	if err := run(func(*Config) {}); err != nil {
		t.Fatal(err)
	}
	first := last
	for want, change := range map[string]func(*Config){
		"option seed has changed: it was 0, now it is 7":      func(c *Config) { c.Seed = 7 },
		"option drop has changed":                             func(c *Config) { c.Drop = []string{"a"} },
		"option groups has changed":                           func(c *Config) { c.Groups = nil },
		"option holdout has changed: it was 0.2, now it is 0": func(c *Config) { c.Holdout = 0 },
		"option storage has changed":                          func(c *Config) { c.Storage = "float32" },
		"":                                                    func(c *Config) { c.Nu, c.Gap, c.Solver = level.At(1), 1e-3, "lbfgs" },
	} {
		var stale *StaleCacheError
		if err := run(change); (want == "") != (err == nil) || want != "" && (!errors.As(err, &stale) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", want, err)
		}
	}
	// Any byte that is another is found, but for those that nothing is in; and so is a file that
	// was cut short.
	path := filepath.Join(cfg.Cache, CacheFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(whole); at += 1 + len(whole)/97 {
		b := append([]byte(nil), whole...)
		b[at] ^= 0x40
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := run(func(*Config) {}); err == nil && last != first {
			t.Fatalf("byte %d of %d is another, and there is a model", at, len(whole))
		}
		if err := os.WriteFile(path, whole[:at], 0o600); err != nil {
			t.Fatal(err)
		}
		if err := run(func(*Config) {}); err == nil {
			t.Fatalf("%d bytes of %d, and there is a model", at, len(whole))
		}
	}
}

// A run that ends before the rows are whole leaves none.
func TestInterruptedRunKeepsNothing(t *testing.T) {
	cfg, f := keeping(t, 30_000)
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := FitFrame(ctx, f, cfg); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if files, err := os.ReadDir(cfg.Cache); err == nil && len(files) > 0 {
			t.Fatalf("%s is left", files[0].Name())
		}
	}
}
