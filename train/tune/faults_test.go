package tune

import (
	"context"
	"errors"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/level"
)

// A watch is a memory that has nothing and calls at for every part asked for.
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

// An error of the memory or a cancelled context ends the choice in any part.
func TestSelect_EndsWithAnErrorInAnyPart(t *testing.T) {
	o := DefaultOptions()
	o.Path, o.Ridge = true, true
	choices := map[string]func(ctx context.Context, m Memory) error{
		"rows": func(ctx context.Context, m Memory) error {
			a := table(t, 200, 0.3, false)
			a.Memory = m
			_, err := Select(ctx, a, nil, o)
			return err
		},
		"margins": func(ctx context.Context, m Memory) error {
			a := table(t, 200, 0.3, true)
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
		if kinds := map[string]int{"rows": 2, "margins": 1}[name]; len(all.kind) < kinds {
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

// Too few rows or groups are an error that states the reason.
func TestSelect_TooFewRowsOrGroups(t *testing.T) {
	a := table(t, 40, 0.2, false)
	none := func(int, int) {}
	for want, of := range map[string]func() error{
		"Config.Select worst-group needs groups of at least 5 rows": func() error {
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
		"41 folds for 40 rows": func() error {
			_, err := a.Margins(t.Context(), erm, 41, 1, nil, none)
			return err
		},
	} {
		if err := of(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
}

// μ is chosen if it is above 0 and there are few rows for the number of columns.
func TestSelect_ChoosesMuOnlyWhereItMatters(t *testing.T) {
	o := DefaultOptions()
	o.Criterion, o.Folds, o.Ridge = "average", 2, true
	for _, c := range []struct {
		n    int
		mu   float64
		more bool
	}{{4*ridgeRows - 1, 1e-3, true}, {4 * ridgeRows, 1e-3, false}, {200, 1e-12, true}, {200, 0, false}} {
		a := table(t, c.n, 0, false)
		a.Primal.Mu = c.mu
		distinct := map[float64]bool{}
		for _, k := range choose(t, a, o).Candidates {
			distinct[k.Mu] = true
		}
		if len(distinct) > 1 != c.more || !distinct[c.mu] {
			t.Errorf("%+v: μ of %v", c, distinct)
		}
	}
}

// The error of a class with fewer rows than folds says how many folds are possible.
func TestFolds_RareClass(t *testing.T) {
	for rare, want := range map[int]string{1: "1 of the 30 training rows belongs to the rarer class, but there are 3 folds",
		2: "but there are 3 folds: at most 2 folds are possible"} {
		a := table(t, 30, 0, false)
		a.Loss = losses.Logistic{}
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

// A damaged is a memory whose points do not fit the table.
type damaged struct{ x []float64 }

func (m damaged) Load(_ string, into any) (bool, error) {
	if s, ok := into.(*solvedProblem); ok {
		s.X = m.x
		return true, nil
	}
	return false, nil
}
func (m damaged) Store(string, any) {}

func TestTable_DamagedPointsAreSolvedAgain(t *testing.T) {
	a := table(t, 300, 0, false)
	_, d := a.X.Dims()
	want, _, err := a.solveOrLoad(t.Context(), "erm", level.Level{Average: "plain"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	wrong := make([]float64, d)
	wrong[0] = math.Inf(1)
	for name, x := range map[string][]float64{"too short": {1}, "too long": make([]float64, d+1), "not finite": wrong} {
		a.Memory = damaged{x}
		if got, _, err := a.solveOrLoad(t.Context(), "erm", level.Level{Average: "plain"}, nil); err != nil ||
			!slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
