package check

import (
	"math"
	"testing"
)

// Of five rows 4 agree, where chance gives 0.48.
func TestKappa_ByHand(t *testing.T) {
	if k := kappa([2]float64{2, 3}, [2]float64{0, 2}); !(math.Abs(k-(0.8-0.48)/0.52) <= 1e-12) {
		t.Errorf("kappa %v", k)
	}
}
