package tune

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/train/level"
)

// harmed are four groups of n rows, the first the worst by far: its losses fall by gain, with
// noise of its own, and those of the others rise by pay.
func harmed(n int, gain, noise, pay float64) (*measure, [][]float64) {
	rng := rand.New(rand.NewPCG(5, 3))
	r := level.Rows{N: 4 * n, Labels: []string{"a", "b", "c", "d"}, Group: make([]int32, 4*n)}
	fold, out := make([]int, 4*n), [][]float64{make([]float64, 4*n), make([]float64, 4*n)}
	for j := range fold {
		r.Group[j], fold[j] = int32(j%4), j/4%3
		own, change := rng.ExpFloat64(), pay+0.1*pay*rng.NormFloat64()
		if j%4 == 0 {
			own, change = own+9, noise*math.Sqrt(3)*math.Copysign(1, float64(j/4%2)-0.5)-gain
		}
		out[0][j], out[1][j] = own, own+change
	}
	m := newMeasure(r, fold, 3, 5, 0.1)
	m.groups()
	return m, out
}

// A fall of the worst group that cannot be told from 0 among so many groups is not bought with
// more groups measurably worse than better; one that can be told may be, and so may one that
// no group pays for.
func TestNoMoreGroupsWorseThanBetter(t *testing.T) {
	const n = 300
	for _, c := range []struct {
		errors, pay   float64
		better, worse int
		ok            bool
	}{
		{2.2, 0.02, 0, 3, false},
		{3.5, 0.02, 1, 3, true},
		{2.2, -0.02, 3, 0, true},
		{2.2, 0, 0, 0, true},
	} {
		noise := 1.0
		m, out := harmed(n, c.errors*noise*math.Sqrt(3./n), noise, c.pay)
		s := &Selection{Criterion: "worst-group", Rule: "best", Rate: 0, Candidates: make([]Candidate, 2)}
		s.measure(m, out)
		s.choose("best", math.Inf(1))
		if v := s.Candidates[1]; v.Better != c.better || v.Worse != c.worse || v.Allowed != c.ok || math.Abs(v.Fall/v.SE/c.errors-1) > 0.05 {
			t.Errorf("a fall of %v standard errors for %v: %+v", c.errors, c.pay, v)
		}
	}
}

// A group counts where its change, by hand, is beyond Bonferroni's quantile of a normal law.
func TestTallyOfGroups(t *testing.T) {
	r := level.Rows{N: 8, Labels: []string{"a", "b"}, Group: []int32{0, 0, 0, 0, 1, 1, 1, 1}, Weights: []float64{1, 1, 1, 1, 3, 1, 1, 1}}
	m := newMeasure(r, []int{0, 1, 0, 1, 0, 1, 0, 1}, 2, 2, 0.1)
	m.groups()
	plain := make([]float64, 8)
	// Group a: changes 1 ± s four times, its mean's error s/2. Of two groups 2.2414 errors count.
	of := func(s float64) []float64 { return []float64{1 + s, 1 - s, 1 + s, 1 - s, -1, -1, -1, -1} }
	for s, want := range map[float64]int{2 / 2.25: 1, 2 / 2.24: 0} {
		better, worse, errors := m.tally(of(s), plain)
		if math.Abs(errors-2.241403) > 1e-6 || better != 1 || worse != want {
			t.Errorf("s = %v: %d better, %d worse, %v errors", s, better, worse, errors)
		}
	}
	// The heavier row of b counts three times: mean −(3·2+0)/6, the error by hand.
	loss := []float64{0, 0, 0, 0, -2, 0, 0, 0}
	// mean −1, influences 3/6·(−1), 1/6·1 (three): error √(1/4 + 3/36) = .577, 1.73 errors
	if better, worse, _ := m.tally(loss, plain); better != 0 || worse != 0 {
		t.Errorf("%d better, %d worse", better, worse)
	}
}
