package sampling

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/internal/tuning"
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
	p.Rows.RunCount(p.N, p.Count, func(s, lo, hi int) { f(s, p.first(lo, hi), hi) })
}

// Sum adds up what f returns.
func (p Stripes) Sum(f func(lo, hi int) float64) float64 {
	sums := make([]float64, p.Count)
	p.Run(func(s, lo, hi int) { sums[s] = f(lo, hi) })
	p.Rows.Share(sums)
	return vec.Sum(sums)
}

// Size is the number of its samples.
func (p Stripes) Size() float64 {
	size := 0
	for s := range p.Count {
		lo, hi := shard.Bounds(p.N, p.Count, s)
		size += hi - p.first(lo, hi)
	}
	return float64(size)
}

// first is the first sample of a shard that is of the part.
func (p Stripes) first(lo, hi int) int {
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

// All is the part that is all of n samples.
func All(n int) Stripes { return AllOf(nil, n) }

// AllOf is All of samples that lie with several ranks.
func AllOf(rows *ranks.Rows, n int) Stripes { return Stripes{n, rows.Shards(n), 1, rows} }

// A systematic takes about count of the samples of a part, sample j with the probability
// p_j = min(1, s_j/θ): those of a high score for certain, and of the others as many as
// stand for equal scores. It is systematic: a sample is taken where the running sum of
// the p_j passes another half, in every shard anew.
type systematic struct{ Theta float64 }

// RowsPerColumn is the number of samples that say something of every direction: the first
// stage of a prefix, a bound, the pieces of a kink.
var RowsPerColumn = tuning.New("sampling: samples that say something of every direction", "per column", 8, 3, 32)

var (
	countReached = tuning.New("sampling: samples expected, at least, for the threshold to do", "of those asked for", 0.8, 0.5, 0.95)
	countRounds  = tuning.New("sampling: readings of the scores to find the threshold", "at most", 6, 2, 20)
)

// NewSystematic takes the scores s ≥ 0, of which one is positive.
func NewSystematic(of Stripes, score []float64, count int) systematic {
	d := systematic{Theta: of.Sum(func(lo, hi int) float64 { return kernel.Sum(score[lo:hi]) }) / float64(count)}
	for range countRounds.Int() {
		left := of.Sum(func(lo, hi int) float64 {
			s := 0.0
			for _, v := range score[lo:hi] {
				s += min(d.Theta, v)
			}
			return s
		})
		if left >= countReached.Value*d.Theta*float64(count) {
			break
		}
		certain := of.Sum(func(lo, hi int) float64 {
			k := 0
			for _, v := range score[lo:hi] {
				if v >= d.Theta {
					k++
				}
			}
			return float64(k)
		})
		left -= certain * d.Theta
		if certain >= float64(count) || !(left > 0) {
			break
		}
		d.Theta = left / (float64(count) - certain)
	}
	return d
}

// Next returns the first sample from j on that is taken and its probability, hi if
// there is none before. passed is the running sum, 0.5 to begin with.
func (d systematic) Next(score []float64, j, hi int, passed *float64) (k int, p float64) {
	inverse, sum := 1/d.Theta, *passed
	for ; j < hi; j++ {
		p = min(1, score[j]*inverse)
		if sum += p; sum >= 1 {
			*passed = sum - 1
			return j, p
		}
	}
	*passed = sum
	return hi, 0
}
