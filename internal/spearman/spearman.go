// Package spearman ranks numbers and correlates by ranks: Spearman (1904). Anything may import
// it; it imports nothing of the module.
package spearman

import (
	"math"
	"slices"
)

// Correlation returns Spearman's rank correlation of a and b, which must have equal lengths; ties have their
// mean rank. It returns NaN if one of them is constant.
func Correlation(a, b []float64) float64 {
	p, q := Ranks(a), Ranks(b)
	centre := float64(len(a)+1) / 2
	var pq, pp, qq float64
	for i := range p {
		x, y := p[i]-centre, q[i]-centre
		pq += x * y
		pp += x * x
		qq += y * y
	}
	return pq / math.Sqrt(pp*qq)
}

// Ranks returns the ranks of v, counted from 1; ties have their mean rank.
func Ranks(v []float64) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		switch {
		case v[i] < v[j]:
			return -1
		case v[i] > v[j]:
			return 1
		}
		return 0
	})
	rank := make([]float64, len(v))
	for lo := 0; lo < len(order); {
		hi := lo
		for hi < len(order) && v[order[hi]] == v[order[lo]] {
			hi++
		}
		for _, i := range order[lo:hi] {
			rank[i] = float64(lo+hi+1) / 2
		}
		lo = hi
	}
	return rank
}
