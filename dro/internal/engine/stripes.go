package engine

import (
	"math"

	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/shard"
)

// Stripes is a subset of N samples: the last samples of each of Count shards, so that it covers the whole table
// with long runs of samples.
type Stripes struct {
	N, Count int
	Share    float64     // proportion of each shard, in (0, 1]
	Rows     *ranks.Rows // distribution of the samples over ranks; nil for a single process
}

// Run calls f on the samples of the subset, shard by shard.
func (p Stripes) Run(f func(s, lo, hi int)) {
	p.Rows.RunCount(p.N, p.Count, func(s, lo, hi int) { f(s, p.firstSample(lo, hi), hi) })
}

// Sum returns the sum of f over the subset.
func (p Stripes) Sum(f func(lo, hi int) float64) float64 {
	sums := make([]float64, p.Count)
	p.Run(func(s, lo, hi int) { sums[s] = f(lo, hi) })
	p.Rows.AllGather(sums)
	return Sum(sums)
}

// Size returns the number of samples in the subset.
func (p Stripes) Size() float64 {
	size := 0
	for s := range p.Count {
		lo, hi := shard.Bounds(p.N, p.Count, s)
		size += hi - p.firstSample(lo, hi)
	}
	return float64(size)
}

// firstSample returns the first sample of the shard [lo, hi) that is in the subset.
func (p Stripes) firstSample(lo, hi int) int {
	return hi - min(hi-lo, int(math.Ceil(p.Share*float64(hi-lo))))
}

// EffectiveNumber returns (Σw)²/Σw², the effective number of samples under these weights, or 0 if all weights are
// 0.
func (p Stripes) EffectiveNumber(weight []float64) float64 {
	total := p.Sum(func(lo, hi int) float64 { return kernel.Sum(weight[lo:hi]) })
	if total == 0 {
		return 0
	}
	return total * total / p.Sum(func(lo, hi int) float64 { return kernel.Dot(weight[lo:hi], weight[lo:hi]) })
}

// StripesOf returns the subset that contains all n samples.
func StripesOf(n int) Stripes { return ShardedStripes(nil, n) }

// ShardedStripes works like StripesOf for samples distributed over MPI ranks.
func ShardedStripes(rows *ranks.Rows, n int) Stripes { return Stripes{n, rows.Shards(n), 1, rows} }

// RowsPerColumn is the minimum ratio of rows to columns for which a subset of the samples is used, for a bound or
// for the pieces in a step of sequential quadratic programming.
const RowsPerColumn = 8
