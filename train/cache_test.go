package train

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/train/internal/rowfile"
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

// A file of rows whose content was written again, whole by its checksums, is refused where it does
// not fit: other files, an encoder that is none, vectors and blocks that are not there.
func TestKeptRowsThatDoNotFit(t *testing.T) {
	cfg, f := keeping(t, 300)
	cfg.Weight = "b"
	m, err := FitFrame(t.Context(), f, cfg)
	if err != nil {
		t.Fatal(err)
	}
	m.Run.Close()
	whole, err := os.ReadFile(cfg.cachePath())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(c *rowfile.Content)
		want   string
	}{
		"more files":          {func(c *rowfile.Content) { c.Files = append(c.Files, c.Files...) }, "1 file, where there were 2"},
		"an encoder of junk":  {func(c *rowfile.Content) { c.Encoder = []byte("{") }, "unexpected end of JSON"},
		"a weight beyond":     {func(c *rowfile.Content) { c.Weight.At = 1 << 40 }, "EOF"},
		"another weight":      {func(c *rowfile.Content) { c.Weight.At += 8 }, "a checksum is another"},
		"another target":      {func(c *rowfile.Content) { c.Train.Target.Sum++ }, "a checksum is another"},
		"places of others":    {func(c *rowfile.Content) { c.Train.Number.Sum++ }, "a checksum is another"},
		"groups of others":    {func(c *rowfile.Content) { c.Train.Groups[0].Index.Sum++ }, "a checksum is another"},
		"other rows held out": {func(c *rowfile.Content) { c.Held.Target.Sum++ }, "a checksum is another"},
		"blocks of no rows":   {func(c *rowfile.Content) { c.Train.Rows.N = 0 }, "design: 0 rows"},
		"of another seed":     {func(c *rowfile.Content) { c.Facts["option seed"] = "7" }, "option seed has changed: it was 7, now it is 0"},
		"untouched":           {func(c *rowfile.Content) {}, ""},
	} {
		if err := os.WriteFile(cfg.cachePath(), whole, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(cfg.cachePath(), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		content, err := rowfile.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		c.change(content)
		if err := errors.Join(rowfile.NewWriter(t.Context(), file).Finish(content), file.Close()); err != nil {
			t.Fatal(err)
		}
		before := files(t)
		m, err := FitFrame(t.Context(), f, cfg)
		if m != nil {
			m.Run.Close()
		}
		var stale *StaleCacheError
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &stale) || !strings.Contains(err.Error(), c.want) || !strings.Contains(stale.Hint(), "delete it")) {
			t.Errorf("%s: %v", name, err)
		}
		if now := files(t); now > before {
			t.Errorf("%s: %d files are open, %d before", name, now, before)
		}
	}
	// What is no file of rows at all.
	for name, set := range map[string]func() error{
		"a directory": func() error { return os.Mkdir(cfg.cachePath(), 0o700) },
		"a loop":      func() error { return os.Symlink(CacheFile, cfg.cachePath()) },
		"few bytes":   func() error { return os.WriteFile(cfg.cachePath(), whole[:20], 0o600) },
	} {
		if err := errors.Join(os.RemoveAll(cfg.cachePath()), set()); err != nil {
			t.Fatal(err)
		}
		if _, err := FitFrame(t.Context(), f, cfg); err == nil || !strings.Contains(err.Error(), cfg.cachePath()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// files is how many are open.
func files(t *testing.T) int {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0 // not told here
	}
	return len(open)
}

// Rows that a program has chosen, or that lie with several ranks, are in no cache; nor is one made
// where there can be no directory.
func TestRowsThatAreNotKept(t *testing.T) {
	cfg, f := keeping(t, 300)
	for want, change := range map[string]func(*Config){
		"rows that a program has chosen are not kept":         func(c *Config) { c.Rows = &RowSet{Train: []int{1, 2, 3}} },
		"rows that lie with several ranks are not kept":       func(c *Config) { c.Ranks = ranks.One{} },
		"the rows cannot be kept in " + cfg.Data + "/under: ": func(c *Config) { c.Cache = cfg.Data + "/under" },
	} {
		c := cfg
		change(&c)
		if _, err := FitFrame(t.Context(), f, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
}

// A choice of a level whose rows are lost on the way is none: the error says what to do.
func TestChoiceOfRowsThatAreLost(t *testing.T) {
	cfg, f := keeping(t, 600)
	m, err := FitFrame(t.Context(), f, cfg)
	if err != nil {
		t.Fatal(err)
	}
	m.Run.Close()
	cfg.Levels, cfg.Folds = 1, 2
	cfg.Announce = func(line string) {
		if strings.Contains(line, "not read again") {
			if err := os.Truncate(cfg.cachePath(), 1000); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, _, err := Choose(t.Context(), f, cfg)
	var told *DiskError
	if s != nil || !errors.As(err, &told) || !strings.Contains(err.Error(), cfg.cachePath()) || !strings.Contains(told.Hint(), "delete the file") {
		t.Errorf("%v, %v", s, err)
	}
}

// Rows held out that a program names in any order are read, on disk, in that of the table.
func TestHeldOutInAnyOrderOnDisk(t *testing.T) {
	f := wide(t, 500)
	cfg := DefaultConfig()
	cfg.Target, cfg.Nu, cfg.Rows = "y", level.At(1), &RowSet{Holdout: []int{7, 400, 3, 12}}
	for i := 20; i < 390; i++ {
		cfg.Rows.Train = append(cfg.Rows.Train, i)
	}
	want, err := FitFrame(t.Context(), f, cfg)
	if err != nil {
		t.Fatal(err)
	}
	m, oracle, err := prepareIn(t.Context(), f, cfg, away(t, &cfg, 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.fit(t.Context(), oracle, time.Now()); err != nil {
		t.Fatal(err)
	}
	got, err := m.PredictDataset(m.Run.Holdout, want.Scoring())
	if err != nil || !slices.Equal(got.Rows, []int{3, 7, 12, 400}) {
		t.Fatalf("rows %v: %v", got.Rows, err)
	}
	in, err := want.PredictDataset(want.Run.Holdout, want.Scoring())
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range in.Rows {
		if k := slices.Index(got.Rows, row); got.Score[k] != in.Score[i] || got.Loss[k] != in.Loss[i] {
			t.Errorf("row %d: a score of %v and a loss of %v, in memory %v and %v", row, got.Score[k], got.Loss[k], in.Score[i], in.Loss[i])
		}
	}
}
