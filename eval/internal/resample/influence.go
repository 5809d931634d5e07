package resample

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/measure"
	"github.com/drotrain/drotrain/internal/memory"
)

// A rank statistic of n rows moves, to first order, by the sum of its rows'
// influences when rows are counted more or less than once: the statistic of a
// resample is about its value plus Σ (count − 1) × influence.

// AUCInfluence writes the influence of every row on the AUC, along order (rows
// by ascending score). It is what DeLong's components are made of:
// w (share of the other class beaten − AUC) / weight of the own class.
func AUCInfluence(dst []float64, t measure.Ties, auc float64) {
	P, N := t.Totals()
	var pos, neg float64
	at := 0
	t.Each(func(p, q float64, end int) {
		up, down := ((neg+q/2)/N-auc)/P, ((P-pos-p/2)/P-auc)/N
		for ; at < end; at++ {
			if t.Flag[at]&measure.Positive != 0 {
				dst[at] = up
			} else {
				dst[at] = down
			}
			if t.Weight != nil {
				dst[at] *= t.Weight[t.Order[at]]
			}
		}
		pos, neg = pos+p, neg+q
	})
}

// averagePrecisionInfluence writes the influence of every row on the average
// precision AP = Σ_k p_k T_k/A_k / T, along order (rows by ascending score). p_k
// is the weight of the positives in the k-th run of equal scores from the top,
// T_k and A_k those of the positives and of all rows down to it. A positive in
// run m adds (T_m/A_m + Σ_{k≥m} p_k (A_k − T_k)/A_k² − AP)/T, a negative
// −Σ_{k≥m} p_k T_k/A_k² / T.
func averagePrecisionInfluence(dst []float64, t measure.Ties, ap float64) {
	T, N := t.Totals()
	A := T + N
	total := T
	at := 0
	var up, down float64 // the sums, from the lowest run upwards
	t.Each(func(p, q float64, end int) {
		up += p * (A - T) / (A * A)
		down += p * T / (A * A)
		gain, loss := (T/A+up-ap)/total, -down/total
		for ; at < end; at++ {
			if t.Flag[at]&measure.Positive != 0 {
				dst[at] = gain
			} else {
				dst[at] = loss
			}
			if t.Weight != nil {
				dst[at] *= t.Weight[t.Order[at]]
			}
		}
		T, A = T-p, A-p-q
	})
}

// An errorQuantile finds the median |error| of a resample by how much of its
// weight lies at or below the median of the rows: that share is one half plus a
// sum over rows, and the median moves to the value at the share's mirror image.
type errorQuantile struct {
	value []float64 // ascending |errors|
	share []float64 // cumulated weight up to and with each; nil: equal
	at    float64   // share at or below the median
}

// newErrorQuantile returns the cumulated weights of the |errors| along order.
func newErrorQuantile(arena *memory.Arena, target, score, weight []float64, order []int32, median float64) errorQuantile {
	q := errorQuantile{value: memory.Make[float64](arena, len(order))}
	var run, total float64
	below := 0.0
	if weight != nil {
		q.share = memory.Make[float64](arena, len(order))
	}
	for k, i := range order {
		q.value[k] = math.Abs(score[i] - target[i])
		w := 1.0
		if weight != nil {
			w = weight[i]
		}
		run += w
		if weight != nil {
			q.share[k] = run
		}
		if q.value[k] <= median {
			below = run
		}
	}
	total = run
	for k := range q.share {
		q.share[k] /= total
	}
	q.at = below / total
	return q
}

// shiftedMedian returns the value where the cumulated share is that of the median less the
// change of the share below it.
func (q *errorQuantile) shiftedMedian(change float64) float64 {
	want := q.at - change
	n := len(q.value)
	if q.share == nil {
		return q.value[min(n-1, max(0, int(math.Ceil(want*float64(n)-1e-9))-1))]
	}
	lo, hi := 0, n-1
	for lo < hi {
		m := (lo + hi) / 2
		if q.share[m] >= want-1e-12 {
			hi = m
		} else {
			lo = m + 1
		}
	}
	return q.value[lo]
}
