package tune

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/train/level"
)

// Candidates whose losses are independent count once each; copies of one candidate count once in all.
func TestCountComparisons_IndependentAndEqualCandidates(t *testing.T) {
	const n, k = 2000, 8
	rng := rand.New(rand.NewPCG(1, 1))
	draw := func() []float64 {
		v := make([]float64, n)
		for j := range v {
			v[j] = rng.NormFloat64()
		}
		return v
	}
	fold := make([]int, n)
	m := newMeasure(level.Rows{N: n}, fold, 1, 1)
	independent, equal := [][]float64{make([]float64, n)}, [][]float64{make([]float64, n)}
	one := draw()
	for range k {
		independent, equal = append(independent, draw()), append(equal, one)
	}
	if got := m.countComparisons(independent, 1); !(got.Average > 0.6*k && got.Average < 1.6*k) || got.Groups != 1 {
		t.Errorf("%d independent candidates: %+v", k, got)
	}
	if got := m.countComparisons(equal, 1); !(math.Abs(got.Average-1) <= 0.35) {
		t.Errorf("%d copies of a candidate: %+v", k, got)
	}
}
