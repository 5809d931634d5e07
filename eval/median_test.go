package eval

import (
	"math"
	"testing"
)

// The interval between order statistics covers the median as often as it says, by the
// binomial law, for every number of rows that has one; too few rows have none.
func TestMedianInterval(t *testing.T) {
	for n := 1; n <= 60; n++ {
		target, score, order := make([]float64, n), make([]float64, n), make([]int32, n)
		for i := range n {
			score[i], order[i] = float64(i+1), int32(i) // the k-th smallest error is k
		}
		for _, confidence := range []float64{0.8, 0.95} {
			iv := map[string]Interval{}
			addMedianInterval(target, score, order, confidence, iv)
			got, ok := iv["median_ae"]
			if fewest := map[float64]int{0.8: 4, 0.95: 6}[confidence]; ok != (n >= fewest) {
				t.Errorf("%d rows at %v: %v", n, confidence, got)
			}
			if !ok {
				continue
			}
			lo, hi := int(got.Low), int(got.High)
			covered := 0.0 // P(lo ≤ number of errors below the median < hi)
			for k := lo; k < hi; k++ {
				lg := func(v int) float64 { l, _ := math.Lgamma(float64(v + 1)); return l }
				covered += math.Exp(lg(n) - lg(k) - lg(n-k) - float64(n)*math.Ln2)
			}
			if lo+hi != n+1 || covered < confidence-0.002 {
				t.Errorf("%d rows at %v: ranks %d and %d cover %.3g", n, confidence, lo, hi, covered)
			}
		}
	}
}
