package measure

import (
	"math"
	"math/rand/v2"
	"testing"
)

// CVaR against its other definition, the minimum over q (attained at a loss).
func TestCVaRIsTheMinimumOverThresholds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		n := 1 + r.IntN(7)
		loss := make([]float64, n)
		for i := range loss {
			loss[i] = math.Round(4*r.NormFloat64()) / 2 // ties
		}
		for _, a := range []float64{1e-9, 0.1, 1 / float64(n), 0.5, 0.77, 1} {
			got, err := CVaR(loss, a)
			if err != nil {
				t.Fatal(err)
			}
			want := math.Inf(1)
			for _, q := range loss {
				s := 0.0
				for _, l := range loss {
					s += math.Max(0, l-q)
				}
				want = math.Min(want, q+s/(a*float64(n)))
			}
			if !(math.Abs(got[0]-want) <= closedForm*10) {
				t.Fatalf("CVaR(%v, %v) = %v, want %v", loss, a, got[0], want)
			}
		}
	}
}

func TestCVaRByHand(t *testing.T) {
	// Worst 40 % of 4 rows = 1.6 rows: (10 + 0.6·6)/1.6 = 8.5.
	got, err := CVaR([]float64{1, 10, 3, 6}, 0.4, 1, 0.25)
	if err != nil || !(math.Abs(got[0]-8.5) <= closedForm) || got[1] != 5 || got[2] != 10 {
		t.Fatal(got, err)
	}
	for _, bad := range []float64{0, -1, 1.1, math.NaN()} {
		if _, err := CVaR([]float64{1}, bad); err == nil {
			t.Errorf("level %v accepted", bad)
		}
	}
	if _, err := CVaR(nil, 0.5); err == nil {
		t.Error("no losses accepted")
	}
	if _, err := CVaR([]float64{1, math.NaN()}, 0.5); err == nil {
		t.Error("NaN accepted")
	}
}
