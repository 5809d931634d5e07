package ranks

import (
	"context"
	"sync/atomic"
)

// A Comm carries numbers between ranks. All ranks make the same calls in the same order,
// with slices of the same length; a call returns when the numbers are there. A rank that
// cannot go on calls Abort, and none of the others is left waiting.
type Comm interface {
	// Rank is the number of this rank, from 0, and Size how many there are.
	Rank() int
	Size() int

	// Sum replaces v by the sum over ranks, added in any order: for whole numbers, whose
	// sums are exact.
	Sum(v []float64)

	// Max replaces v by the largest over ranks, entry by entry. None is NaN.
	Max(v []float64)

	// Gather completes v, of which rank r has set the entries [ends[r−1], ends[r]), from 0
	// for the first. Bits are the bits that were set.
	Gather(v []float64, ends []int)

	// Abort ends all ranks, this one too, with an exit code where they are processes.
	Abort(code int)
}

// A Traffic counts the collective calls of a rank.
type Traffic struct {
	Rounds int64 // collective calls
	Bytes  int64 // that it was given: the lengths of their results
}

// A counted is a Comm that counts its traffic.
type counted struct {
	Comm
	rounds, bytes atomic.Int64
}

// Count returns c with its traffic counted, and a function that returns the counts.
func Count(c Comm) (Comm, func() Traffic) {
	n := &counted{Comm: c}
	return n, func() Traffic { return Traffic{n.rounds.Load(), n.bytes.Load()} }
}

func (c *counted) add(v []float64) {
	c.rounds.Add(1)
	c.bytes.Add(8 * int64(len(v)))
}

// The methods of Comm count what they send.

func (c *counted) Sum(v []float64)                { c.add(v); c.Comm.Sum(v) }
func (c *counted) Max(v []float64)                { c.add(v); c.Comm.Max(v) }
func (c *counted) Gather(v []float64, ends []int) { c.add(v); c.Comm.Gather(v, ends) }

// One is the Comm of a single rank.
type One struct{}

var _ Comm = One{}

// Rank implements Comm.
func (One) Rank() int { return 0 }

// Size implements Comm.
func (One) Size() int { return 1 }

// Sum implements Comm.
func (One) Sum([]float64) {}

// Max implements Comm.
func (One) Max([]float64) {}

// Gather implements Comm.
func (One) Gather([]float64, []int) {}

// Abort implements Comm: there are no other ranks.
func (One) Abort(int) {}

// number lists the types that ranks exchange; they travel as float64, exact for whole numbers below 2⁵³.
type number interface{ int | int32 | float64 }

// GatherAll returns the numbers of all ranks, concatenated by rank, and the index at which the part of each rank ends.
// Ranks may have different counts.
func GatherAll[T number](c Comm, own []T) (all []T, ends []int) {
	ends = RankEnds(c, len(own))
	v := make([]float64, ends[len(ends)-1])
	for k, x := range own {
		v[ends[c.Rank()]-len(own)+k] = float64(x)
	}
	c.Gather(v, ends)
	return convertTo[T](v), ends
}

// RankEnds returns where the entries of each rank end in their concatenation; this rank has own entries.
func RankEnds(c Comm, own int) []int {
	counts, ends := make([]float64, c.Size()), make([]int, c.Size())
	for r := range ends {
		ends[r] = r + 1
	}
	counts[c.Rank()] = float64(own)
	c.Gather(counts, ends)
	total := 0
	for r, k := range counts {
		total += int(k)
		ends[r] = total
	}
	return ends
}

// A contextKey is the key of the Comm in a context.
type contextKey struct{}

// NewContext returns a context with the Comm of the ranks that share a training run; for nil it returns ctx.
func NewContext(ctx context.Context, c Comm) context.Context {
	if c == nil {
		return ctx
	}
	return context.WithValue(ctx, contextKey{}, c)
}

// FromContext returns the Comm of a context, or nil.
func FromContext(ctx context.Context) Comm {
	c, _ := ctx.Value(contextKey{}).(Comm)
	return c
}
