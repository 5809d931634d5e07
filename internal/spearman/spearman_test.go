package spearman

import (
	"math"
	"testing"
)

// Spearman's correlation by hand: the ranks of {10, 20, 20, 5} are {2, 3.5, 3.5, 1}.
func TestSpearman_ByHand(t *testing.T) {
	if r := Correlation([]float64{10, 20, 20, 5}, []float64{1, 2, 3, 0}); !(math.Abs(r-4.5/math.Sqrt(4.5*5)) <= 1e-15) {
		t.Errorf("%v", r)
	}
	if r := Correlation([]float64{1, 2, 3}, []float64{-1, -8, -27}); r != -1 {
		t.Errorf("reversed: %v", r)
	}
	if r := Correlation([]float64{1, 1}, []float64{1, 2}); !math.IsNaN(r) {
		t.Errorf("constant: %v", r)
	}
}
