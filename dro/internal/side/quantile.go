package side

import (
	"math"
	"slices"
)

// quantileFromTop returns the largest τ such that at least k of the values are
// ≥ τ (k > 0; the maximum for k ≤ 1). It reorders v.
func quantileFromTop(v []float64, k float64) float64 {
	slices.Sort(v)
	i := len(v) - int(math.Ceil(k-1e-14*k))
	return v[min(max(i, 0), len(v)-1)]
}
