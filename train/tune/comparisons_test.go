package tune

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/train/level"
)

// Candidates with independent losses count as one comparison each; copies of a candidate count as one comparison
// together.
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

// The effective comparisons of the average are divided by the proportion of resamples in which ERM is replaced, so that
// an interval is wider the less certain the choice is, and by nothing if ERM is kept.
func TestSelect_WidensByReplacements(t *testing.T) {
	seen := map[string]bool{}
	for _, share := range []float64{0.01, 0.04, 0.05, 0.06, 0.08, 0.3} {
		a := table(t, 400, share, true)
		o := DefaultOptions()
		o.Criterion, o.Comparisons = "worst-group", true
		c := &selectionRun{Selection: &Selection{Rate: o.Rate, Of: a.N, Rows: a.N}, options: o, table: a, measured: a}
		if err := c.prepare(); err != nil {
			t.Fatal(err)
		}
		var err error
		if c.start, _, err = a.Solve(t.Context(), erm, nil); err != nil {
			t.Fatal(err)
		}
		if err := c.compareCandidates(t.Context()); err != nil {
			t.Fatal(err)
		}
		want, kind := c.measure.countComparisons(c.values.losses, o.Seed), "kept"
		if c.Chosen > 0 {
			kind = "certain"
			if c.Replaced < 1 {
				kind = "uncertain"
			}
			want.Average /= c.Replaced
		}
		seen[kind] = true
		t.Logf("share %v: %s, replaced in %v of the resamples, %v", share, kind, c.Replaced, c.Comparisons)
		if got := c.Comparisons; math.Abs(got.Average/want.Average-1) > 1e-12 || got.Groups != want.Groups {
			t.Errorf("share %v, %s: %+v, want %+v", share, kind, got, want)
		}
	}
	if len(seen) != 3 {
		t.Errorf("choices: %v", seen)
	}
}
