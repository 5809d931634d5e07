package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/limit"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train/level"
)

// wide draws a table of a target, numbers, a category and groups.
func wide(t *testing.T, n int) *data.Frame {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 5))
	number := func(name string) data.Column {
		return data.Column{Name: name, Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
	}
	y, a, b := number("y"), number("a"), number("b")
	g := data.Column{Name: "g", Kind: data.Categorical, Level: []string{"p", "q", "r"}, Code: make([]int32, n)}
	for i := range n {
		a.Number[i], b.Number[i], g.Code[i] = rng.NormFloat64(), rng.ExpFloat64(), rng.Int32N(3)
		m := a.Number[i] - 0.5*b.Number[i]
		if g.Code[i] == 2 {
			m = -m
		}
		if rng.Float64() < 1/(1+math.Exp(-m)) {
			y.Number[i] = 1
		}
	}
	f := newFrame(t, y, a, b, g)
	return f
}

// away returns a directory for rows on disk, which must be empty at the end of the test.
func away(t *testing.T, c *Config, resident int64) *diskStorage {
	t.Helper()
	c.Cache = t.TempDir()
	o, err := c.newDiskStorage(&data.Frame{}, true)
	if err != nil {
		t.Fatal(err)
	}
	o.Arena.Close()
	if o.Arena, err = memory.NewArena(c.Cache, resident); err != nil {
		t.Fatal(err)
	}
	o.Arena.MinSize, o.Memory, o.Bucket = 1, 1<<18, 1
	t.Cleanup(func() {
		o.close()
		if files, err := os.ReadDir(c.Cache); err != nil || len(files) > 0 {
			t.Errorf("left behind: %v, %v", files, err)
		}
		if n := o.Arena.Slices(); n > 0 {
			t.Errorf("%d vectors are still on disk", n)
		}
	})
	return o
}

// A model of rows on disk equals that of the same rows in memory: level, optimum and summary, whichever parts are on
// disk.
func TestFit_RowsOnDiskSameModel(t *testing.T) {
	f := wide(t, 25_000) // two buckets
	for name, set := range map[string]func(*Config){
		"chosen":  func(c *Config) { c.Groups = []string{"g"} },
		"chi2":    func(c *Config) { c.Penalty, c.Nu, c.Recalibrate = "chi2", level.At(1), true },
		"protect": func(c *Config) { c.Protect, c.Storage = level.At(0.3), "float32" },
		"squared": func(c *Config) { c.Loss, c.Ess, c.Storage = "squared", level.At(0.5), "sparse" },
	} {
		if os.Getenv("DROTRAIN_LONG") == "" && name == "protect" {
			continue
		}
		cfg := keepingRows()
		cfg.Target, cfg.Gap = "y", 1e-5
		set(&cfg)
		want := fitFrame(t, f, cfg)
		o := away(t, &cfg, 0)
		m, oracle, err := prepareTrainingOn(context.Background(), f, cfg, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.trainAndCheckDisk(context.Background(), oracle, time.Now()); err != nil || o.err() != nil {
			t.Fatalf("%s: %v, %v", name, err, o.err())
		}
		if !m.Result.Certified || m.Config.Level.String() != want.Config.Level.String() ||
			m.Config.Storage != want.Config.Storage {
			t.Errorf("%s: %v %s %s, in memory %s %s", name, m.Result.Status, m.Config.Level, m.Config.Storage, want.Config.Level,
				want.Config.Storage)
		}
		for what, pair := range map[string][2]float64{
			"objective":        {m.Result.Objective, want.Result.Objective},
			"ERM's":            {m.Result.ERM.RobustRisk, want.Result.ERM.RobustRisk},
			"effective sample": {m.Result.EffectiveSampleSize, want.Result.EffectiveSampleSize},
		} {
			if !(math.Abs(pair[0]-pair[1]) <= 1e-3*pair[1]) ||
				what == "objective" && !(math.Abs(pair[0]-pair[1]) <= 2e-5*pair[1]) {
				t.Errorf("%s: %s %v, in memory %v", name, what, pair[0], pair[1])
			}
		}
		if r, in := m.Result.Recalibration, want.Result.Recalibration; (r == nil) != (in == nil) ||
			r != nil && !(math.Abs(r.Slope-in.Slope)+math.Abs(r.Intercept-in.Intercept) < 1e-3 &&
				math.Abs(r.After-in.After) < 1e-6) {
			t.Errorf("%s: recalibrated %+v, in memory %+v", name, r, in)
		}
		if !slices.Equal(m.Run.Train.Rows, want.Run.Train.Rows) || len(m.Run.Loss) != m.TrainRows ||
			!slices.Equal(m.Run.Holdout.Rows, want.Run.Holdout.Rows) {
			t.Errorf("%s: other rows", name)
		}
		got, err := m.PredictDataset(m.Run.Holdout, m.ScoringCoefficients())
		if err != nil {
			t.Fatal(name, err)
		}
		if one, err := m.PredictDataset(want.Run.Holdout, m.ScoringCoefficients()); err != nil ||
			!slices.Equal(got.Score, one.Score) || !slices.Equal(got.Loss, one.Loss) {
			t.Errorf("%s: hold-out rows on disk have other scores, %v", name, err)
		}
	}
}

// The estimated bytes decide whether the rows are stored on disk, and errors state them.
func TestNewDiskStorage_Decision(t *testing.T) {
	frame := func(rows, columns int) *data.Frame {
		f := &data.Frame{Rows: rows}
		for i := range columns {
			f.Columns = append(f.Columns, &data.Column{Name: fmt.Sprint(i), Kind: data.Numeric})
		}
		f.Columns = append(f.Columns, &data.Column{Name: "y", Kind: data.Numeric})
		return f
	}
	for _, c := range []struct {
		rows, columns int
		memory        int64
		want          string // "" for memory, "disk", else of the error
	}{
		{1000, 20, 0, ""},
		{1000, 20, 1 << 30, ""},
		{10_000_000, 20, 400 << 20, "disk"},
		{10_000_000, 20, 100 << 20, "100 MB of memory (Config.Memory) is not enough"},
		{30_000_000, 20, 1 << 30, "disk"},
		{5_000_000, 20, 3 << 29, ""},
		{500_000_000, 2, 1 << 30, "targets, groups and categories need"},
		{20_000_000, 1 << 20, 1 << 30, "of disk space are needed"},
	} {
		cfg := keepingRows()
		cfg.Target, cfg.Cache, cfg.Memory = "y", t.TempDir()+"/not/there", c.memory
		cfg.Level.Nu = level.At(1) // no memory for a choice
		said := ""
		cfg.Announce = func(line string) { said = line }
		f := frame(c.rows, min(c.columns, 100))
		if c.columns > 100 {
			f = frame(c.rows, 2)
			for range c.columns {
				f.Columns = append(f.Columns, f.Columns[0])
			}
		}
		budget := limit.NewBudget(c.memory)
		if c.memory > 0 {
			budget.Used = 0 // whatever earlier tests hold
		}
		o, err := cfg.newDiskStorageWithin(budget, f, false)
		switch {
		case err != nil:
			if c.want == "" || !strings.Contains(err.Error(), c.want) || !errors.Is(err, data.ErrMemory) {
				t.Errorf("%d × %d in %s: %v", c.rows, c.columns, formatBytes(c.memory), err)
			}
		case (o != nil) != (c.want == "disk") || o != nil && !strings.Contains(said, "is stored in"):
			t.Errorf("%d × %d in %s: on disk %v, %q", c.rows, c.columns, formatBytes(c.memory), o != nil, said)
		}
		o.close()
	}
	// What is few enough to be refused for nothing else fits into the least memory there may be.
	cfg := keepingRows()
	cfg.Target, cfg.Cache, cfg.Memory = "y", t.TempDir(), limit.LeastOnDisk
	least, err := cfg.newDiskStorage(frame(10, 3), true)
	if err != nil || least == nil {
		t.Errorf("ten rows in %s: %v", formatBytes(limit.LeastOnDisk), err)
	}
	least.close()
	cfg.Memory--
	if _, err := cfg.newDiskStorage(frame(10, 3), true); err == nil || !strings.Contains(err.Error(), "not enough") {
		t.Errorf("ten rows in a byte less: %v", err)
	}
}

// The estimates of memory and disk agree with counts by hand: numbers of eight or four bytes, 90 bytes per row in
// memory and, on disk, buckets or vectors.
func TestDemands_CountedByHand(t *testing.T) {
	f := &data.Frame{Rows: 1000, Columns: []*data.Column{{Name: "y", Kind: data.Numeric},
		{Name: "g", Kind: data.Categorical}}}
	for i := range 4 {
		f.Columns = append(f.Columns, &data.Column{Name: fmt.Sprint(i), Kind: data.Numeric})
	}
	f.Columns = append(f.Columns, &data.Column{Name: "k", Kind: data.Categorical})
	least := int64(limit.LeastOnDisk / 2)
	for name, c := range map[string]struct {
		set  func(c *Config)
		want memoryDemand
	}{
		"as it is": {func(*Config) {}, memoryDemand{columns: 6, matrix: 38400, memory: 138000, heap: 14000 + least,
			disk: 48000 + 9600 + 240000}},
		"no hold-out": {func(c *Config) { c.Holdout = 0 },
			memoryDemand{columns: 6, matrix: 48000, memory: 138000, heap: 14000 + least, disk: 48000 + 12000 + 180000}},
		"float32": {func(c *Config) { c.Storage, c.Holdout = "float32", 0 },
			memoryDemand{columns: 6, matrix: 24000, memory: 114000, heap: 14000 + least, disk: 24000 + 6000 + 180000}},
		"raw, no constant": {func(c *Config) { c.Scale, c.Intercept, c.Holdout = "none", false, 0 },
			memoryDemand{columns: 5, matrix: 40000, memory: 130000, heap: 14000 + least, disk: 40000 + 10000 + 180000}},
		"cross-fitted": {func(c *Config) { c.Evaluate, c.Holdout = EvaluateCrossfit, 0 },
			memoryDemand{columns: 6, matrix: 48000, memory: 138000 + 110400, heap: 14000 + least,
				disk: 48000 + 12000 + 48000 + 180000}},
		"group coefficients": {func(c *Config) { c.GroupFeatures, c.Holdout = true, 0 },
			memoryDemand{columns: 7, matrix: 56000, memory: 146000 + 156000, choice: 156000, heap: 15000 + least + 156000,
				disk: 56000 + 14000 + 180000, choosesDesign: true}},
		"filtered": {func(c *Config) { c.Filter, c.Holdout = "0 > 1", 0 },
			memoryDemand{columns: 6, matrix: 48000, memory: 138000, heap: 30000 + least, disk: 48000 + 12000 + 180000}},
		"rows given": {func(c *Config) { c.Rows, c.Holdout = &RowSet{}, 0 },
			memoryDemand{columns: 6, matrix: 48000, memory: 138000, heap: 30000 + least, disk: 48000 + 12000 + 180000}},
		"groups twice": {func(c *Config) { c.Groups, c.Holdout = []string{"g", "k"}, 0 },
			memoryDemand{columns: 5, matrix: 40000, memory: 130000, heap: 17000 + least, disk: 40000 + 10000 + 180000}},
	} {
		cfg := keepingRows()
		cfg.Target, cfg.Groups, cfg.GroupFeatures, cfg.Level =
			"y", []string{"g"}, false, level.Level{Nu: level.At(1), Penalty: "kl"}
		c.set(&cfg)
		if got := cfg.estimateDemand(f); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	many := &data.Frame{Rows: 10}
	for i := range 40 {
		many.Columns = append(many.Columns, &data.Column{Name: fmt.Sprint(i), Kind: data.Numeric})
	}
	cfg := keepingRows()
	cfg.Target, cfg.Holdout = "0", 0
	if d := cfg.estimateDemand(many); d.disk != 10*40*8+10*40*8/4+10*8*41+10*22 { // buckets
		t.Errorf("buckets: %+v", d)
	}
}

// The estimates include the copies of the rows for choosing the level, and a table that was read as a whole; errors
// state both sizes.
func TestDemands_ChoiceAndTableInMemory(t *testing.T) {
	cfg := keepingRows()
	cfg.Target, cfg.Holdout, cfg.Cache, cfg.Memory = "y", 0, t.TempDir(), 180<<20
	f := &data.Frame{Rows: 200_000}
	for i := range 20 {
		f.Columns = append(f.Columns, &data.Column{Name: fmt.Sprint(i), Kind: data.Numeric})
	}
	f.Columns = append(f.Columns, &data.Column{Name: "y", Kind: data.Numeric})
	chosen := cfg.estimateDemand(f)
	cfg.Level.Nu = level.At(1)
	set := cfg.estimateDemand(f)
	const sample = 100_000 * 21 * 8 // the least copy: that of the rows of the choice
	if extra := chosen.memory - set.memory; !(extra >= 2*sample && extra <= 10*sample) || chosen.heap-set.heap != extra {
		t.Errorf("choosing takes %d bytes in memory and %d with the rows on disk", extra, chosen.heap-set.heap)
	}
	for _, col := range f.Columns {
		col.Number = make([]float64, f.Rows)
	}
	whole := cfg.estimateDemand(f)
	if want := set.heap + 21*8*200_000; whole.heap != want {
		t.Errorf("a table in memory: %d bytes cannot leave it, want %d", whole.heap, want)
	}
	cfg.Level.Nu, cfg.OnDisk = nil, true
	if o, err := cfg.newDiskStorage(f, false); o != nil || err == nil || !errors.Is(err, data.ErrMemory) ||
		!strings.Contains(err.Error(), "the choice of the robustness ") ||
		!strings.Contains(err.Error(), "the columns in memory ") {
		t.Errorf("on disk %v, %v", o != nil, err)
		o.close()
	}
}

// Rerun returns an error that states the number of rows, before it reads the table, if the rows do not fit into
// memory.
func TestRerun_TooLittleMemory(t *testing.T) {
	f := wide(t, 3000)
	cfg := keepingRows()
	cfg.Target, cfg.Nu, cfg.Gap = "y", level.At(1), 1e-3
	m := fitFrame(t, f, cfg)
	m.Run = nil
	was := debug.SetMemoryLimit(1)
	err := m.Rerun(t.Context(), f)
	debug.SetMemoryLimit(was)
	var refused *MemoryError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "3000 rows × 6 columns of the training table again") ||
		!strings.Contains(refused.Hint(), "Config.Cache") {
		t.Errorf("%v", err)
	}
}

// onDiskConfig returns a table of n rows in a file and a configuration that stores its
// training rows on disk.
func onDiskConfig(t *testing.T, n int) (Config, *data.Frame) {
	t.Helper()
	f := wide(t, n)
	var columns []data.Column
	for _, c := range f.Columns {
		columns = append(columns, *c)
	}
	cfg := keepingRows()
	cfg.Data = filepath.Join(t.TempDir(), "t.parquet")
	if err := data.WriteTable(cfg.Data, columns, false); err != nil {
		t.Fatal(err)
	}
	cfg.Target, cfg.Groups, cfg.Cache, cfg.OnDisk = "y", []string{"g"}, filepath.Join(t.TempDir(), "cache"), true
	cfg.Nu = level.At(0.3)
	return cfg, f
}

// Hold-out rows that a program lists in any order are stored on disk in the order of the table.
func TestFit_HoldoutOrderOnDisk(t *testing.T) {
	f := wide(t, 500)
	cfg := keepingRows()
	cfg.Target, cfg.Nu, cfg.Rows = "y", level.At(1), &RowSet{Holdout: []int{7, 400, 3, 12}}
	for i := 20; i < 390; i++ {
		cfg.Rows.Train = append(cfg.Rows.Train, i)
	}
	want := fitFrame(t, f, cfg)
	m, oracle, err := prepareTrainingOn(t.Context(), f, cfg, away(t, &cfg, 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.trainAndCheckDisk(t.Context(), oracle, time.Now()); err != nil {
		t.Fatal(err)
	}
	got, err := m.PredictDataset(m.Run.Holdout, want.ScoringCoefficients())
	if err != nil || !slices.Equal(got.Rows, []int{3, 7, 12, 400}) {
		t.Fatalf("rows %v: %v", got.Rows, err)
	}
	in, err := want.PredictDataset(want.Run.Holdout, want.ScoringCoefficients())
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range in.Rows {
		if k := slices.Index(got.Rows, row); got.Score[k] != in.Score[i] || got.Loss[k] != in.Loss[i] {
			t.Errorf("row %d: a score of %v and a loss of %v, in memory %v and %v", row, got.Score[k], got.Loss[k], in.Score[i],
				in.Loss[i])
		}
	}
}

// A table of text that neither memory nor the disk can hold is refused while it is read.
func TestCheckSize_WithoutDisk(t *testing.T) {
	columns := []string{"y", "a", "b", "c", "d", "e"}
	const onDisk = "needs at least 160 MB"
	for _, c := range []struct {
		name   string
		memory int64
		cache  string
		size   data.Size
		want   string // part of the error if the table is refused
	}{
		{"a table that fits", limit.LeastOnDisk - 1, "out", data.Size{Rows: 1000, Columns: columns}, ""},
		{"too many rows", limit.LeastOnDisk - 1, "out", data.Size{Rows: 2_000_000, Columns: columns}, onDisk},
		{"too many values in memory", limit.LeastOnDisk - 1, "out",
			data.Size{Rows: 1000, Columns: columns, Bytes: limit.LeastOnDisk}, onDisk},
		{"rows that may be stored on disk", limit.LeastOnDisk, "out", data.Size{Rows: 3_000_000, Columns: columns}, ""},
		{"too many rows for the disk", limit.LeastOnDisk, "out", data.Size{Rows: 5_000_000, Columns: columns},
			"only numeric features are stored on disk"},
		{"no directory", limit.LeastOnDisk - 1, "", data.Size{Rows: 3_000_000, Columns: columns}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := DefaultConfig()
			cfg.Target, cfg.Nu, cfg.Cache = "y", level.At(1), c.cache
			err := cfg.checkSizeWithin(limit.Budget{Total: c.memory}, c.size)
			if (err != nil) != (c.want != "") {
				t.Fatalf("refused: %v", err)
			}
			if err != nil && !(errors.Is(err, data.ErrMemory) && strings.Contains(err.Error(), c.want)) {
				t.Error(err)
			}
		})
	}
}
