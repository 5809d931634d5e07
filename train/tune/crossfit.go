package tune

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/level"
)

// accuracy is the relative gap that candidates are solved to: out-of-fold differences that
// exceed a standard error are larger.
const accuracy = 1e-4

// Solve minimises the risk of the level on the table from x, nil for zero, to the
// accuracy of a choice. It returns the point and the passes.
func (t *Table) Solve(ctx context.Context, l level.Level, x []float64) ([]float64, float64, error) {
	dual, err := l.Dual(t.Rows)
	if err != nil {
		return nil, 0, err
	}
	oracle, err := losses.NewLinear(t.Loss, t.X, t.Target)
	if err != nil {
		return nil, 0, err
	}
	p := &dro.Problem{Oracle: oracle, Dual: dual, Primal: t.Primal}
	method, _ := dro.Choose(p)
	if _, grows := method.(dro.Growing); grows && x != nil {
		method = dro.Growing{First: t.N} // one stage, from where the neighbour ended
	}
	s := dro.DefaultSettings()
	s.X0, s.RelativeGap, s.MaxPasses = x, accuracy, 300
	res, err := dro.Solve(ctx, p, method, s)
	if err != nil {
		return nil, 0, err
	}
	return res.X, res.Passes, nil
}

// losses returns the loss of every row at x.
func (t *Table) losses(x []float64) ([]float64, error) {
	oracle, err := losses.NewLinear(t.Loss, t.X, t.Target)
	if err != nil {
		return nil, err
	}
	value, slope := make([]float64, t.N), make([]float64, t.N)
	oracle.EvalTo(value, slope, x, 0, t.N)
	return value, nil
}

// crossfit returns the out-of-fold losses of every row: by the plain average first, then
// by every level of every family. Folds and families run side by side, the levels of a
// family one from the other. passes are those over all rows that it took.
func (t *Table) crossfit(ctx context.Context, fold []int, count int, start []float64, of []family) (losses [][]float64, passes float64, err error) {
	candidates := 1
	for _, f := range of {
		candidates += len(f.levels)
	}
	out := make([][]float64, candidates)
	for c := range out {
		out[c] = make([]float64, t.N)
	}
	took := make([]float64, count*(1+len(of))) // by fold and family, added up in this order
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limit := make(chan struct{}, runtime.GOMAXPROCS(0))
	var jobs sync.WaitGroup
	run := func(f func() error) {
		jobs.Add(1)
		go func() {
			defer jobs.Done()
			limit <- struct{}{}
			defer func() { <-limit }()
			if ctx.Err() == nil {
				if err := f(); err != nil {
					cancel(err)
				}
			}
		}()
	}
	for k := range count {
		run(func() error {
			var inside, outside []int
			for j, f := range fold {
				if f == k {
					outside = append(outside, j)
				} else {
					inside = append(inside, j)
				}
			}
			train, held := t.Select(inside), t.Select(outside)
			share := float64(train.N) / float64(t.N)
			store := func(c int, x []float64) error {
				loss, err := held.losses(x)
				for i, j := range outside {
					out[c][j] = loss[i]
				}
				return err
			}
			plain, passes, err := train.Solve(ctx, level.Level{Average: "plain", Penalty: "kl"}, start)
			if err != nil {
				return fmt.Errorf("the plain average without fold %d: %w", k+1, err)
			}
			took[k*(1+len(of))] = share * passes
			if err := store(0, plain); err != nil {
				return err
			}
			first := 1
			for job, f := range of {
				begin := first
				first += len(f.levels)
				run(func() error {
					x := plain
					for i, l := range f.levels {
						next, passes, err := train.Solve(ctx, l, x)
						if err != nil {
							return fmt.Errorf("%v without fold %d: %w", l, k+1, err)
						}
						took[k*(1+len(of))+1+job] += share * passes
						if err := store(begin+i, next); err != nil {
							return err
						}
						x = next
					}
					return nil
				})
			}
			return nil
		})
	}
	jobs.Wait()
	for _, v := range took {
		passes += v
	}
	return out, passes, context.Cause(ctx)
}
