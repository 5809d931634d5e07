package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/train/level"
)

// ranked trains on the given number of ranks and returns the model of every rank.
func ranked(t *testing.T, size int, f *data.Frame, c Config) []*Model {
	t.Helper()
	models, _ := counted(t, size, f, c)
	return models
}

// counted works like ranked and also returns the traffic of every rank.
func counted(t *testing.T, size int, f *data.Frame, c Config) ([]*Model, []ranks.Traffic) {
	t.Helper()
	out, travelled := make([]*Model, size), make([]ranks.Traffic, size)
	err := ranks.Run(size, func(comm ranks.Comm) error {
		comm, traffic := ranks.CountTraffic(comm)
		m, err := onRank(comm, f, c)
		if err == nil {
			m.GatherRows()
		}
		out[comm.Rank()], travelled[comm.Rank()] = m, traffic()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, travelled
}

// onRank trains on the rank of comm.
func onRank(comm ranks.Comm, f *data.Frame, c Config) (*Model, error) {
	f, err := again(f)
	if err != nil {
		return nil, err
	}
	return FitFrame(ranks.NewContext(context.Background(), comm), f, c)
}

// again returns a copy of the table.
func again(f *data.Frame) (*data.Frame, error) {
	var columns []data.Column
	for _, c := range f.Columns {
		columns = append(columns, *c)
	}
	return data.NewFrame(columns...)
}

// written returns the saved model without its times.
func written(t *testing.T, m *Model) []byte {
	t.Helper()
	c := *m
	c.Result.Seconds, c.Trace, c.Trained = 0, nil, time.Time{}
	// which the first rank has alone
	c.Notes = slices.DeleteFunc(slices.Clone(m.Notes), func(n string) bool { return strings.HasPrefix(n, "warning: ") })
	b := marshal(t, &c)
	return b
}

// Several ranks train the model of one process, with the same bits for any number of ranks: encoder, optimum within
// the gap, and risks of groups. The number of rounds of communication, including those of baselines, the choice and
// the report, does not depend on the number of ranks, and the number of bytes hardly does. A pass takes at most 13
// rounds.
func TestFit_RanksSameModel(t *testing.T) {
	f := wide(t, 16_000)
	a, weight := f.Columns[1], data.Column{Name: "w", Kind: data.Numeric, Type: "double", Number: make([]float64, f.Rows)}
	a.Null = make([]bool, f.Rows)
	for i := range a.Null {
		a.Null[i] = i%97 == 0
		weight.Number[i] = 1 + float64(i%3)
	}
	f = newFrame(t, *f.Columns[0], *a, *f.Columns[2], *f.Columns[3], weight)
	for name, of := range map[string]struct {
		megabytes float64 // at most
		set       func(*Config)
	}{
		"chosen": {3.1, func(c *Config) { c.Groups, c.GroupFeatures, c.Drop = []string{"g"}, false, []string{"w"} }},
		"kl":     {3, func(c *Config) { c.Nu, c.Weight = level.At(0.5), "w" }},
		"sparse": {4.2, func(c *Config) {
			c.Loss, c.Ess, c.Storage, c.Drop = "squared", level.At(0.5), "sparse",
				[]string{"w"}
		}},
		"float32": {3, func(c *Config) { c.Penalty, c.Nu, c.Storage, c.Weight = "chi2", level.At(1), "float32", "w" }},
	} {
		if name == "float32" && os.Getenv("DROTRAIN_LONG") == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			c := keepingRows()
			c.Target, c.Impute = "y", "mean"
			of.set(&c)
			alone := fitFrame(t, f, c)
			var first []byte
			var travel ranks.Traffic
			for _, size := range []int{1, 3} {
				held := 0
				var mu sync.Mutex
				passes := map[string]float64{} // by phase; every rank makes the same
				c.Observe = func(p Progress) {
					mu.Lock()
					defer mu.Unlock()
					passes[p.Phase] = max(passes[p.Phase], p.Passes)
				}
				models, travelled := counted(t, size, f, c)
				rounds := 20.0
				for _, n := range passes {
					rounds += 14 * n
				}
				if first == nil {
					travel = travelled[0]
				}
				for r, n := range travelled {
					if n.Rounds != travel.Rounds || float64(n.Rounds) > rounds || float64(n.Bytes) > 1e6*of.megabytes {
						t.Errorf("rank %d of %d: %d rounds and %.2f MB, one rank %d; no more than %v and %v", r, size, n.Rounds,
							float64(n.Bytes)/1e6, travel.Rounds, rounds, of.megabytes)
					}
				}
				for r, m := range models {
					if held += m.Run.Holdout.N; m.HoldoutRows != alone.HoldoutRows || r == size-1 && held != alone.HoldoutRows {
						t.Errorf("rank %d of %d has the last of %d hold-out rows, and says %d", r, size, held, m.HoldoutRows)
					}
					if !m.Result.Certified || m.TrainRows != alone.TrainRows {
						t.Fatalf("rank %d of %d: %+v", r, size, m.Result)
					}
					if b := written(t, m); first == nil {
						first = b
					} else if !bytes.Equal(b, first) {
						t.Fatalf("rank %d of %d has another model than one rank:\n%s\n%s", r, size, b, first)
					}
					if name == "chosen" && m.Config.Level.String() != alone.Config.Level.String() {
						continue // a choice on other folds: other levels are as good
					}
					if !(math.Abs(m.Result.Objective-alone.Result.Objective) <= 1e-6*alone.Result.Objective) {
						t.Errorf("the objective is %v, alone %v", m.Result.Objective, alone.Result.Objective)
					}
					alone.Encoder.Profile = nil // which ranks do not make
					if a, b := encoded(t, m), encoded(t, alone); a != b {
						t.Errorf("the encoder is %s, alone %s", a, b)
					}
					for k, g := range m.Result.Groups {
						if other := alone.Result.Groups[k]; g.Count != other.Count || !(math.Abs(g.Risk-other.Risk) <= 1e-2*other.Risk) {
							t.Errorf("group %+v, alone %+v", g, other)
						}
					}
					if r > 0 {
						continue // the first rank has what a report takes of all rows
					}
					total := 0.0
					for _, w := range m.Run.Weights {
						total += w
					}
					if !(math.Abs(total-1) <= 1e-9) || len(m.Run.Loss) != m.TrainRows {
						t.Errorf("weights of %d rows sum to %v", len(m.Run.Weights), total)
					}
				}
			}
		})
	}
}

// If rank 0 has too little memory to gather the training rows, a note says so, and all ranks omit the weights.
func TestGatherRows_WithoutMemory(t *testing.T) {
	f := wide(t, 2000)
	c := keepingRows()
	c.Target, c.Nu = "y", level.At(0.5)
	err := ranks.Run(2, func(comm ranks.Comm) error {
		m, err := onRank(comm, f, c)
		if err != nil {
			return err
		}
		notes := len(m.Notes)
		if comm.Rank() == 0 {
			defer debug.SetMemoryLimit(debug.SetMemoryLimit(1))
		}
		m.GatherRows()
		if m.Run.Weights != nil {
			t.Errorf("rank %d has what the first one has no room for", comm.Rank())
		}
		if said := strings.Join(m.Notes[notes:], ""); strings.Contains(said,
			"the adversary's weight by group is not reported") != (comm.Rank() == 0) {
			t.Errorf("rank %d says %q", comm.Rank(), said)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Ranks without rows take part in all collective calls.
func TestRanks_WithoutRows(t *testing.T) {
	f := wide(t, 400)
	weight := data.Column{Name: "w", Kind: data.Numeric, Type: "double", Number: make([]float64, f.Rows)}
	for i := range weight.Number {
		weight.Number[i] = 1 + float64(i%3)
	}
	f = newFrame(t, *f.Columns[0], *f.Columns[1], *f.Columns[2], *f.Columns[3], weight)
	for name, set := range map[string]func(*Config){
		"rows":   func(c *Config) { c.Target, c.Nu, c.Groups = "y", level.At(0.5), []string{"g"} },
		"groups": func(c *Config) { c.Target, c.Nu, c.Groups, c.Adversary = "b", level.At(0.5), []string{"g"}, "groups" },
	} {
		c := keepingRows()
		c.Weight = "w"
		set(&c)
		one, four := written(t, ranked(t, 1, f, c)[0]), written(t, ranked(t, 4, f, c)[0])
		if !bytes.Equal(one, four) {
			t.Errorf("%s: four ranks have another model than one:\n%s\n%s", name, four, one)
		}
	}
}

func encoded(t *testing.T, m *Model) string {
	t.Helper()
	e := *m.Encoder
	e.Target.Shift, e.Target.Scale = 0, 0 // sums in the order of the rows
	b := marshal(t, e)
	return string(b)
}

// An error in a row of one rank is returned by all ranks, with the row.
func TestRanks_ReportFaults(t *testing.T) {
	f := wide(t, 21_000)
	for _, row := range []int{3, 20_990} {
		b := *f.Columns[2]
		b.Number = slices.Clone(b.Number)
		b.Number[row] = math.Inf(1)
		bad := newFrame(t, *f.Columns[0], *f.Columns[1], b)
		c := keepingRows()
		c.Target, c.Nu, c.Holdout = "y", level.At(1), 0
		told := make([]error, 3)
		_ = ranks.Run(3, func(comm ranks.Comm) error {
			_, told[comm.Rank()] = onRank(comm, bad, c)
			return nil
		})
		for r, err := range told {
			var at *data.Error
			if !errors.As(err, &at) || at.Column != "b" || at.Row != row+1 {
				t.Errorf("rank %d: %v", r, err)
			}
		}
	}
}

func TestRanks_Refuse(t *testing.T) {
	c := keepingRows()
	c.Target, c.Evaluate, c.Holdout, c.Recalibrate = "y", EvaluateCrossfit, 0, true
	_, err := FitFrame(ranks.NewContext(context.Background(), ranks.One{}), wide(t, 100), c)
	if err == nil || !strings.Contains(err.Error(), "Config.Recalibrate does not work with several ranks") ||
		!strings.Contains(err.Error(), "Config.Evaluate crossfit does not work with several ranks") {
		t.Error(err)
	}
}

// Errors in hold-out rows or in the choice of a level are returned by all ranks.
func TestFit_RanksReportFaults(t *testing.T) {
	f := wide(t, 21_000)
	held := *f.Columns[2]
	held.Number = slices.Clone(held.Number)
	cfg := keepingRows()
	cfg.Target, cfg.Nu = "y", level.At(1)
	_, rows, err := f.SplitRows(t.Context(), cfg.dataHoldout())
	if err != nil {
		t.Fatal(err)
	}
	held.Number[rows[5]] = math.Inf(1)
	bad := newFrame(t, *f.Columns[0], *f.Columns[1], held)
	for name, c := range map[string]struct {
		f    *data.Frame
		set  func(*Config)
		want string
	}{
		"a row held out": {bad, func(*Config) {}, fmt.Sprintf("row %d", rows[5]+1)},
		"no groups": {f, func(c *Config) { c.Nu, c.Select, c.Drop = nil, "worst-group", []string{"g"} },
			"Config.Select worst-group needs groups"},
		"a filter":  {f, func(c *Config) { c.Filter = "b >" }, "filter, character 4"},
		"no weight": {f, func(c *Config) { c.Weight = "nowhere" }, "nowhere"},
	} {
		told := make([]error, 3)
		_ = ranks.Run(3, func(comm ranks.Comm) error {
			own := cfg
			c.set(&own)
			_, told[comm.Rank()] = onRank(comm, c.f, own)
			return nil
		})
		for r, err := range told {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, rank %d: %v", name, r, err)
			}
		}
	}
}

// The notes of several ranks are those of one process, such as findings about columns that determine the target, and
// the smearing factor.
func TestFitFrame_NotesOverRanks(t *testing.T) {
	const n = 12_000
	number := func(name string, of func(i int) float64) data.Column {
		c := data.Column{Name: name, Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
		for i := range n {
			c.Number[i] = of(i)
		}
		return c
	}
	noise := func(i int) float64 { return float64(i*7919%1009) / 1009 }
	a, b := func(i int) float64 { return float64(i * 104729 % 997) }, func(
		i int) float64 {
		return float64(i * 1299709 % 991)
	}
	for name, f := range map[string]func() (*data.Frame, error){
		"too good": func() (*data.Frame, error) {
			return data.NewFrame(number("y", func(i int) float64 { return a(i) + b(i) }), number("a", a), number("b", b))
		},
		"logarithm": func() (*data.Frame, error) {
			return data.NewFrame(number("y", func(i int) float64 { return math.Exp(a(i)/400 + 3*noise(i)) }), number("a", a),
				number("b", b))
		},
	} {
		table, err := f()
		if err != nil {
			t.Fatal(err)
		}
		c := keepingRows()
		if c.Target, c.Average, c.Gap = "y", "plain", 1e-9; name == "logarithm" {
			c.TargetTransform = "log"
		}
		alone := fitFrame(t, table, c)
		last := alone.Notes[len(alone.Notes)-1]
		if at := slices.IndexFunc(alone.Notes, func(note string) bool {
			return strings.Contains(note, "determine the target")
		}); at >= 0 {
			last = alone.Notes[at]
		}
		if !strings.Contains(last, "determine the target") && !strings.Contains(last, "smearing factor") {
			t.Fatalf("%s: one process says %q", name, last)
		}
		said, _, _ := strings.Cut(last, " Without ") // the column's share, which depends on the rows
		for _, size := range []int{1, 3} {
			for r, m := range ranked(t, size, table, c) {
				says := slices.ContainsFunc(m.Notes, func(note string) bool { return strings.HasPrefix(note, said) })
				if want := r == 0 || name == "logarithm"; says != want ||
					!(math.Abs(m.Encoder.Target.Smear-alone.Encoder.Target.Smear) <= 1e-4*alone.Encoder.Target.Smear) {
					t.Errorf("%s: rank %d of %d says %q, and has a factor of %v; one process %q, and %v", name, r, size, m.Notes,
						m.Encoder.Target.Smear, last, alone.Encoder.Target.Smear)
				}
			}
		}
	}
}
