// Package spearman computes ranks and Spearman's rank correlation (Spearman 1904). All packages may import it.
package spearman

import (
	"gonum.org/v1/gonum/stat"

	"github.com/drotrain/drotrain/internal/radix"
	"github.com/drotrain/drotrain/internal/shard"
)

// Correlation returns Spearman's rank correlation of a and b, which must have the same length; tied values get
// their mean rank, and none may be NaN. It returns NaN if a or b is constant.
func Correlation(a, b []float64) float64 {
	var ranks [2][]float64
	shard.RunCount(2, 2, func(k, _, _ int) { ranks[k] = Ranks([2][]float64{a, b}[k]) })
	return stat.Correlation(ranks[0], ranks[1], nil)
}

// Ranks returns the ranks of v, counted from 1; tied values get their mean rank. None may be NaN.
func Ranks(v []float64) []float64 {
	order := radix.Argsort(v)
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
