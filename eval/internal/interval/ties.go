package interval

import (
	"math"

	"github.com/drotrain/drotrain/internal/compensated"
	"github.com/drotrain/drotrain/memory"
)

// Ties holds rows of two classes in ascending order of score. It serves measures that depend only on this order.
type Ties struct {
	Order []int32
	// flags of the rows in the order of Order: flagPositive for a positive row, and flagTieEnd for the last row
	// of a run of equal scores
	Flag   []uint8
	Weight Weights // indexed by row, not in the order of Order
}

// Flags of Ties. The first is 1, so that it can be an index and a factor.
const (
	flagPositive = 1 << iota
	flagTieEnd
)

// NewTies returns the rows in the given order, which must be ascending in score. A row is positive if its target is
// above 0. The flags are allocated from arena, or from the heap if arena is nil.
func NewTies(arena *memory.Arena, target, score []float64, weight Weights, order []int32) Ties {
	t := Ties{order, memory.Make[uint8](arena, len(order)), weight}
	for at, i := range order {
		if target[i] > 0 {
			t.Flag[at] = flagPositive
		}
		if at+1 == len(order) || score[i] != score[order[at+1]] {
			t.Flag[at] |= flagTieEnd
		}
	}
	return t
}

// EachRun calls f for every run of equal scores. It passes the weights of the positives and of the negatives in this
// run, and the index after its last row.
func (t Ties) EachRun(f func(positive, negative float64, end int)) {
	var positive, negative float64
	for at, flag := range t.Flag {
		w := t.Weight.Of(t.Order[at])
		p := w * float64(flag&flagPositive) // processors cannot predict branches that depend on the class
		positive, negative = positive+p, negative+(w-p)
		if flag&flagTieEnd != 0 {
			f(positive, negative, at+1)
			positive, negative = 0, 0
		}
	}
}

// Totals returns the total weights of the two classes.
func (t Ties) Totals() (positive, negative float64) {
	t.EachRun(func(p, q float64, _ int) { positive, negative = positive+p, negative+q })
	return positive, negative
}

// AUC returns the Mann–Whitney statistic. A positive and a negative with equal scores count one half.
func (t Ties) AUC() float64 {
	var neg, pos, wins float64
	t.EachRun(func(p, q float64, _ int) {
		wins += p * (neg + q/2)
		pos += p
		neg += q
	})
	return math.Min(1, wins/(pos*neg)) // with weights, rounding may yield a value above 1
}

// AveragePrecision returns Σ_k (R_k − R_{k−1}) P_k over the distinct scores in descending order, where R_k is the
// recall and P_k the precision of the rows with at least the k-th score.
func (t Ties) AveragePrecision() float64 {
	var tp, all, p, q float64
	var ap compensated.Sum
	for at := len(t.Flag) - 1; at >= 0; at-- {
		w := t.Weight.Of(t.Order[at])
		positive := w * float64(t.Flag[at]&flagPositive)
		p, q = p+positive, q+(w-positive)
		if at > 0 && t.Flag[at-1]&flagTieEnd == 0 {
			continue
		}
		tp += p
		all += p + q
		if p > 0 {
			ap = ap.Plus(p * (tp / all))
		}
		p, q = 0, 0
	}
	return ap.Value() / tp
}
