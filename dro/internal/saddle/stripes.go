package saddle

import (
	"math"

	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/shard"
)

// A Stripes of n samples is the last ones of each of count shards: of all of the table,
// whatever its order, in long runs.
type Stripes struct {
	N, Count int
	Share    float64
	Rows     *ranks.Rows // where the samples lie; nil: all here
}

// Run calls f on the samples of the part, shard by shard.
func (p Stripes) Run(f func(s, lo, hi int)) {
	p.Rows.RunCount(p.N, p.Count, func(s, lo, hi int) { f(s, p.firstSample(lo, hi), hi) })
}

// Sum adds up what f returns.
func (p Stripes) Sum(f func(lo, hi int) float64) float64 {
	sums := make([]float64, p.Count)
	p.Run(func(s, lo, hi int) { sums[s] = f(lo, hi) })
	p.Rows.Share(sums)
	return Sum(sums)
}

// Size returns the number of its samples.
func (p Stripes) Size() float64 {
	size := 0
	for s := range p.Count {
		lo, hi := shard.Bounds(p.N, p.Count, s)
		size += hi - p.firstSample(lo, hi)
	}
	return float64(size)
}

// firstSample returns the first sample of a shard that is of the part.
func (p Stripes) firstSample(lo, hi int) int {
	return hi - min(hi-lo, int(math.Ceil(p.Share*float64(hi-lo))))
}

// EffectiveNumber returns (Σw)²/Σw², the number of equal weights that would vary as
// little; 0 if all are 0.
func (p Stripes) EffectiveNumber(weight []float64) float64 {
	total := p.Sum(func(lo, hi int) float64 { return kernel.Sum(weight[lo:hi]) })
	if total == 0 {
		return 0
	}
	return total * total / p.Sum(func(lo, hi int) float64 { return kernel.Dot(weight[lo:hi], weight[lo:hi]) })
}

// StripesOf returns the part that is all of n samples.
func StripesOf(n int) Stripes { return ShardedStripes(nil, n) }

// ShardedStripes works like StripesOf for samples distributed over MPI ranks.
func ShardedStripes(rows *ranks.Rows, n int) Stripes { return Stripes{n, rows.Shards(n), 1, rows} }

// RowsPerColumn is the number of rows per column that say something of every direction: of the
// first prefix, a bound, the pieces of a step of sequential quadratic programming.
const RowsPerColumn = 8
