package solvetest_test

import (
	"testing"

	dro "github.com/drotrain/drotrain/dro/internal/solvetest"
	"github.com/drotrain/drotrain/dro/primaldual"
)

// The random return rule draws step k with probability a_k/A_t: with the constant
// a_k of μ = ν = 0, every one of t steps comes up equally often.
func TestOfferDrawn_Proportions(t *testing.T) {
	const steps, seeds = 8, 4000
	a := []float64{1, -1, -0.5, 2}
	oracle, err := dro.NewBilinear(2, 2, a, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	p := &dro.Problem{Oracle: oracle, Dual: dro.Simplex{}, Primal: dro.Entropy{}}
	m := primaldual.FullVector{Schedule: primaldual.Theory}
	s := dro.DefaultSettings()
	s.CheckEvery = 1e6 // no check but the last
	run := func() *dro.TestResult {
		res := solveBy(t, p, m, s)
		return res
	}
	s.RelativeGap = 1e-15
	for s.MaxPasses = 0.5; run().Iterations < steps; s.MaxPasses += 0.5 {
	}
	// The sequence does not depend on the seed: its points are the drawn ones.
	count := map[[2]float64]int{}
	for seed := range uint64(seeds) {
		s.Seed = seed
		x := run().Drawn
		count[[2]float64{x[0], x[1]}]++
	}
	if len(count) != steps {
		t.Fatalf("%d different points were drawn of %d steps", len(count), steps)
	}
	chi2 := 0.0
	for _, c := range count {
		e := float64(seeds) / steps
		chi2 += (float64(c) - e) * (float64(c) - e) / e
	}
	if chi2 > 24.3 { // 99.9 % quantile of χ² with 7 degrees of freedom
		t.Errorf("draws %v: χ² = %.1f", count, chi2)
	}
}
