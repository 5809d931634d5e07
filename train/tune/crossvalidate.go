package tune

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/drotrain/drotrain/internal/memory"
	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/train/level"
)

// A spec is a model to solve without every fold: a level, a multiple of μ, and the spec from
// whose solution the solver starts; −1 for the start of the run.
type spec struct {
	level level.Level
	ridge float64
	from  int
}

// A foldRun cross-validates specs on a table.
type foldRun struct {
	table    *Table
	name     string // of the parts that the memory keeps
	fold     []int  // by row
	folds    int
	progress func() // called after every model
	errors   bool   // of more than two classes: whether a row is in the wrong class counts, not its loss
}

// largeTable is the number of matrix entries above which folds are solved one after the other.
const largeTable = 4_000_000

// run returns the out-of-fold margins of every row by every spec, or for more than two classes the
// losses or errors. It also returns the mean over the folds of each spec's solutions, and the passes over the table. The specs of a fold are solved one
// after the other, so that the result does not depend on the number of threads.
func (r *foldRun) run(ctx context.Context, specs []spec, start []float64) (margins, points [][]float64, passes float64, err error) {
	margins = make([][]float64, len(specs))
	for c := range margins {
		margins[c] = memory.Make[float64](r.table.arena(), r.table.N)
	}
	x := make([][][]float64, r.folds)
	took := make([]float64, r.folds)
	jobs, ctx := errgroup.WithContext(ctx)
	if _, d := r.table.X.Dims(); r.table.N*d > largeTable {
		jobs.SetLimit(1) // one copy of the rows in memory; the solver uses all threads
	} else {
		threads := shard.Threads()
		jobs.SetLimit(threads)
		if threads < runtime.GOMAXPROCS(0) {
			defer shard.LimitThreads(1)() // of a fold, since the folds are all that may run at once
		}
	}
	for k := range r.folds {
		jobs.Go(func() (err error) {
			defer memory.Catch(&err)
			x[k], took[k], err = r.runFold(ctx, k, specs, start, margins)
			return err
		})
	}
	if err := jobs.Wait(); err != nil {
		return nil, nil, 0, err
	}
	points = make([][]float64, len(specs))
	for c := range points {
		points[c] = make([]float64, len(x[0][c]))
		for k := range x {
			passes += took[k] / float64(len(specs))
			for i, v := range x[k][c] {
				points[c][i] += v / float64(r.folds)
			}
		}
	}
	return margins, points, passes, nil
}

// runFold solves all specs without fold k and stores the margins of its rows.
func (r *foldRun) runFold(ctx context.Context, k int, specs []spec, start []float64, margins [][]float64) (x [][]float64, passes float64, err error) {
	inside, outside := splitFold(r.table.arena(), r.fold, k)
	train, freeTrain := r.table.selectMapped(inside)
	defer freeTrain()
	rest, freeRest := r.table.selectMapped(outside)
	defer freeRest()
	x = make([][]float64, len(specs))
	margin := memory.Make[float64](r.table.arena(), len(outside))
	defer func() { memory.Release(r.table.arena(), margin); memory.Release(r.table.arena(), inside, outside) }()
	for c, s := range specs {
		from := start
		if s.from >= 0 {
			from = x[s.from]
		}
		at := *train
		at.Primal.Mu *= s.ridge
		var took float64
		if x[c], took, err = at.solveOrLoad(ctx, fmt.Sprintf("%s, fold %d, candidate %d", r.name, k, c), s.level, from); err != nil {
			return nil, 0, fmt.Errorf("%v without fold %d: %w", s.level, k+1, err)
		}
		passes += took * float64(len(inside)) / float64(r.table.N)
		if r.table.Outputs > 1 {
			margin, err = rest.lossesAt(x[c])
			if r.errors && err == nil {
				margin, err = rest.classErrors(x[c])
			}
			if err != nil {
				return nil, 0, err
			}
		} else {
			rest.X.MarginsTo(margin, x[c], 0, len(outside))
		}
		for i, j := range outside {
			margins[c][j] = margin[i]
		}
		r.progress()
	}
	return x, passes, ctx.Err()
}

// progressCounter returns a function that reports progress out of total, one call at a time.
func progressCounter(observe func(done, total int), total int) func() {
	if observe == nil {
		return func() {}
	}
	var mu sync.Mutex
	done := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		observe(done, total)
	}
}
