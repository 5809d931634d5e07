package shard

import (
	"context"
	"sync"
)

// Parallel calls do(0), …, do(n−1) concurrently, on at most Threads goroutines, and returns the error of the
// smallest index that failed. A panic of a call is raised again in the caller. After an error no further call
// begins.
func Parallel(ctx context.Context, n int, do func(i int) error) error {
	var mu sync.Mutex
	next, failed := 0, n
	var first error
	var panicked any
	var wg sync.WaitGroup
	for range min(Threads(), n) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() {
				if r := recover(); r != nil {
					mu.Lock()
					panicked, next = r, n
					mu.Unlock()
				}
			}()
			for {
				mu.Lock()
				i := next
				next++
				stop := i >= n || first != nil
				mu.Unlock()
				if stop {
					return
				}
				err := ctx.Err()
				if err == nil {
					err = do(i)
				}
				if err != nil {
					mu.Lock()
					if i < failed {
						failed, first = i, err
					}
					mu.Unlock()
				}
			}
		}()
	}
	wg.Wait()
	if panicked != nil {
		panic(panicked)
	}
	return first
}
