package measure

import (
	"math"

	"github.com/drotrain/drotrain/internal/memory"
)

// Ties are rows of two classes by ascending score, as what depends on their order alone
// reads them: from one end to the other, without a look at the rows.
type Ties struct {
	Order  []int32
	Flag   []uint8   // along Order: Positive, and TieEnd on the last of a run of equal scores
	Weight []float64 // by row, not along Order; nil: equal
}

// Flags of Ties.
const (
	Positive = 1 << iota
	TieEnd
)

// NewTies flags rows in the order of their scores; a target is positive above 0. A nil arena is the heap.
func NewTies(arena *memory.Arena, target, score, weight []float64, order []int32) Ties {
	t := Ties{order, memory.Make[uint8](arena, len(order)), weight}
	for at, i := range order {
		if target[i] > 0 {
			t.Flag[at] = Positive
		}
		if at+1 == len(order) || score[i] != score[order[at+1]] {
			t.Flag[at] |= TieEnd
		}
	}
	return t
}

func (t Ties) weightAt(at int) float64 {
	if t.Weight == nil {
		return 1
	}
	return t.Weight[t.Order[at]]
}

// Each calls f with the weight of the positives and of the negatives of every run of
// equal scores, and where the run ends.
func (t Ties) Each(f func(p, q float64, end int)) {
	var p, q float64
	for at, flag := range t.Flag {
		w := t.weightAt(at)
		if flag&Positive != 0 {
			p += w
		} else {
			q += w
		}
		if flag&TieEnd != 0 {
			f(p, q, at+1)
			p, q = 0, 0
		}
	}
}

// Totals returns the weights of the two classes.
func (t Ties) Totals() (positive, negative float64) {
	if t.Weight == nil {
		n := 0
		for _, flag := range t.Flag {
			n += int(flag & Positive)
		}
		return float64(n), float64(len(t.Flag) - n)
	}
	t.Each(func(p, q float64, _ int) { positive, negative = positive+p, negative+q })
	return positive, negative
}

// AUC returns the Mann–Whitney statistic, a tie between a positive and a negative counting
// one half.
func (t Ties) AUC() float64 {
	var neg, pos, wins float64
	t.Each(func(p, q float64, _ int) {
		wins += p * (neg + q/2)
		pos += p
		neg += q
	})
	return math.Min(1, wins/(pos*neg)) // with weights rounding may take it above
}

// AveragePrecision returns Σ_k (R_k − R_{k−1}) P_k over descending distinct scores.
func (t Ties) AveragePrecision() float64 {
	var tp, all, p, q float64
	var ap Summer
	for at := len(t.Flag) - 1; at >= 0; at-- {
		w := t.weightAt(at)
		if t.Flag[at]&Positive != 0 {
			p += w
		} else {
			q += w
		}
		if at > 0 && t.Flag[at-1]&TieEnd == 0 {
			continue
		}
		tp += p
		all += p + q
		if p > 0 {
			ap.Add(p * (tp / all))
		}
		p, q = 0, 0
	}
	return ap.Sum() / tp
}
