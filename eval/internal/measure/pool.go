package measure

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/drotrain/drotrain/internal/memory"
	"github.com/drotrain/drotrain/internal/shard"
)

// Progress is where a measurement has come to: Done of Total equal steps of a
// phase ("sorting", "measuring", "resampling by region", "searching slices",
// "weighing columns").
type Progress struct {
	Phase       string
	Done, Total int
}

// A Pool runs the steps of a phase on several goroutines and reports each.
type Pool struct {
	Workers int            // goroutines; values below 1 mean GOMAXPROCS
	Observe func(Progress) // called after every step, by one goroutine at a time; or nil
	Arena   *memory.Arena  // of what is as long as the rows; nil: the heap
}

// Parallel runs f(0) … f(n−1), the steps of a phase.
func (p Pool) Parallel(ctx context.Context, phase string, n int, f func(i int) error) error {
	return Parallel(ctx, p.Workers, n, p.Steps(phase, n)(f))
}

// Parallel runs f(0) … f(n−1) on a pool of goroutines. It returns the error of the lowest index, or ctx's.
func Parallel(ctx context.Context, workers, n int, f func(i int) error) error {
	if workers < 1 {
		workers = shard.Threads()
	}
	errs := make([]error, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				errs[i] = func() (err error) {
					defer memory.Catch(&err)
					return f(i)
				}()
			}
		}()
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("eval: %w", err)
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// A stepped function reports every call to an observer.
type stepped func(f func(i int) error) func(i int) error

// Steps reports n calls to the observer, which several pools may share: first that
// there are some, then after each, never from two goroutines at a time.
func (p Pool) Steps(phase string, n int) stepped {
	observe := p.Observe
	if observe == nil {
		return func(f func(i int) error) func(i int) error { return f }
	}
	var mu sync.Mutex
	done := 0
	observe(Progress{phase, 0, n})
	return func(f func(i int) error) func(i int) error {
		return func(i int) error {
			err := f(i)
			mu.Lock()
			defer mu.Unlock()
			done++
			observe(Progress{phase, done, n})
			return err
		}
	}
}
