package solvetest

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// theories are the five algorithms with the schedule of their propositions.
func theories(block int) []Method {
	return []Method{
		primaldual.FullVector{Schedule: primaldual.Theory},
		primaldual.Stochastic{Schedule: primaldual.Theory,
			Block: block}, primaldual.Stochastic{Strategy: primaldual.Historical, Schedule: primaldual.Theory, Block: block},
		primaldual.SeparableBlock{Schedule: primaldual.Theory,
			Block: block}, primaldual.SeparableBlock{Strategy: primaldual.Historical, Schedule: primaldual.Theory, Block: block},
	}
}

// The theoretical schedules converge: on a well-conditioned problem with both
// moduli positive, linearly.
func TestTheory_LinearConvergence(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(102), 24, 2, false)
	for _, d := range []Dual{Simplex{Divergence: PearsonChi2, Nu: 2}, Simplex{Nu: 2}} {
		p := &Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: d, Primal: L2{Mu: 2}}
		optimum := drotest.Solve(t, p, LBFGS{}, drotest.SettingsFor(1e-12, 1000)).Certificate
		for _, m := range theories(6) {
			res := drotest.Solve(t, p, m, drotest.SettingsFor(1e-4, 60000))
			if err := drotest.CheckBrackets(res, optimum); err != nil {
				t.Errorf("%T, %s: %v", d, drotest.Describe(m), err)
			}
			t.Logf("%T, %s: %v, gap %.2g after %.0f passes, %d steps", d, drotest.Describe(m), res.Status,
				res.Certificate.Relative(), res.Passes, res.Iterations)
			if res.Status != Certified {
				t.Errorf("%T, %s: %v, gap %.3g after %v passes", d, drotest.Describe(m), res.Status, res.Certificate.Relative(),
					res.Passes)
			}
		}
	}
}

// gapAt is the gap known after a number of passes.
func gapAt(res *TestResult, passes float64) float64 {
	gap := math.Inf(1)
	for _, c := range res.Trace {
		if c.Passes <= passes {
			gap = c.Gap()
		}
	}
	return gap
}

// A bilinear game between simplices, μ = ν = 0: the averages converge at the rate
// 1/A_k = O(1/k), for the full and the stochastic methods.
func TestTheory_MatrixGame(t *testing.T) {
	rng := drotest.RngOf(103)
	const n, d = 8, 6
	oracle, err := NewBilinear(n, d, drotest.Normals(rng, n*d, 1), nil, true)
	if err != nil {
		t.Fatal(err)
	}
	p := &Problem{Oracle: oracle, Dual: Simplex{}, Primal: Entropy{}}
	lower, upper := math.Inf(-1), math.Inf(1)
	for _, m := range []Method{primaldual.FullVector{Schedule: primaldual.Theory},
		primaldual.Stochastic{Schedule: primaldual.Theory, Block: 4},
		primaldual.Stochastic{Strategy: primaldual.Historical, Schedule: primaldual.Theory, Block: 4}} {
		res := drotest.Solve(t, p, m, drotest.SettingsFor(1e-9, 20000))
		early, late := gapAt(res, 2000), gapAt(res, 20000)
		t.Logf("%s: gap %.3g after 2000 passes, %.3g after 20000", drotest.Describe(m), early, late)
		if !(late < early/4) {
			t.Errorf("%s: gap %v after 2000 passes, %v after 20000: not O(1/k)", drotest.Describe(m), early, late)
		}
		lower, upper = max(lower, res.Certificate.Lower), min(upper, res.Certificate.Upper)
		if s := engine.Sum(res.X); !(math.Abs(s-1) <= drotest.ClosedForm) {
			t.Errorf("%s: x sums to %v", drotest.Describe(m), s)
		}
	}
	if lower > upper {
		t.Errorf("bounds of one game: lower %v above upper %v", lower, upper)
	}
}
