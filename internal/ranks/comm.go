package ranks

import (
	"context"
	"sync/atomic"
)

// A Comm exchanges numbers between ranks. All ranks must make the same calls in the same order, with slices of the
// same length; a call returns once the result is available. A rank that cannot continue calls Abort, so that no
// other rank waits forever.
type Comm interface {
	// Rank returns the number of this rank, counted from 0, and Size the number of ranks.
	Rank() int
	Size() int

	// Sum replaces v by its sum over ranks, added in any order. It is meant for whole numbers, whose sums are
	// exact.
	Sum(v []float64)

	// Max replaces each entry of v by its maximum over ranks. No entry may be NaN.
	Max(v []float64)

	// Gather completes v, of which rank r has set the entries [ends[r−1], ends[r]); the entries of rank 0 begin
	// at 0. The bits of entries are not changed.
	Gather(v []float64, ends []int)

	// Abort ends all ranks, including this one. If ranks are processes, they exit with the given code.
	Abort(code int)
}

// A Traffic counts the collective calls of a rank.
type Traffic struct {
	Rounds int64 // number of collective calls
	Bytes  int64 // number of bytes of the results of these calls
}

// A counted is a Comm that counts its traffic.
type counted struct {
	Comm
	rounds, bytes atomic.Int64
}

// CountTraffic returns a Comm that counts the traffic of c, and a function that returns the counts.
func CountTraffic(c Comm) (Comm, func() Traffic) {
	n := &counted{Comm: c}
	return n, func() Traffic { return Traffic{n.rounds.Load(), n.bytes.Load()} }
}

func (c *counted) add(v []float64) {
	c.rounds.Add(1)
	c.bytes.Add(8 * int64(len(v)))
}

// The methods below implement Comm and count the traffic.

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

// Abort implements Comm. There are no other ranks.
func (One) Abort(int) {}

// number lists the types that ranks exchange. They are sent as float64, which is exact for whole numbers below 2⁵³.
type number interface{ int | int32 | float64 }

// GatherAll returns the numbers of all ranks, concatenated in the order of ranks, and the index at which the part
// of each rank ends. Ranks may have different numbers of entries.
func GatherAll[T number](c Comm, own []T) (all []T, ends []int) {
	ends = RankEnds(c, len(own))
	v := make([]float64, ends[len(ends)-1])
	for k, x := range own {
		v[ends[c.Rank()]-len(own)+k] = float64(x)
	}
	c.Gather(v, ends)
	return convertTo[T](v), ends
}

// RankEnds returns, for each rank, the index at which its entries end in the concatenation of all entries; this
// rank has own entries.
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

// A contextKey is the key under which a context holds a Comm.
type contextKey struct{}

// NewContext returns a context with the Comm of the ranks that share a training run. If c is nil, it returns ctx.
func NewContext(ctx context.Context, c Comm) context.Context {
	if c == nil {
		return ctx
	}
	return context.WithValue(ctx, contextKey{}, c)
}

// FromContext returns the Comm of a context, or nil if it has none.
func FromContext(ctx context.Context) Comm {
	c, _ := ctx.Value(contextKey{}).(Comm)
	return c
}
