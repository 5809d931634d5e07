package ranks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/drotrain/drotrain/internal/shard"
)

// Rows describes how the n samples of a problem are distributed over the ranks: each rank has a contiguous range of
// the shards of package shard. Vectors with one entry for each sample have length n on all ranks, and a rank reads
// and writes only the entries of its own samples.
//
// A nil *Rows means that this process has all samples; the methods then work like the functions of package shard.
// Otherwise every method with a result is a collective call, made by all ranks; the result has the same bits on
// each rank, for any number of ranks.
type Rows struct {
	comm     Comm
	n, count int

	mu      sync.Mutex
	asked   context.Context // context that may request that this rank stop
	stop    context.CancelCauseFunc
	stopped bool
}

// Several ranks divide the samples into more shards than a single process does: one for every samplesOfShard
// samples, but at most maxShards, since the scalars of every shard are exchanged.
const (
	samplesOfShard = 1 << 16
	maxShards      = 1 << 12
)

// RowsOf returns v if it is a *Rows, and nil otherwise. Exported functions of other packages use an interface in
// place of *Rows.
func RowsOf(v any) *Rows {
	r, _ := v.(*Rows)
	return r
}

// Exported returns r as the interface that exported functions use, or nil if r is nil.
func (r *Rows) Exported() interface{ LocalRange(n int) (lo, hi int) } {
	if r == nil {
		return nil
	}
	return r
}

// NewRows distributes n samples over the ranks of c, in a number of shards that depends only on n.
func NewRows(c Comm, n int) *Rows {
	return NewRowsWithShards(c, n, max(shard.Count(n), min(n/samplesOfShard, maxShards)))
}

// NewRowsWithShards works like NewRows with the given number of shards; none of them may be empty.
func NewRowsWithShards(c Comm, n, shards int) *Rows { return &Rows{comm: c, n: n, count: shards} }

// Shards returns the number of shards of n samples.
func (r *Rows) Shards(n int) int {
	if r == nil {
		return shard.Count(n)
	}
	r.checkCount(n)
	return r.count
}

// Scalars returns a zero for each shard of n samples.
func (r *Rows) Scalars(n int) []float64 { return make([]float64, r.Shards(n)) }

// Comm returns the Comm of the ranks, or One if this process has all samples.
func (r *Rows) Comm() Comm {
	if r == nil {
		return One{}
	}
	return r.comm
}

// shardsOf returns the range [first, end) of shards of a rank.
func (r *Rows) shardsOf(rank int) (first, end int) {
	return shard.Bounds(r.count, r.comm.Size(), rank)
}

// Bounds returns the range [lo, hi) of samples of a rank.
func (r *Rows) Bounds(n, rank int) (lo, hi int) {
	if r == nil {
		return 0, n
	}
	first, end := r.shardsOf(rank)
	if first == end {
		return 0, 0
	}
	lo, _ = shard.Bounds(r.n, r.count, first)
	_, hi = shard.Bounds(r.n, r.count, end-1)
	return lo, hi
}

// LocalRange returns the range [lo, hi) of samples of this rank.
func (r *Rows) LocalRange(n int) (lo, hi int) {
	return r.Bounds(n, r.Comm().Rank())
}

// checkCount panics unless the number of samples is n.
func (r *Rows) checkCount(n int) {
	if n != r.n {
		panic(fmt.Sprintf("ranks: the call is for %d samples, but the rows have %d", n, r.n))
	}
}

// Run calls f once for every shard of this rank. It is not a collective call.
func (r *Rows) Run(n int, f func(s, lo, hi int)) { r.RunCount(n, r.Shards(n), f) }

// RunCount works like Run, but uses count shards if this process has all samples.
func (r *Rows) RunCount(n, count int, f func(s, lo, hi int)) {
	if r == nil {
		shard.RunCount(n, count, f)
		return
	}
	r.checkCount(n)
	first, end := r.shardsOf(r.comm.Rank())
	shard.RunRange(n, r.count, first, end, f)
}

// Count returns the number of shards of n samples for RunCount, which is at most most if this process has all
// samples.
func (r *Rows) Count(n, most int) int {
	if r == nil {
		return max(1, min(shard.Count(n), most))
	}
	return r.Shards(n)
}

// Partials returns one vector for each shard of this rank, where count is the total number of shards.
func (r *Rows) Partials(count, width int) *shard.Partials {
	if r == nil {
		return shard.NewPartials(0, count, width).EnableMerging()
	}
	first, end := r.shardsOf(r.comm.Rank()) // the tree of sums needs every vector
	return shard.NewPartials(first, end, width)
}

// AllGather distributes slices that have one entry for each shard to all ranks.
func (r *Rows) AllGather(parts ...[]float64) {
	if r != nil {
		r.AllGatherEach(len(parts), func(s, k int) *float64 { return &parts[k][s] })
	}
}

// AllGatherEach works like AllGather for the entries at(s, 0), …, at(s, width−1) of shard s.
func (r *Rows) AllGatherEach(width int, at func(s, k int) *float64) {
	if r == nil {
		return
	}
	all, ends := make([]float64, r.count*width), make([]int, r.comm.Size())
	for rank := range ends {
		_, end := r.shardsOf(rank)
		ends[rank] = end * width
	}
	first, end := r.shardsOf(r.comm.Rank())
	for i := first * width; i < end*width; i++ {
		all[i] = *at(i/width, i%width)
	}
	r.gather(all, ends)
	for i, v := range all {
		*at(i/width, i%width) = v
	}
}

// evaluateShards returns f(lo, hi) for all shards of n samples.
func (r *Rows) evaluateShards(n int, f func(lo, hi int) float64) []float64 {
	part := r.Scalars(n)
	r.Run(n, func(s, lo, hi int) { part[s] = f(lo, hi) })
	r.AllGather(part)
	return part
}

// Sum adds f(lo, hi) over the shards of n samples in their order.
func (r *Rows) Sum(n int, f func(lo, hi int) float64) (total float64) {
	for _, v := range r.evaluateShards(n, f) {
		total += v
	}
	return total
}

// Max returns the maximum of f(lo, hi) over the shards of n samples.
func (r *Rows) Max(n int, f func(lo, hi int) float64) float64 {
	return slices.Max(r.evaluateShards(n, f))
}

// Totals returns the given number (width) of sums over n samples; add must add the terms of the samples [lo, hi).
func (r *Rows) Totals(n, width int, add func(sums []float64, lo, hi int)) []float64 {
	part := r.Partials(r.Shards(n), width)
	part.Clear()
	r.Run(n, func(s, lo, hi int) { add(part.Shard(s), lo, hi) })
	sums := make([]float64, width)
	r.SumTo(sums, part)
	return sums
}

// StratifiedSample returns about count samples in ascending order: the first samples of every shard, equally many
// from each. If samples are in random order within shards, the result is a random sample.
func (r *Rows) StratifiedSample(n, count int) []int {
	shards := r.Shards(n)
	out := make([]int, 0, count)
	for s := range shards {
		lo, hi := shard.Bounds(n, shards, s)
		from, to := shard.Bounds(count, shards, s)
		for j := lo; j < min(lo+to-from, hi); j++ {
			out = append(out, j)
		}
	}
	return out
}

// A StoppedError is the cause of a context that ended on all ranks because one rank was interrupted.
type StoppedError struct {
	Rank int // the rank that was interrupted
	// requested exit status: the result of the method ExitCode of the cause, or 1 if it has no such method
	Code int
	Err  error // cause of the interruption, which only the interrupted rank knows; nil on the others
}

func (e *StoppedError) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return fmt.Sprintf("rank %d was asked to stop", e.Rank)
}

// Unwrap returns the cause on the rank that was interrupted, and context.Canceled on others.
func (e *StoppedError) Unwrap() error { return cmp.Or(e.Err, context.Canceled) }

// StopCode returns the exit status that corresponds to the cause of a context that has ended.
func StopCode(cause error) int {
	var c interface{ ExitCode() int }
	if errors.As(cause, &c) {
		return c.ExitCode()
	}
	return 1
}

// gather works like Comm.Gather and also transmits the exit status of a rank that was interrupted.
func (r *Rows) gather(v []float64, ends []int) {
	r.mu.Lock()
	asked := r.asked
	r.mu.Unlock()
	if asked == nil {
		r.comm.Gather(v, ends)
		return
	}
	size := r.comm.Size()
	all, to := make([]float64, len(v)+size), make([]int, size)
	from := 0
	for rank, end := range ends {
		to[rank] = end + rank + 1
		if rank == r.comm.Rank() {
			copy(all[from+rank:], v[from:end])
			if asked.Err() != nil {
				all[end+rank] = float64(StopCode(context.Cause(asked)))
			}
		}
		from = end
	}
	r.comm.Gather(all, to)
	from = 0
	for rank, end := range ends {
		copy(v[from:end], all[from+rank:])
		if code := all[end+rank]; code != 0 && !r.stopped {
			r.stopped = true
			cause := &StoppedError{Rank: rank, Code: int(code)}
			if rank == r.comm.Rank() {
				cause.Err = context.Cause(asked)
			}
			r.stop(cause)
		}
		from = end
	}
}

// Context returns a context that ends on all ranks at the same collective call, once ctx has ended on one of them, so
// that loops that check it make the same decision on all ranks. Its cause is then a *StoppedError. done stops checking
// ctx.
func (r *Rows) Context(ctx context.Context) (agreed context.Context, done func()) {
	if r == nil {
		return ctx, func() {}
	}
	agreed, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked, r.stop, r.stopped = ctx, stop, false
	return agreed, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.asked = nil
		stop(nil)
	}
}
