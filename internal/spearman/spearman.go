// Package spearman computes ranks and Spearman's rank correlation (Spearman 1904). It imports no package of the
// module; all packages may import it.
package spearman

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Correlation returns Spearman's rank correlation of a and b, which must have the same length; tied values get
// their mean rank. It returns NaN if a or b is constant.
func Correlation(a, b []float64) float64 { return stat.Correlation(Ranks(a), Ranks(b), nil) }

// Ranks returns the ranks of v, counted from 1; tied values get their mean rank.
func Ranks(v []float64) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(v[i], v[j]) })
	rank := make([]float64, len(v))
	for lo := 0; lo < len(order); {
		hi := lo + 1
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
