package eval

import (
	"cmp"
	"math"
	"slices"

	"github.com/drotrain/drotrain/internal/compensated"
	"github.com/drotrain/drotrain/memory"
)

// concentration returns the sums of the largest hundredth and of the largest tenth of y, with a part of the number at
// the boundary, and the smallest number of largest elements whose sum is at least 0.5, or len(y) if the sum of all is
// less. y ≥ 0 must not be empty and is not changed.
func concentration(arena *memory.Arena, y []float64) (hundredth, tenth float64, half int) {
	order := argsort(arena, len(y), func(i int) float64 { return y[i] })
	defer memory.Release(arena, order)
	var sum compensated.Sum
	half = len(y)
	n := float64(len(y))
	lastOfHundredth, lastOfTenth := int(math.Ceil(n/100)), int(math.Ceil(n/10))
	for k := 1; k <= len(y); k++ {
		before, next := sum.Value(), y[order[len(y)-k]]
		sum.Add(next)
		if k == lastOfHundredth {
			hundredth = before + next*(n/100-float64(k-1))
		}
		if k == lastOfTenth {
			tenth = before + next*(n/10-float64(k-1))
		}
		// the sum of equal numbers reaches 0.5 except for rounding
		if half == len(y) && sum.Value() >= 0.5*(1-1e-12) {
			half = k
		}
		if k >= lastOfTenth && half < len(y) {
			break
		}
	}
	return hundredth, tenth, half
}

// indicesOfLargest returns the indices of the count largest elements of y, in descending order. Ties are resolved
// in favour of the larger element of then, unless it is nil, and then of the smaller index.
func indicesOfLargest(y, then []float64, count int) []int {
	return indicesOfFirst(len(y), count, func(i, j int) int {
		o := cmp.Compare(y[j], y[i])
		if o == 0 && then != nil {
			o = cmp.Compare(then[j], then[i])
		}
		return o
	})
}

// indicesOfFirst returns the first count of the indices 0, …, n−1 in the order that compare gives; equal ones ascend.
func indicesOfFirst(n, count int, compare func(i, j int) int) []int {
	order := func(i, j int) int { return cmp.Or(compare(i, j), cmp.Compare(i, j)) }
	var top []int
	for i := range n {
		if len(top) < count || count > 0 && order(i, top[count-1]) < 0 {
			at, _ := slices.BinarySearchFunc(top, i, order)
			top = slices.Insert(top, at, i)
			top = top[:min(count, len(top))]
		}
	}
	return top
}
