package propose

import (
	"math"
	"testing"
)

// Agreement is Cohen's kappa, of one column or of its opposite, and none where chance leaves
// nothing to agree on.
func TestAgreement_Kappa(t *testing.T) {
	kappa := func(a, b []float64) float64 {
		n, same, ones := float64(len(a)), 0.0, [2]float64{}
		for i := range a {
			if a[i] == b[i] {
				same++
			}
			ones[0], ones[1] = ones[0]+a[i], ones[1]+b[i]
		}
		chance := (ones[0]*ones[1] + (n-ones[0])*(n-ones[1])) / (n * n)
		if chance == 1 {
			return 0
		}
		return (same/n - chance) / (1 - chance)
	}
	for bits := range 1 << 10 {
		a, not, b := make([]float64, 5), make([]float64, 5), make([]float64, 5)
		for i := range a {
			a[i], b[i] = float64(bits>>i&1), float64(bits>>(5+i)&1)
			not[i] = 1 - a[i]
		}
		if got, want := agreement(a, b), max(kappa(a, b), kappa(not, b)); !(math.Abs(got-want) <= 1e-14) {
			t.Errorf("%v and %v: %v, not %v", a, b, got, want)
		}
	}
}
