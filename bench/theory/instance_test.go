package theory

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/dro"
)

// The bounds of a gauge hold at random points, and meet at a saddle point known
// by hand.
func TestGauge_BoundsAreThoseByHand(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, in := range []*instance{
		newGame(powerScales(6, 1), 3, 0.1, 0.2, 1), newGame(powerScales(6, 0), 3, 0, 0, 1),
		newTraining(powerScales(6, 1), 3, 0.1, 0.2, false, 1), newTraining(powerScales(6, 1), 3, 0.1, 0.2, true, 1),
		newSimplexTraining(powerScales(6, 1), 3, 0.2, 1),
	} {
		g := in.gauge()
		upper, lower := math.Inf(1), math.Inf(-1)
		for range 200 {
			x, y := make([]float64, in.d), make([]float64, in.n)
			sum := 0.0
			for i := range x {
				x[i] = rng.ExpFloat64()
				sum += x[i]
			}
			for i := range x {
				x[i] /= sum
			}
			total := 0.0
			for j := range y {
				y[j] = rng.Float64() * in.weightCap
				total += y[j]
			}
			if in.sum {
				for j := range y {
					y[j] /= total
				}
			}
			u, l := g.bounds(x, y)
			upper, lower = min(upper, u), max(lower, l)
		}
		if upper < lower-1e-12 {
			t.Errorf("upper bound %v below the lower bound %v", upper, lower)
		}
	}
	// min over the simplex of |x₁ − x₂|: 0 at (½, ½), y = 0.
	oracle, err := dro.NewBilinear(1, 2, []float64{1, -1}, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	in := newGame(powerScales(1, 0), 2, 0, 0, 1)
	in.oracle = oracle
	if u, l := in.gauge().bounds([]float64{0.5, 0.5}, []float64{0}); u != 0 || l != 0 {
		t.Errorf("bounds (%v, %v) at the saddle point, want 0", u, l)
	}
}
