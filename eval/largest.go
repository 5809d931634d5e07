package eval

import (
	"cmp"
	"math"
	"slices"
)

// A largestSum is the sum of the largest of some numbers, and how many were added.
type largestSum struct {
	Count int
	Mass  float64
}

// sumOfLargest returns the sum of the count largest of y, where y ≥ 0 and 1 ≤ count ≤ n.
func sumOfLargest(y []float64, count int) largestSum {
	h, next := selectLargest(y, func(h largestSum) bool { return h.Count >= count })
	missing := count - h.Count
	return largestSum{count, h.Mass + float64(missing)*next}
}

// fewestHolding returns the smallest number of elements of y ≥ 0 that sum to at least mass > 0, or all.
func fewestHolding(y []float64, mass float64) largestSum {
	mass *= 1 - 1e-12 // sums of equal numbers reach it but for rounding
	h, next := selectLargest(y, func(h largestSum) bool { return h.Mass >= mass })
	missing := len(y) - h.Count
	if next > 0 {
		missing = max(1, int(math.Ceil((mass-h.Mass)/next)))
	}
	return largestSum{h.Count + missing, h.Mass + float64(missing)*next}
}

// selectLargest returns the sum of the elements larger than next, where next is the largest element at which
// the sum is enough, or the smallest element. It reads y once per digit of its bits instead of sorting, with
// constant memory.
func selectLargest(y []float64, enough func(largestSum) bool) (larger largestSum, next float64) {
	prefix := uint64(0) // the digits of next so far
	for shift := (digits - 1) * digitBits; shift >= 0; shift -= digitBits {
		var count [1 << digitBits]int
		var sum [1 << digitBits]compensatedSum
		for _, v := range y {
			if b := math.Float64bits(v + 0); b>>(shift+digitBits) == prefix {
				k := b >> shift & (1<<digitBits - 1)
				count[k]++
				sum[k].Add(v)
			}
		}
		k := len(count) - 1
		for ; k > 0; k-- {
			h := largestSum{larger.Count + count[k], larger.Mass + sum[k].Sum()}
			if enough(h) {
				break
			}
			larger = h
		}
		prefix = prefix<<digitBits | uint64(k)
	}
	return larger, math.Float64frombits(prefix)
}

// indicesOfLargest returns the indices of the count largest elements of y, the largest first. Ties are broken
// by the larger element of then, unless it is nil, and by the smaller index.
func indicesOfLargest(y, then []float64, count int) []int {
	count = min(count, len(y))
	if count < 1 {
		return nil
	}
	order := func(i, j int) int {
		o := cmp.Compare(y[j], y[i])
		if o == 0 && then != nil {
			o = cmp.Compare(then[j], then[i])
		}
		return cmp.Or(o, cmp.Compare(i, j))
	}
	top := make([]int, 0, 2*count)
	keep := func() {
		slices.SortFunc(top, order)
		top = top[:min(count, len(top))]
	}
	last := -1 // of those kept
	for i := range y {
		if last < 0 || order(i, last) < 0 {
			if top = append(top, i); len(top) == cap(top) {
				keep()
				last = top[count-1]
			}
		}
	}
	keep()
	return top
}
