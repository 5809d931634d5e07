package dro

import (
	"math"

	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/shard"
)

// A part of n samples is the last ones of each of count shards: of all of the table,
// whatever its order, in long runs.
type part struct {
	n, count int
	share    float64
}

// run calls f on the samples of the part, shard by shard.
func (p part) run(f func(s, lo, hi int)) {
	shard.RunCount(p.n, p.count, func(s, lo, hi int) { f(s, p.first(lo, hi), hi) })
}

// sum adds up what f returns.
func (p part) sum(f func(lo, hi int) float64) float64 {
	var sums [shard.Limit]float64
	p.run(func(s, lo, hi int) { sums[s] = f(lo, hi) })
	return sum(sums[:p.count])
}

// size is the number of its samples.
func (p part) size() float64 {
	size := 0
	for s := range p.count {
		lo, hi := shard.Bounds(p.n, p.count, s)
		size += hi - p.first(lo, hi)
	}
	return float64(size)
}

// first is the first sample of a shard that is of the part.
func (p part) first(lo, hi int) int {
	return hi - min(hi-lo, int(math.Ceil(p.share*float64(hi-lo))))
}

// effectiveNumber returns (Σw)²/Σw², the number of equal weights that would vary as
// little; 0 if all are 0.
func (p part) effectiveNumber(weight []float64) float64 {
	total := p.sum(func(lo, hi int) float64 { return kernel.Sum(weight[lo:hi]) })
	if total == 0 {
		return 0
	}
	return total * total / p.sum(func(lo, hi int) float64 { return kernel.Dot(weight[lo:hi], weight[lo:hi]) })
}

// whole is the part that is all of n samples.
func whole(n int) part { return part{n, shard.Count(n), 1} }

// A draw takes about count of the samples of a part, sample j with the probability
// p_j = min(1, s_j/θ): those of a high score for certain, and of the others as many as
// stand for equal scores. It is systematic: a sample is taken where the running sum of
// the p_j passes another half, in every shard anew.
type draw struct{ theta float64 }

// newDraw takes the scores s ≥ 0, of which one is positive.
func newDraw(of part, score []float64, count int) draw {
	const (
		enough = 0.8 // of count, where some are taken for certain
		rounds = 6
	)
	d := draw{theta: of.sum(func(lo, hi int) float64 { return kernel.Sum(score[lo:hi]) }) / float64(count)}
	for range rounds {
		left := of.sum(func(lo, hi int) float64 {
			s := 0.0
			for _, v := range score[lo:hi] {
				s += min(d.theta, v)
			}
			return s
		})
		if left >= enough*d.theta*float64(count) {
			break
		}
		certain := of.sum(func(lo, hi int) float64 {
			k := 0
			for _, v := range score[lo:hi] {
				if v >= d.theta {
					k++
				}
			}
			return float64(k)
		})
		left -= certain * d.theta
		if certain >= float64(count) || !(left > 0) {
			break
		}
		d.theta = left / (float64(count) - certain)
	}
	return d
}

// next returns the first sample from j on that is taken and its probability, hi if
// there is none before. passed is the running sum, 0.5 to begin with.
func (d draw) next(score []float64, j, hi int, passed *float64) (k int, p float64) {
	inverse, sum := 1/d.theta, *passed
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

// estimate is update by about w.sample of the samples: a part of all, where they have
// about the same weight; else a draw from a part of several times the effective number
// of a sample, or from all of them.
func (w *second) estimate(y, slope []float64, count int, add func(s, lo, hi int)) {
	const (
		alike = 0.52 // of their number, the effective number of weights that need no draw
		most  = 0.5  // of the samples, a part
		wider = 3    // what is drawn from, over what has the effective number of a sample
	)
	e := w.e
	of := part{e.n, count, float64(w.sample) / float64(e.n)}
	w.total = of.sum(func(lo, hi int) float64 { return w.weigh(y, slope, lo, hi) })
	even := min(whole(e.n).effectiveNumber(y)/float64(e.n), of.effectiveNumber(w.weight)/of.size())
	drawn := even < alike
	chunk := max(e.block, chunkRows)
	if drawn {
		if of.share *= wider / even; !(of.share <= most) {
			of.share = 1
		}
		w.total = of.sum(func(lo, hi int) float64 { return w.weigh(y, slope, lo, hi) })
		w.thin(slope, of, w.sample)
		chunk = max(chunk, int(float64(chunk)*of.size()/float64(w.sample)))
	}
	scale, kept := float64(e.n)/of.size(), [shard.Limit]int{}
	e.part.Clear()
	of.run(func(s, lo, hi int) {
		for ; lo < hi; lo += chunk {
			end := min(lo+chunk, hi)
			for j := lo; j < end; j++ {
				w.weight[j] *= scale
				w.response[j] *= scale
			}
			add(s, lo, end)
			if !drawn {
				kept[s] += end - lo
				e.p.Oracle.AddGradTo(e.part.Of(s), w.response, slope, lo, end)
				continue
			}
			for j := lo; j < end; j++ {
				if w.weight[j] != 0 || w.response[j] != 0 {
					kept[s]++
					e.p.Oracle.AddGradTo(e.part.Of(s), w.response, slope, j, j+1)
				}
			}
		}
	})
	w.total *= scale
	e.part.SumTo(w.cross)
	for _, k := range kept {
		e.passes += float64(k) / float64(e.n)
	}
}

// thin keeps about count of the samples of a part, and divides their weights and
// responses by their probability, so that the sums are the same on average; those of the
// others become 0. The score of a sample is its weight and what it may add to the mean
// slope, w_j + c_j·Σcℓ'²/Σc.
func (w *second) thin(slope []float64, of part, count int) {
	mean := 0.0
	if w.total > 0 {
		mean = of.sum(func(lo, hi int) float64 {
			s := 0.0
			for j, c := range w.response[lo:hi] {
				s += c * slope[lo+j] * slope[lo+j]
			}
			return s
		}) / w.total
		of.run(func(_, lo, hi int) {
			weight := w.weight[lo:hi]
			for j, c := range w.response[lo:hi] {
				weight[j] += mean * c
			}
		})
	}
	d := newDraw(of, w.weight, count)
	w.total = of.sum(func(lo, hi int) (total float64) {
		for passed := 0.5; lo < hi; lo++ {
			j, p := d.next(w.weight, lo, hi, &passed)
			clear(w.weight[lo:j])
			clear(w.response[lo:j])
			if lo = j; j == hi {
				break
			}
			w.weight[j] = max(0, w.weight[j]-mean*w.response[j]) / p
			w.response[j] /= p
			total += w.response[j]
		}
		return total
	})
}
