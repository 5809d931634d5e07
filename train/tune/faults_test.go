package tune

import (
	"context"
	"errors"
	"math"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/level"
)

// A watch is a memory that knows nothing, and does something when it is asked for a part.
type watch struct {
	mu   sync.Mutex
	at   func(part string) error
	kind map[string]string // the first part of every kind asked for, which is its name without numbers
}

var numbers = regexp.MustCompile(`[0-9.e+-]+`)

func (w *watch) Done(part string, _ any) (bool, error) {
	w.mu.Lock()
	if kind := numbers.ReplaceAllString(part, "#"); w.kind[kind] == "" {
		w.kind[kind] = part
	}
	w.mu.Unlock()
	return false, w.at(part)
}

func (w *watch) Finish(string, any) {}

// A memory that cannot be read ends a choice with its error, in any part of it, and so does whoever
// gives it up.
func TestChoiceEndsInAnyPart(t *testing.T) {
	o := DefaultOptions()
	o.Levels, o.Folds, o.Path, o.Ridge = 1, 3, true, true
	named := o
	named.Criterion = "worst-group"
	small := recordedTable{"hidden", 400, 3, 0, losses.Squared{}, true, false}
	grouped := recordedTable{"slope", 200, 3, 2, losses.Squared{}, true, false}
	choices := map[string]func(ctx context.Context, m Memory) error{
		"hidden": func(ctx context.Context, m Memory) error {
			a := small.table(8)
			a.Memory = m
			_, err := Select(ctx, a, nil, o)
			return err
		},
		"groups": func(ctx context.Context, m Memory) error {
			a := grouped.table(1)
			a.Memory = m
			_, err := Select(ctx, a, nil, named)
			return err
		},
		"searches": func(ctx context.Context, m Memory) error {
			a := grouped.table(1)
			a.Memory = m
			s, of, err := searching(ctx, a, named)
			if err == nil {
				_, err = s.run(ctx, of)
			}
			return err
		},
		"margins": func(ctx context.Context, m Memory) error {
			a := small.table(8)
			a.Memory = m
			_, err := a.Margins(ctx, level.Level{Penalty: "kl", Nu: level.At(1)}, 3, 1, nil, func(int, int) {})
			return err
		},
	}
	for name, run := range choices {
		all := &watch{at: func(string) error { return nil }, kind: map[string]string{}}
		if err := run(t.Context(), all); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if kinds := map[string]int{"hidden": 4, "groups": 3, "searches": 2, "margins": 1}[name]; len(all.kind) < kinds {
			t.Errorf("%s has %d kinds of parts: %v", name, len(all.kind), all.kind)
		}
		broken := errors.New("broken")
		for _, part := range all.kind {
			stop := func(is string) error {
				if is == part {
					return broken
				}
				return nil
			}
			if err := run(t.Context(), &watch{at: stop, kind: map[string]string{}}); !errors.Is(err, broken) {
				t.Errorf("%s, a memory without %s: %v", name, part, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			if err := run(ctx, &watch{at: func(is string) error {
				if is == part {
					cancel()
				}
				return nil
			}, kind: map[string]string{}}); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, given up at %s: %v", name, part, err)
			}
			cancel()
		}
	}
}

// searching is a choice on a table of few columns up to its list, that is to search all the same.
func searching(ctx context.Context, a *Table, o Options) (*choosing, []family, error) {
	s := &choosing{Selection: &Selection{Rate: o.Rate, Rule: o.Rule, Of: a.N, Rows: a.N, Mu: a.Primal.Mu}, options: o, table: a}
	if err := s.settle(ctx); err != nil {
		return nil, nil, err
	}
	s.afford()
	start, _, err := a.Solve(ctx, plainAverage, nil)
	if err != nil {
		return nil, nil, err
	}
	s.metric, s.partition = a.metricAt(start), a.partitioned(s.out.fold, s.Folds)
	if err := s.prepare(ctx, start); err != nil {
		return nil, nil, err
	}
	of, err := s.list()
	return s, of, err
}

// What cannot be chosen for want of rows or groups says so.
func TestChoicesForWantOfRows(t *testing.T) {
	a := table(t, 40, 0.2, false)
	none := func(int, int) {}
	for want, of := range map[string]func() error{
		"select worst-group needs groups of at least 20 rows": func() error {
			o := DefaultOptions()
			o.Criterion = "worst-group"
			_, err := Select(t.Context(), a, nil, o)
			return err
		},
		"10 folds of 8 rows": func() error {
			_, err := Select(t.Context(), table(t, 8, 0, false), nil, DefaultOptions())
			var few *FewRowsError
			if !errors.As(err, &few) {
				t.Errorf("of 8 rows: %v", err)
			}
			return err
		},
		"50 folds of 40 rows": func() error { _, err := a.Look(t.Context(), 50, 1); return err },
		"41 folds of 40 rows": func() error {
			_, err := a.Margins(t.Context(), plainAverage, 41, 1, nil, none)
			return err
		},
		"26 rows are too few to find a hidden subgroup": func() error {
			_, err := a.Margins(t.Context(), level.Level{Penalty: "kl", Latent: level.At(0.3)}, 3, 1, nil, none)
			return err
		},
	} {
		if err := of(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
	if s, err := a.Look(t.Context(), 3, 1); s != nil || err != nil || a.Laws(1) != nil {
		t.Errorf("of 40 rows: %+v, %v", s, err)
	}
}

// μ is looked for where there is one, and rows are so few for the columns that it matters.
func TestWhereRidgesAreLookedFor(t *testing.T) {
	o := DefaultOptions()
	o.Criterion, o.Levels, o.Folds, o.Ridge = "average", 1, 2, true
	for _, c := range []struct {
		n      int
		mu     float64
		ridges int
	}{{2*ridgeRows - 1, 1e-3, 4}, {2 * ridgeRows, 1e-3, 0}, {200, 1e-12, 4}, {200, 0, 0}} {
		a := recordedTable{"one law", c.n, 2, 0, losses.Squared{}, true, false}.table(1)
		a.Primal.Mu = c.mu
		s := choose(t, a, o)
		if len(s.Ridges) != c.ridges || c.ridges == 0 && s.Mu != c.mu {
			t.Errorf("%+v: %d ridges, μ = %v", c, len(s.Ridges), s.Mu)
		}
	}
}

// Where the arithmetic fails no subgroup is found, and nothing else happens.
func TestSubgroupsBeyondDoublePrecision(t *testing.T) {
	for _, c := range []struct{ feature, target float64 }{{1e170, 1}, {1, 1e170}, {1e-170, 1}, {1, 0}, {0, 1}} {
		a := recordedTable{"two hidden", 400, 3, 0, losses.Squared{}, false, false}.table(3)
		z := make([]float64, 3*a.N)
		for j := range a.N {
			a.X.RowTo(z[3*j:3*j+3], j)
			a.Target[j] *= c.target
		}
		for k := range z {
			z[k] *= c.feature
		}
		var err error
		if a.X, err = design.NewDense(a.N, 3, z); err != nil {
			t.Fatal(err)
		}
		s, err := a.Look(t.Context(), 3, 1)
		if err != nil || s != nil && (s.Found || math.IsNaN(s.Evidence)) {
			t.Errorf("%+v: %+v, %v", c, s, err)
		}
	}
	a := table(t, 300, 0.2, false)
	fold, err := a.Folds(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	same := make([]float64, a.N)
	for j := range same {
		same[j] = 0.25
	}
	if v := a.explained(same, fold, 3); v != 0 {
		t.Errorf("a membership that is the same for all is explained by %v", v)
	}
}

// An identity is the features of so many rows of which a Gram matrix costs nothing.
type identity struct {
	design.Matrix
	n, d int
}

func (x identity) Dims() (n, d int)                         { return x.n, x.d }
func (x identity) Work() (pass, gram float64)               { return 1, 1 }
func (x identity) MarginsTo([]float64, []float64, int, int) {}
func (x identity) AddGramTo(to, _ []float64, _, _ int) {
	for i := range x.d {
		to[i*x.d+i]++
	}
}

// A metric takes the memory of four matrices at once that it adds up, and of no more where its rows
// have more shards.
func TestMemoryOfAMetric(t *testing.T) {
	const d = 350
	took := func(n int) float64 {
		a := &Table{Rows: level.Rows{N: n}, X: identity{n: n, d: d}, Target: make([]float64, n), Loss: losses.Squared{}, Primal: dro.L2{Mu: 1}}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if a.metricAt(make([]float64, d)) == nil {
			t.Fatal("there is no metric")
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc-before.TotalAlloc-uint64(16*n)) / (8 * d * d)
	}
	took(100)
	if few, many := took(100), took(metricRows*d); shard.Count(metricRows*d) < 5 || !(many > few+2.5 && many < few+3.5) {
		t.Errorf("%.1f matrices of few rows, %.1f of %d shards", few, many, shard.Count(metricRows*d))
	}
}

// Of a class with too few rows for the folds it is said how many can be dealt, where any can.
func TestFoldsOfARareClass(t *testing.T) {
	for rare, want := range map[int]string{1: "1 of the 30 training rows is of the rarer one, and there are 3 folds", 2: "and there are 3 folds: at most 2 can be dealt"} {
		a := recordedTable{"one law", 30, 2, 0, losses.Logistic{}, true, false}.table(1)
		for j := range a.Target {
			if a.Target[j] = -1; j < rare {
				a.Target[j] = 1
			}
		}
		if _, err := a.Folds(3, 1); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%d rows of a class: %v", rare, err)
		}
		if _, err := a.Folds(rare, 1); (err == nil) != (rare == 2) {
			t.Errorf("%d folds of %d rows of a class: %v", rare, rare, err)
		}
	}
}
