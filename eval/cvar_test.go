package eval

import (
	"math"
	"math/rand/v2"
	"testing"
)

// CVaR against its other definition, the minimum over q (attained at a loss).
func TestCVaR_MinimumOverThresholds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		n := 1 + r.IntN(7)
		loss := make([]float64, n)
		for i := range loss {
			loss[i] = math.Round(4*r.NormFloat64()) / 2 // ties
		}
		sorted, err := sortLosses(nil, loss, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range []float64{1e-9, 0.1, 1 / float64(n), 0.5, 0.77, 1} {
			got, _ := sorted.CVaRAt(a)
			want := math.Inf(1)
			for _, q := range loss {
				s := 0.0
				for _, l := range loss {
					s += math.Max(0, l-q)
				}
				want = math.Min(want, q+s/(a*float64(n)))
			}
			if !(math.Abs(got-want) <= closedForm*10) {
				t.Fatalf("CVaR(%v, %v) = %v, want %v", loss, a, got, want)
			}
		}
	}
}

func TestCVaR_ByHand(t *testing.T) {
	sorted, err := sortLosses(nil, []float64{1, 10, 3, 6}, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Worst 40 % of 4 rows = 1.6 rows: (10 + 0.6·6)/1.6 = 8.5.
	for alpha, want := range map[float64]float64{0.4: 8.5, 1: 5, 0.25: 10} {
		if got, _ := sorted.CVaRAt(alpha); !(math.Abs(got-want) <= closedForm) {
			t.Errorf("CVaR at %v is %v, want %v", alpha, got, want)
		}
	}
	for _, bad := range [][]float64{nil, {1, math.NaN()}} {
		if _, err := sortLosses(nil, bad, nil); err == nil {
			t.Errorf("losses %v accepted", bad)
		}
	}
}
