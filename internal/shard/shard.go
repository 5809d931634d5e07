// Package shard runs loops over samples on several goroutines with results that do not depend on the number of
// goroutines: the shards, and the order in which their partial results are added, only depend on the number of
// samples.
package shard

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

const (
	minRows = 2048 // minimum number of rows in a shard; for fewer rows a goroutine costs more than it saves

	perProcessor = 4 // maximum number of threads per processor

	// Limit is the maximum number of shards.
	Limit = 64
)

// SetThreads sets the number of threads, limited to a few per processor.
func SetThreads(n int) { runtime.GOMAXPROCS(min(n, perProcessor*runtime.NumCPU())) }

// limits holds the numbers of threads to which LimitThreads limits loops, and least the smallest of them, or 0 if
// there is none.
var (
	limitsMu sync.Mutex
	limits   []int
	least    atomic.Int64
)

// LimitThreads limits every loop to n goroutines until release is called; n < 1 means no limit. If several limits
// are in force, the smallest applies. GOMAXPROCS is not changed.
func LimitThreads(n int) (release func()) {
	if n < 1 {
		return func() {}
	}
	limitsMu.Lock()
	defer limitsMu.Unlock()
	limits = append(limits, n)
	least.Store(int64(slices.Min(limits)))
	return sync.OnceFunc(func() {
		limitsMu.Lock()
		defer limitsMu.Unlock()
		if limits = slices.Delete(limits, slices.Index(limits, n), slices.Index(limits, n)+1); len(limits) == 0 {
			least.Store(0)
			return
		}
		least.Store(int64(slices.Min(limits)))
	})
}

// Threads returns the number of goroutines on which a loop runs.
func Threads() int {
	if n := int(least.Load()); n > 0 {
		return min(n, runtime.GOMAXPROCS(0))
	}
	return runtime.GOMAXPROCS(0)
}

// Count returns the number of shards of n rows.
func Count(n int) int {
	return max(1, min(n/minRows, Limit))
}

// Bounds returns the rows [lo, hi) of shard s of count.
func Bounds(n, count, s int) (lo, hi int) {
	return int(int64(n) * int64(s) / int64(count)), int(int64(n) * int64(s+1) / int64(count))
}

// Run calls f(s, lo, hi) once for every shard of n rows, on Threads goroutines, and returns when all calls have
// returned. A panic in f is raised again in the caller.
func Run(n int, f func(s, lo, hi int)) { RunCount(n, Count(n), f) }

// RunCount works like Run for count shards.
func RunCount(n, count int, f func(s, lo, hi int)) { RunRange(n, count, 0, count, f) }

// RunRange works like RunCount, but only for the shards [first, end).
func RunRange(n, count, first, end int, f func(s, lo, hi int)) {
	threads := min(Threads(), end-first)
	if threads <= 1 {
		for s := first; s < end; s++ {
			runShard(n, count, s, f)
		}
		return
	}
	var (
		next   atomic.Int64
		wg     sync.WaitGroup
		failed atomic.Pointer[any]
	)
	work := func() {
		defer wg.Done()
		defer func() {
			if r := recover(); r != nil {
				failed.Store(&r)
			}
		}()
		for s := first + int(next.Add(1)) - 1; s < end && failed.Load() == nil; s = first + int(next.Add(1)) - 1 {
			runShard(n, count, s, f)
		}
	}
	wg.Add(threads)
	for range threads - 1 {
		go work()
	}
	work()
	wg.Wait()
	if r := failed.Load(); r != nil {
		panic(*r)
	}
}

// runShard calls the hook, and then f for a shard.
func runShard(n, count, s int, f func(s, lo, hi int)) {
	if hook := between.Load(); hook != nil {
		(*hook)()
	}
	lo, hi := Bounds(n, count, s)
	f(s, lo, hi)
}

// Parallel calls do(0), …, do(n−1) concurrently, on at most Threads goroutines, and returns the error of the
// smallest index for which do failed. A panic in do is raised again in the caller. After an error no further calls
// are started.
func Parallel(ctx context.Context, n int, do func(i int) error) error {
	var mu sync.Mutex
	failed, first := n, error(nil)
	RunCount(n, n, func(i, _, _ int) {
		mu.Lock()
		stop := first != nil
		mu.Unlock()
		if stop {
			return
		}
		err := ctx.Err()
		if err == nil {
			err = do(i)
		}
		if mu.Lock(); err != nil && i < failed {
			failed, first = i, err
		}
		mu.Unlock()
	})
	return first
}

// between is called before each shard.
var between atomic.Pointer[func()]

// SetShardHook sets a function that every goroutine calls before it processes a shard, such as one that limits
// memory, and returns the previous function. nil removes the hook.
func SetShardHook(f *func()) (was *func()) { return between.Swap(f) }

// Sum adds f(lo, hi) over the shards of n rows, in the order of the shards.
func Sum(n int, f func(lo, hi int) float64) (total float64) {
	part := make([]float64, Count(n))
	Run(n, func(s, lo, hi int) { part[s] = f(lo, hi) })
	for _, v := range part {
		total += v
	}
	return total
}
