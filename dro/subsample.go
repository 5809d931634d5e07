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

// estimate is update by w.sample or so of the samples: the last ones where these have
// about equal weights, else those of a draw.
func (w *second) estimate(y, slope []float64, count int, add func(s, lo, hi int)) {
	e := w.e
	first := e.n - w.sample
	w.total = shard.Sum(w.sample, func(lo, hi int) float64 { return w.weigh(y, slope, first+lo, first+hi) })
	if alike(y) && alike(w.weight[first:]) {
		scale := float64(e.n) / float64(w.sample)
		w.sumOver(slope, first, count, func(lo, hi int) (total float64) {
			for j := lo; j < hi; j++ {
				w.weight[j] *= scale
				w.response[j] *= scale
				total += w.response[j]
			}
			return total
		}, add)
		return
	}
	w.total += shard.Sum(first, func(lo, hi int) float64 { return w.weigh(y, slope, lo, hi) })
	share := float64(w.thin(slope, w.sample)) / float64(e.n)
	e.passes += share
	e.part.Clear()
	chunk := int(float64(max(e.block, chunkRows)) / max(share, 1e-3))
	shard.RunCount(e.n, count, func(s, lo, hi int) {
		for ; lo < hi; lo += chunk {
			end := min(lo+chunk, hi)
			add(s, lo, end)
			for j := lo; j < end; j++ {
				if w.response[j] != 0 {
					e.p.Oracle.AddGradTo(e.part.Of(s), w.response, slope, j, j+1)
				}
			}
		}
	})
	e.part.SumTo(w.cross)
}

// alike reports whether some of the weights can stand for the others: their effective
// number is most of them.
func alike(weight []float64) bool {
	const most = 0.6
	return effectiveNumber(weight) >= most*float64(len(weight))
}

// thin keeps about count of the samples that the Hessian is a sum over, and divides
// them by their probability, so that the sum is the same on average. The score of a
// sample is its weight and what it may add to the mean slope, w_j + c_j·Σcℓ'²/Σc. The
// weights and responses of the others become 0. It returns the number kept.
func (w *second) thin(slope []float64, count int) (kept int) {
	n := w.e.n
	squares := shard.Sum(n, func(lo, hi int) float64 {
		s := 0.0
		for j, c := range w.response[lo:hi] {
			s += c * slope[lo+j] * slope[lo+j]
		}
		return s
	})
	mean := 0.0
	if w.total > 0 {
		mean = squares / w.total
	}
	shard.Run(n, func(_, lo, hi int) {
		weight := w.weight[lo:hi]
		for j, c := range w.response[lo:hi] {
			weight[j] += mean * c
		}
	})
	d := newDraw(w.weight, count)
	var number [shard.Limit]int
	var totals [shard.Limit]float64
	shard.Run(n, func(s, lo, hi int) {
		for passed := 0.5; lo < hi; lo++ {
			j, p := d.next(w.weight, lo, hi, &passed)
			clear(w.weight[lo:j])
			clear(w.response[lo:j])
			if lo = j; j == hi {
				break
			}
			number[s]++
			w.weight[j] = max(0, w.weight[j]-mean*w.response[j]) / p
			w.response[j] /= p
			totals[s] += w.response[j]
		}
	})
	w.total = 0
	for s := range shard.Count(n) {
		kept += number[s]
		w.total += totals[s]
	}
	return kept
}
