package resample

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/measure"
)

// A rank statistic of n rows moves, to first order, by the sum of its rows'
// influences when rows are counted more or less than once: the statistic of a
// resample is about its value plus Σ (count − 1) × influence.

// AUCInfluence writes the influence of every row on the AUC, along order (rows
// by ascending score). It is what DeLong's components are made of:
// w (share of the other class beaten − AUC) / weight of the own class.
func AUCInfluence(dst []float64, target, score, weight []float64, order []int32, auc float64) {
	var P, N, pos, neg float64
	measure.EachTie(target, score, weight, order, func(p, q float64) { P, N = P+p, N+q })
	at := 0
	measure.EachTie(target, score, weight, order, func(p, q float64) {
		up, down := (neg+q/2)/N, (P-pos-p/2)/P
		for end := tieEnd(score, order, at); at < end; at++ {
			i, w := order[at], 1.0
			if weight != nil {
				w = weight[i]
			}
			if target[i] > 0 {
				dst[at] = w * (up - auc) / P
			} else {
				dst[at] = w * (down - auc) / N
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
func averagePrecisionInfluence(dst []float64, target, score, weight []float64, order []int32, ap float64) {
	var T, A float64
	measure.EachTie(target, score, weight, order, func(p, q float64) { T, A = T+p, A+p+q })
	total := T
	at := 0
	var up, down float64 // the sums, from the lowest run upwards
	measure.EachTie(target, score, weight, order, func(p, q float64) {
		up += p * (A - T) / (A * A)
		down += p * T / (A * A)
		precision := T / A
		for end := tieEnd(score, order, at); at < end; at++ {
			i, w := order[at], 1.0
			if weight != nil {
				w = weight[i]
			}
			if target[i] > 0 {
				dst[at] = w * (precision + up - ap) / total
			} else {
				dst[at] = -w * down / total
			}
		}
		T, A = T-p, A-p-q
	})
}

// tieEnd is where the run of equal scores ends that starts at lo.
func tieEnd(score []float64, order []int32, lo int) int {
	hi := lo + 1
	for hi < len(order) && score[order[hi]] == score[order[lo]] {
		hi++
	}
	return hi
}

// An errorQuantile finds the median |error| of a resample by how much of its
// weight lies at or below the median of the rows: that share is one half plus a
// sum over rows, and the median moves to the value at the share's mirror image.
type errorQuantile struct {
	value []float64 // ascending |errors|
	share []float64 // cumulated weight up to and with each; nil: equal
	at    float64   // share at or below the median
}

func newErrorQuantile(target, score, weight []float64, order []int32, median float64) errorQuantile {
	q := errorQuantile{value: make([]float64, len(order))}
	var run, total float64
	below := 0.0
	if weight != nil {
		q.share = make([]float64, len(order))
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

// moved is the value where the cumulated share is that of the median less the
// change of the share below it.
func (q *errorQuantile) moved(change float64) float64 {
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
