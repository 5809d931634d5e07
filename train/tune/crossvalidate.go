package tune

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train/level"
)

// A spec is a model to fit without each fold: a level, a multiple of μ, and the spec at whose solution the solver
// starts, or −1 for the starting point of the run.
type spec struct {
	level level.Level
	ridge float64
	from  int
}

// A foldRun cross-validates specs on a table, or fits them to the table and evaluates them on validation rows.
// Specs are added in one or several calls of fitSpecs.
type foldRun struct {
	table      *Table
	validation *Table // rows on which the specs are evaluated, as a single fold; nil means those of the table
	name       string // prefix of the names of the parts that the memory stores
	fold       []int  // fold of each row; not used if there are validation rows
	folds      int
	progress   *progressCounter

	specs []spec
	// margins holds, for each spec and evaluated row, the margin (or the loss, for more than two classes) by a
	// model that was not fitted to the row.
	margins [][]float64
	// leads holds, for each spec and evaluated row, the result of classLeads if there are more than two
	// classes; it is nil for other targets.
	leads  [][]float64
	x      [][][]float64 // solutions by fold and spec
	passes float64       // total work, in passes over the table
}

// largeTable is the number of matrix entries above which folds are solved one after another.
const largeTable = 4_000_000

// fitSpecs fits further specs, once for each left-out fold. start is the starting point for specs that do not name a
// spec to start from. The specs of a fold are solved one after another, so that the result does not depend on the
// number of threads. A panic in a fold, such as one in a loss of the caller, is raised again.
func (r *foldRun) fitSpecs(ctx context.Context, specs []spec, start []float64) error {
	first := len(r.specs)
	r.specs = append(r.specs, specs...)
	measured := r.table.N
	if r.validation != nil {
		measured = r.validation.N
	}
	for range specs {
		r.margins = append(r.margins, memory.Make[float64](r.table.arena(), measured))
		if r.table.Outputs > 1 {
			r.leads = append(r.leads, memory.Make[float64](r.table.arena(), measured))
		}
	}
	if r.x == nil {
		r.x = make([][][]float64, r.folds)
	}
	r.progress.expect(r.folds * len(specs))
	took := make([]float64, r.folds)
	jobs, ctx := errgroup.WithContext(ctx)
	if _, d := r.table.X.Dims(); r.table.N*d > largeTable {
		jobs.SetLimit(1) // one copy of the rows in memory; the solver uses all threads
	} else {
		threads := shard.Threads()
		jobs.SetLimit(threads)
		if threads < runtime.GOMAXPROCS(0) {
			defer shard.LimitThreads(1)() // one thread for each fold, since the folds run concurrently
		}
	}
	var panicked atomic.Pointer[any] // value of a panic in a fold
	for k := range r.folds {
		jobs.Go(func() (err error) {
			defer func() {
				if v := recover(); v != nil {
					panicked.Store(&v)
					err = context.Canceled // of the other folds
				}
			}()
			defer memory.Catch(&err)
			took[k], err = r.runFold(ctx, k, first, start)
			return err
		})
	}
	err := jobs.Wait()
	if v := panicked.Load(); v != nil {
		panic(*v)
	}
	for _, p := range took {
		r.passes += p
	}
	return err
}

// meanSolution returns the mean of the solutions of a spec over the folds.
func (r *foldRun) meanSolution(spec int) []float64 {
	mean := make([]float64, len(r.x[0][spec]))
	for k := range r.x {
		for i, v := range r.x[k][spec] {
			mean[i] += v / float64(r.folds)
		}
	}
	return mean
}

// runFold fits the specs from index first on without fold k, and stores the margins of the rows in the fold. It returns
// the number of passes over the table.
func (r *foldRun) runFold(ctx context.Context, k, first int, start []float64) (passes float64, err error) {
	train, rest, heldOut, free := r.split(k)
	defer free()
	margin := memory.Make[float64](r.table.arena(), len(heldOut))
	defer func() { memory.Release(r.table.arena(), margin) }()
	for c := first; c < len(r.specs); c++ {
		s, from := r.specs[c], start
		if s.from >= 0 {
			from = r.x[k][s.from]
		}
		at := *train
		at.Primal.Mu *= s.ridge
		x, took, err := at.solveOrLoad(ctx, fmt.Sprintf("%s, fold %d, candidate %d", r.name, k+1, c+1), s.level, from)
		if err != nil {
			if r.validation != nil {
				return 0, fmt.Errorf("training a candidate (%v): %w", s.level, err)
			}
			return 0, fmt.Errorf("training a candidate (%v) without fold %d: %w", s.level, k+1, err)
		}
		r.x[k] = append(r.x[k], x)
		passes += took * float64(train.N) / float64(r.table.N)
		if r.table.Outputs <= 1 {
			rest.X.MarginsTo(margin, x, 0, len(heldOut))
		} else {
			if margin, err = rest.lossesAt(x); err != nil {
				return 0, err
			}
			lead, err := rest.classLeads(x)
			if err != nil {
				return 0, err
			}
			for i, j := range heldOut {
				r.leads[c][j] = lead[i]
			}
		}
		for i, j := range heldOut {
			r.margins[c][j] = margin[i]
		}
		r.progress.advance()
	}
	return passes, ctx.Err()
}

// split returns the rows to which a fold fits models, the rows on which it evaluates them, and the indices of the
// latter. free releases them.
func (r *foldRun) split(k int) (train, rest *Table, heldOut []int, free func()) {
	if r.validation != nil {
		heldOut = memory.Make[int](r.table.arena(), r.validation.N)
		for j := range heldOut {
			heldOut[j] = j
		}
		return r.table, r.validation, heldOut, func() { memory.Release(r.table.arena(), heldOut) }
	}
	trainRows, heldOut := splitFold(r.table.arena(), r.fold, k)
	train, freeTrain := r.table.selectMapped(trainRows)
	rest, freeRest := r.table.selectMapped(heldOut)
	return train, rest, heldOut, func() {
		freeTrain()
		freeRest()
		memory.Release(r.table.arena(), trainRows, heldOut)
	}
}

// A progressCounter reports how many of the expected models have been solved; its reports are never concurrent.
type progressCounter struct {
	observe     func(done, total int) // may be nil
	mu          sync.Mutex
	done, total int
}

// newProgressCounter returns a counter that does not expect any models yet.
func newProgressCounter(observe func(done, total int)) *progressCounter {
	return &progressCounter{observe: observe}
}

// expect adds to the number of models that will be solved.
func (p *progressCounter) expect(count int) { p.total += count }

// advance counts a solved model.
func (p *progressCounter) advance() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done++; p.observe != nil {
		p.observe(p.done, p.total)
	}
}
