package eval

import (
	"context"
	"fmt"
	"sync"

	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/memory"
)

// A Progress states that Done of Total equal steps of a phase ("sorting losses", "measuring", "searching slices")
// have been completed.
type Progress struct {
	Phase       string
	Done, Total int
}

// A workerPool runs the steps of a phase in parallel and reports progress.
type workerPool struct {
	Observe func(Progress) // called after every step, by one goroutine at a time; may be nil
}

// Parallel runs f(0), …, f(n−1) and returns the error of the lowest index, or that of ctx. It does not report the
// progress if phase is empty.
func (p workerPool) Parallel(ctx context.Context, phase string, n int, f func(i int) error) error {
	var mu sync.Mutex
	done := 0
	if phase == "" {
		p.Observe = nil
	}
	if p.Observe != nil {
		p.Observe(Progress{phase, 0, n})
	}
	err := shard.Parallel(ctx, n, func(i int) (err error) {
		defer memory.Catch(&err)
		err = f(i)
		if p.Observe != nil {
			mu.Lock()
			defer mu.Unlock()
			done++
			p.Observe(Progress{phase, done, n})
		}
		return err
	})
	if canceled := ctx.Err(); canceled != nil {
		return fmt.Errorf("eval: %w", canceled)
	}
	return err
}
