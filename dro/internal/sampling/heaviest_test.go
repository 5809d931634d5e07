package sampling_test

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/sampling"
)

// The heaviest samples are chosen by the binade of their weight: enough of them, and no
// binade more.
func TestHeaviest(t *testing.T) {
	rng := drotest.RngOf(97)
	for range 300 {
		n := 1 + rng.IntN(50)
		y := make([]float64, n)
		positive, total := 0, 0.0
		for j := range y {
			if rng.IntN(4) > 0 {
				y[j] = math.Exp(-20 * rng.ExpFloat64())
				positive++
				total += y[j]
			}
		}
		fewest, share := 1+rng.IntN(60), rng.Float64()
		got := sampling.Heaviest(nil, y, share, fewest)
		in, least, mass := make([]bool, n), math.Inf(1), 0.0
		for _, j := range got {
			in[j], least = true, min(least, y[j])
			mass += y[j]
		}
		if len(got) < min(fewest, positive) || mass < share*total*(1-1e-12) {
			t.Fatalf("%d of %v, %v of the sum: %v", fewest, y, share, got)
		}
		without, fewer := 0.0, 0 // the lightest binade
		for j, w := range y {
			if w > 0 && !in[j] && w >= least {
				t.Fatalf("%d of %v: %v lacks %d", fewest, y, got, j)
			}
			if w >= 2*math.Ldexp(1, math.Ilogb(least)) {
				without += w
				fewer++
			}
		}
		if len(got) > 0 && len(got) < positive && fewer >= fewest && without >= share*total*(1+1e-12) {
			t.Fatalf("%d of %v, %v of the sum: %v are too many", fewest, y, share, got)
		}
	}
}
