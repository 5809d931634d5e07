package eval

import (
	"context"
	"sync"
)

// Progress is where a measurement has come to: Done of Total equal steps of a
// phase ("sorting", "measuring", "resampling by region", "searching slices",
// "weighing columns").
type Progress struct {
	Phase       string
	Done, Total int
}

// parallel is the function of that name with in.Observe told of every step.
func (in *Input) parallel(ctx context.Context, phase string, n int, f func(i int, b *scratch) error) error {
	return parallel(ctx, in.Workers, n, steps(in.Observe, phase, n)(f))
}

// A stepped function tells an observer of every call.
type stepped func(f func(i int, b *scratch) error) func(i int, b *scratch) error

// steps tells observe of n calls, which several pools may share: first that
// there are some, then after each, never from two goroutines at a time.
func steps(observe func(Progress), phase string, n int) stepped {
	if observe == nil {
		return func(f func(i int, b *scratch) error) func(i int, b *scratch) error { return f }
	}
	var mu sync.Mutex
	done := 0
	observe(Progress{phase, 0, n})
	return func(f func(i int, b *scratch) error) func(i int, b *scratch) error {
		return func(i int, b *scratch) error {
			err := f(i, b)
			mu.Lock()
			defer mu.Unlock()
			done++
			observe(Progress{phase, done, n})
			return err
		}
	}
}
