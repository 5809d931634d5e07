package table

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/methods"
)

// A row is one reference problem: the work of every method to every gap.
type row struct {
	problem
	cells [][]cell // by method, by gap

	shuffled [2]cell // growing and newton to 1e-6, the rows in random order
}

// A cell is one solve; NaN: the gap was not certified.
type cell struct {
	passes float64
	work   float64 // multiplications, in those of a gradient pass
	off    float64 // objective against the reference optimum, relative
}

// entries are the methods of the table.
func entries() []methods.Entry {
	var out []methods.Entry
	for _, e := range methods.Entries() {
		if e.Reference {
			out = append(out, e)
		}
	}
	return out
}

// solve runs one method to one gap with its default settings, as training runs it or alone.
func (p problem) solve(ctx context.Context, m dro.Method, asRun bool, gap, passes float64) (cell, *dro.Result, error) {
	none := cell{math.NaN(), math.NaN(), math.NaN()}
	problem, grams, err := p.problem()
	if err != nil {
		return none, nil, err
	}
	if asRun {
		m = dro.OnPrefixes(problem, m)
	}
	s := dro.DefaultSettings()
	s.RelativeGap, s.MaxPasses = gap, passes
	res, err := dro.Solve(ctx, problem, m, s)
	if err != nil {
		return none, nil, fmt.Errorf("%s on %s: %w", m.Name(), p.Dataset, err)
	}
	if res.Status != dro.Certified {
		return none, res, nil
	}
	// A gradient pass is 2d multiplications a row, a Hessian d(d+1)/2. Forming it
	// was counted as one pass.
	hessians := float64(grams.Load()) / float64(p.design.n)
	d := float64(p.design.d)
	return cell{res.Passes, res.Passes + hessians*((d+1)/4-1), res.Objective/p.Objective - 1}, res, nil
}

// measure solves every problem with every method to every gap.
func measure(ctx context.Context, refs []problem, passes float64, log func(string)) ([]row, error) {
	rows := make([]row, len(refs))
	jobs := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var first error
	for range runtime.GOMAXPROCS(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range jobs {
				r := row{problem: refs[i]}
				for _, e := range entries() {
					var cells []cell
					for _, gap := range methods.Targets {
						c, _, err := refs[i].solve(ctx, e.Method, true, gap, passes)
						if err != nil {
							mu.Lock()
							first = err
							mu.Unlock()
						}
						cells = append(cells, c)
					}
					r.cells = append(r.cells, cells)
				}
				random := refs[i].shuffle()
				for k, m := range []dro.Method{dro.Growing{}, dro.Newton{}} {
					c, _, err := random.solve(ctx, m, false, methods.Targets[toSix], passes)
					if err != nil {
						mu.Lock()
						first = err
						mu.Unlock()
					}
					r.shuffled[k] = c
				}
				rows[i] = r
				log(fmt.Sprintf("%d of %d: %s, %s, %s", i+1, len(refs), r.Dataset, r.Loss, r.Penalty))
			}
		}()
	}
	for i := range refs {
		jobs <- i
	}
	close(jobs)
	wg.Wait()
	return rows, first
}

// A trial is a method that did not pay, on one problem.
type trial struct {
	Name string
	Off  string // objective above the optimum, relative, after the limit
}

// smallest returns the first problem of the fewest rows.
func smallest(refs []problem) problem {
	return slices.MinFunc(refs, func(a, b problem) int { return a.design.n - b.design.n })
}

// tryTheory runs the theoretical schedules on the smallest reference problem.
func tryTheory(ctx context.Context, p problem, passes float64) ([]trial, error) {
	var out []trial
	for _, m := range []struct {
		name   string
		method dro.Method
	}{
		{"full", dro.FullVector{Schedule: dro.Theory}},
		{"stochastic, replacement", dro.Stochastic{Schedule: dro.Theory}},
		{"stochastic, historical", dro.Stochastic{Strategy: dro.Historical, Schedule: dro.Theory}},
		{"separable, replacement", dro.SeparableBlock{Schedule: dro.Theory}},
		{"separable, historical", dro.SeparableBlock{Strategy: dro.Historical, Schedule: dro.Theory}},
	} {
		_, res, err := p.solve(ctx, m.method, false, methods.Targets[0], passes)
		if err != nil {
			return nil, err
		}
		out = append(out, trial{m.name, fmt.Sprintf("%.1e", res.Objective/p.Objective-1)})
	}
	return out, nil
}
