package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
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

func (w *watch) Load(part string, _ any) (bool, error) {
	w.mu.Lock()
	if kind := numbers.ReplaceAllString(part, "#"); w.kind[kind] == "" {
		w.kind[kind] = part
	}
	w.mu.Unlock()
	return false, w.at(part)
}

func (w *watch) Store(string, any) {}

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
		if kinds := map[string]int{"hidden": 3, "groups": 3, "searches": 2, "margins": 1}[name]; len(all.kind) < kinds {
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
	if err := s.settle(); err != nil {
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
		"2 rows": func() error {
			_, err := Select(t.Context(), table(t, 2, 0, false), nil, DefaultOptions())
			var few *FewRowsError
			if !errors.As(err, &few) {
				t.Errorf("of 2 rows: %v", err)
			}
			return err
		},
		"41 folds of 40 rows": func() error {
			_, err := a.Margins(t.Context(), plainAverage, 41, 1, nil, none)
			return err
		},
	} {
		if err := of(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
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

// A recordedTable is how rows of a recorded choice are drawn.
type recordedTable struct {
	kind   string
	n, d   int
	groups int // named
	loss   losses.Loss
	free   bool // an intercept
	weight bool
}

func (c recordedTable) table(seed uint64) *Table {
	rng := rand.New(rand.NewPCG(seed, 99))
	z, target := make([]float64, c.n*c.d), make([]float64, c.n)
	r := level.Rows{N: c.n}
	for g := range c.groups {
		r.Labels = append(r.Labels, fmt.Sprint("g", g))
	}
	for j := range c.n {
		row := z[j*c.d : (j+1)*c.d]
		m := 0.0
		for i := range row {
			if row[i] = rng.NormFloat64(); c.free && i == c.d-1 {
				row[i] = 1
			}
			m += row[i] * []float64{1, -0.5, 0.3}[i%3]
		}
		g, noise := rng.IntN(10), 0.4*rng.NormFloat64()
		if g -= 6; g < 0 || c.groups > 0 && g >= c.groups {
			g = 0
		}
		if g > 0 {
			switch c.kind {
			case "slope":
				m -= float64(g) * 1.5 * row[0]
			case "noise":
				noise *= 1 + float64(2*g)
			case "shift":
				m += 0.7 * float64(g)
			case "hidden":
				if g > 1 {
					m -= 3 * row[0]
				}
			case "two hidden":
				if g == 1 {
					m -= 4 * row[0]
				} else if g == 2 {
					m += 4 * row[1]
				}
			case "opposite":
				m += float64([]int{0, 4, -4, 0}[g]) * row[0]
			}
		}
		switch c.kind {
		case "curve":
			m += row[0] * row[0]
		case "product":
			m += row[0] * row[1]
		case "fan":
			noise *= 5 * row[0]
		case "heavy":
			noise /= 0.05 + rng.Float64()
		}
		target[j] = m + noise
		if c.loss.Name() == "logistic" {
			target[j] = math.Copysign(1, m+3*noise)
		}
		if c.groups > 0 {
			if j%17 == 5 {
				g = -1
			}
			r.Group = append(r.Group, int32(g))
		}
		if c.weight {
			r.Weights = append(r.Weights, float64(1+rng.IntN(3)))
		}
	}
	x, err := design.NewDense(c.n, c.d, z)
	if err != nil {
		panic(err)
	}
	return &Table{Rows: r, X: x, Target: target, Loss: c.loss, Primal: dro.L2{Mu: 1 / float64(c.n), Intercept: c.free, FreeModulus: c.loss.Smoothness()}}
}
