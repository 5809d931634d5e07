package dro

import (
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/shard"
)

// A draw takes about count of some samples, sample j with the probability
// p_j = min(1, s_j/θ): those of a high score for certain, and of the others as many as
// stand for equal scores. It is systematic: a sample is taken where the running sum of
// the p_j passes another half, in every shard anew.
type draw struct{ theta float64 }

// newDraw takes the scores s ≥ 0, of which one is positive.
func newDraw(score []float64, count int) draw {
	const (
		enough = 0.8 // of count, where some are taken for certain
		rounds = 6
	)
	d := draw{theta: shard.Sum(len(score), func(lo, hi int) float64 { return kernel.Sum(score[lo:hi]) }) / float64(count)}
	for range rounds {
		left := shard.Sum(len(score), func(lo, hi int) float64 {
			s := 0.0
			for _, v := range score[lo:hi] {
				s += min(d.theta, v)
			}
			return s
		})
		if left >= enough*d.theta*float64(count) {
			break
		}
		certain := shard.Sum(len(score), func(lo, hi int) float64 {
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

// estimate is update by about w.sample of the samples: the last ones where all have
// about the same weight; else those of a draw, from as many of the last as have the
// effective number of a sample, if these are not most of them.
func (w *second) estimate(y, slope []float64, count int, add func(s, lo, hi int)) {
	const alike = 0.5 // of their number, the effective number of weights that need no draw
	e := w.e
	from := e.n // the first sample that is weighed
	weigh := func(first int) {
		if first < from {
			w.total += shard.Sum(from-first, func(lo, hi int) float64 { return w.weigh(y, slope, first+lo, first+hi) })
			from = first
		}
	}
	w.total = 0
	weigh(e.n - w.sample)
	even := min(effectiveNumber(y)/float64(e.n), effectiveNumber(w.weight[from:])/float64(w.sample))
	drawn := even < alike
	if drawn {
		first := e.n - int(min(float64(e.n), float64(w.sample)/even))
		if 2*first < e.n {
			first = 0
		}
		weigh(first)
		w.thin(slope, from, w.sample)
	}
	scale, kept := float64(e.n)/float64(e.n-from), [shard.Limit]int{}
	e.part.Clear()
	chunk := max(e.block, chunkRows)
	if drawn {
		chunk = max(chunk, int(float64(chunk)*float64(e.n-from)/float64(w.sample)))
	}
	shard.RunCount(e.n-from, count, func(s, lo, hi int) {
		lo, hi = lo+from, hi+from
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

// thin keeps about count of the samples from first on, and divides their weights and
// responses by their probability, so that the sums are the same on average; those of the
// others become 0. The score of a sample is its weight and what it may add to the mean
// slope, w_j + c_j·Σcℓ'²/Σc.
func (w *second) thin(slope []float64, first, count int) {
	weight, response, slope := w.weight[first:], w.response[first:], slope[first:]
	n := len(weight)
	squares := shard.Sum(n, func(lo, hi int) float64 {
		s := 0.0
		for j, c := range response[lo:hi] {
			s += c * slope[lo+j] * slope[lo+j]
		}
		return s
	})
	mean := 0.0
	if w.total > 0 {
		mean = squares / w.total
		shard.Run(n, func(_, lo, hi int) {
			weight := weight[lo:hi]
			for j, c := range response[lo:hi] {
				weight[j] += mean * c
			}
		})
	}
	d := newDraw(weight, count)
	w.total = shard.Sum(n, func(lo, hi int) (total float64) {
		for passed := 0.5; lo < hi; lo++ {
			j, p := d.next(weight, lo, hi, &passed)
			clear(weight[lo:j])
			clear(response[lo:j])
			if lo = j; j == hi {
				break
			}
			weight[j] = max(0, weight[j]-mean*response[j]) / p
			response[j] /= p
			total += response[j]
		}
		return total
	})
}
