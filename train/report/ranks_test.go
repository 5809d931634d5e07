package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// wideTable returns a table with more numeric columns than a report searches, the last of which matters most, and
// with a column that marks hold-out rows.
func wideTable(t *testing.T, n int) *data.Frame {
	t.Helper()
	rng := rand.New(rand.NewPCG(16, 2))
	var columns []data.Column
	y := data.Column{Name: "y", Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
	part := data.Column{Name: "part", Kind: data.Categorical, Type: "string", Level: []string{"train", "test"},
		Code: make([]int32, n)}
	for j := range maxColumns + 6 {
		c := data.Column{Name: fmt.Sprint("x", j), Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
		for i := range n {
			c.Number[i] = rng.NormFloat64()
			y.Number[i] += float64(j) / 30 * c.Number[i] * c.Number[i]
		}
		columns = append(columns, c)
	}
	for i := range n {
		part.Code[i] = int32(rng.IntN(2))
	}
	f := must(data.NewFrame(append(columns, y, part)...))
	return f
}

// The report of several ranks covers the hold-out rows of all ranks and has the same bits for any number of ranks.
// Its evaluation equals that of one process on the same hold-out rows, in memory and on disk.
func TestRanks_ReportThatOfOneProcess(t *testing.T) {
	narrow := tableOf(t, 6000)
	for name, c := range map[string]struct {
		f    *data.Frame
		set  func(*train.Config)
		most int // ranks
	}{
		"classes": {narrow, func(c *train.Config) { c.Groups, c.Drop, c.Impute = []string{"g"}, []string{"w"}, "mean" }, 3},
		"weights": {narrow, func(c *train.Config) {
			c.Target, c.Weight, c.Groups, c.Features = "b", "w", []string{"g", "y"}, []string{"a", "g"}
			c.Impute, c.Adversary = "mean", "groups"
		}, 2},
		"many columns": {wideTable(t, 800), func(c *train.Config) { c.Split = "part" }, 2},
		"fewer rows than ranks": {tableOf(t, 60), func(c *train.Config) {
			c.Holdout, c.Impute, c.Drop = 0.04, "mean",
				[]string{"w"}
		}, 3},
	} {
		cfg := train.DefaultConfig()
		cfg.KeepRows = true
		cfg.Target, cfg.Nu, cfg.Gap = "y", level.At(0.5), 1e-4
		c.set(&cfg)
		o := DefaultOptions()
		o.Resamples, o.MinGroupSize = 100, 1
		var first string
		for size := 1; size <= c.most; size++ {
			for _, disk := range []bool{false, true} {
				o := o
				if disk && size < c.most {
					continue
				}
				if disk {
					o.Cache, o.paging = t.TempDir(), 64
				}
				err := ranks.Run(size, func(comm ranks.Comm) error {
					ctx := ranks.NewContext(t.Context(), comm)
					f, err := columnsOf(c.f)
					if err != nil {
						return err
					}
					m, err := train.FitFrame(ctx, f, cfg)
					if err != nil {
						return err
					}
					x, err := Measure(ctx, m, o)
					if comm.Rank() > 0 || err != nil {
						if x != nil {
							t.Errorf("%s: rank %d of %d measures too", name, comm.Rank(), size)
						}
						return err
					}
					defer x.Close()
					if disk != (x.arena != nil) || len(x.Input.Target) != m.HoldoutRows {
						t.Errorf("%s: %d ranks measure %d of %d rows, on disk: %v", name, size, len(x.Input.Target), m.HoldoutRows,
							x.arena != nil)
					}
					r, err := x.Report()
					if err != nil {
						return err
					}
					r.Certificate.Seconds, r.Trained = 0, time.Time{}
					said := jsonOf(t, r)
					if first == "" {
						first = said
						y := &Measured{model: m, options: o, run: x.run}
						_, held, err := f.SplitRows(t.Context(), data.Holdout{Fraction: cfg.Holdout, Seed: cfg.Seed, Split: cfg.Split})
						if err == nil {
							err = y.evaluateRows(t.Context(), f, held, eval.Holdout)
						}
						if err != nil {
							return err
						}
						if d := differ(jsonOf(t, x.Evaluation), jsonOf(t, y.Evaluation)); d != "" {
							t.Errorf("%s: %d ranks measure otherwise than one process: %s", name, size, d)
						}
					}
					if d := differ(said, first); d != "" {
						t.Errorf("%s: %d ranks report otherwise than one (disk: %v): %s", name, size, disk, d)
					}
					return nil
				})
				if err != nil {
					t.Fatal(name, err)
				}
			}
		}
	}
}

// columnsOf is the same table for another rank.
func columnsOf(f *data.Frame) (*data.Frame, error) {
	var columns []data.Column
	for _, c := range f.Columns {
		columns = append(columns, *c)
	}
	return data.NewFrame(columns...)
}

// differ is where two texts do; "" where they are the same.
func differ(is, want string) string {
	for i := range min(len(is), len(want)) {
		if is[i] != want[i] {
			return fmt.Sprintf("…%s, not …%s", is[max(0, i-300):min(len(is), i+40)], want[max(0, i-40):min(len(want), i+40)])
		}
	}
	if len(is) != len(want) {
		return "one is longer"
	}
	return ""
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Options that a report of several ranks does not support are errors before any communication.
func TestMeasureRanks_Refuses(t *testing.T) {
	f := tableOf(t, 300)
	cfg := train.DefaultConfig()
	cfg.KeepRows = true
	cfg.Target, cfg.Drop, cfg.Impute, cfg.Nu = "y", []string{"w"}, "mean", level.At(1)
	for what, c := range map[string]struct {
		holdout float64
		groups  []string
	}{"groups of the training": {0.2, []string{"g"}}, "training rows": {0, nil}} {
		err := ranks.Run(1, func(comm ranks.Comm) error {
			own := cfg
			own.Holdout = c.holdout
			ctx := ranks.NewContext(context.Background(), comm)
			m, err := train.FitFrame(ctx, f, own)
			if err != nil {
				return err
			}
			o := DefaultOptions()
			o.Groups = c.groups
			_, err = Measure(ctx, m, o)
			return err
		})
		var refused *OptionError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), what[:8]) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
