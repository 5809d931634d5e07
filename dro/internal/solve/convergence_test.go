package solve

import (
	"fmt"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// theories are the five algorithms with the schedule of their propositions.
func theories(block int) []Method {
	return []Method{
		primaldual.FullVector{Schedule: primaldual.Theory},
		primaldual.Stochastic{Schedule: primaldual.Theory, Block: block}, primaldual.Stochastic{Strategy: primaldual.Historical, Schedule: primaldual.Theory, Block: block},
		primaldual.SeparableBlock{Schedule: primaldual.Theory, Block: block}, primaldual.SeparableBlock{Strategy: primaldual.Historical, Schedule: primaldual.Theory, Block: block},
	}
}

// Random problems, every method, every dual: weak duality and the optimum of a
// tight solve hold at every check point, and the practical methods certify.
func TestEveryMethodBracketsTheOptimum(t *testing.T) {
	rng := drotest.RngOf(101)
	const gap = 1e-6
	for trial := range 4 {
		intercept := trial%2 == 1
		s := drotest.NewSample(rng, 30+rng.IntN(70), 2+rng.IntN(4), intercept)
		l := []losses.Loss{losses.Logistic{}, losses.Huber{Delta: 1}, losses.Squared{}}[trial%3]
		for _, d := range []Dual{Simplex{Nu: 0.2}, Simplex{Divergence: PearsonChi2, Nu: 0.3}, Simplex{Alpha: 0.4, Nu: 0.3}, Simplex{Divergence: PearsonChi2, Alpha: 0.4, Nu: 0.3}, Simplex{Divergence: PearsonChi2, Alpha: 1}} {
			p := &Problem{Oracle: s.Oracle(t, l), Dual: d, Primal: L2{Mu: 0.05, Intercept: intercept}}
			optimum := drotest.Solve(t, p, LBFGS{}, drotest.Asking(1e-11, 3000))
			for _, m := range everyMethod() {
				erm := saddle.RegionOf(d) == saddle.Point
				if _, separable := m.(primaldual.SeparableBlock); erm && separable {
					continue // not liftable
				}
				theoretical := false
				switch v := m.(type) {
				case primaldual.FullVector:
					theoretical = v.Schedule == primaldual.Theory
				case primaldual.Stochastic:
					theoretical = v.Schedule == primaldual.Theory
				case primaldual.SeparableBlock:
					theoretical = v.Schedule == primaldual.Theory
				}
				budget := drotest.Asking(gap, 400)
				if theoretical {
					budget.MaxPasses = 60
				}
				res := drotest.Solve(t, p, m, budget)
				name := fmt.Sprintf("%T, %s, intercept %v, %s", d, l.Name(), intercept, drotest.Describe(m))
				if err := drotest.Brackets(res, optimum.Certificate); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if res.Status == Certified && !drotest.Near(res.Objective, optimum.Objective, drotest.Solver*gap, 0) {
					t.Errorf("%s: certified at %v, optimum %v", name, res.Objective, optimum.Objective)
				}
				if !theoretical && res.Status != Certified {
					t.Errorf("%s: %v after %v passes at gap %.3g", name, res.Status, res.Passes, res.Certificate.Relative())
				}
			}
		}
	}
}

// The theoretical schedules converge: on a well-conditioned problem with both
// moduli positive, linearly.
func TestTheoryConvergesLinearly(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(102), 24, 2, false)
	for _, d := range []Dual{Simplex{Divergence: PearsonChi2, Nu: 2}, Simplex{Nu: 2}} {
		p := &Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: d, Primal: L2{Mu: 2}}
		optimum := drotest.Solve(t, p, LBFGS{}, drotest.Asking(1e-12, 1000)).Certificate
		for _, m := range theories(6) {
			res := drotest.Solve(t, p, m, drotest.Asking(1e-4, 60000))
			if err := drotest.Brackets(res, optimum); err != nil {
				t.Errorf("%T, %s: %v", d, drotest.Describe(m), err)
			}
			t.Logf("%T, %s: %v, gap %.2g after %.0f passes, %d steps", d, drotest.Describe(m), res.Status, res.Certificate.Relative(), res.Passes, res.Iterations)
			if res.Status != Certified {
				t.Errorf("%T, %s: %v, gap %.3g after %v passes", d, drotest.Describe(m), res.Status, res.Certificate.Relative(), res.Passes)
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
func TestTheoryOnAMatrixGame(t *testing.T) {
	rng := drotest.RngOf(103)
	const n, d = 8, 6
	oracle, err := NewBilinear(n, d, drotest.Normals(rng, n*d, 1), nil, true)
	if err != nil {
		t.Fatal(err)
	}
	p := &Problem{Oracle: oracle, Dual: Simplex{}, Primal: Entropy{}}
	lower, upper := math.Inf(-1), math.Inf(1)
	for _, m := range []Method{primaldual.FullVector{Schedule: primaldual.Theory}, primaldual.Stochastic{Schedule: primaldual.Theory, Block: 4}, primaldual.Stochastic{Strategy: primaldual.Historical, Schedule: primaldual.Theory, Block: 4}} {
		res := drotest.Solve(t, p, m, drotest.Asking(1e-9, 20000))
		early, late := gapAt(res, 2000), gapAt(res, 20000)
		t.Logf("%s: gap %.3g after 2000 passes, %.3g after 20000", drotest.Describe(m), early, late)
		if !(late < early/4) {
			t.Errorf("%s: gap %v after 2000 passes, %v after 20000: not O(1/k)", drotest.Describe(m), early, late)
		}
		lower, upper = max(lower, res.Certificate.Lower), min(upper, res.Certificate.Upper)
		if s := vec.Sum(res.X); !(math.Abs(s-1) <= drotest.ClosedForm) {
			t.Errorf("%s: x sums to %v", drotest.Describe(m), s)
		}
	}
	if lower > upper {
		t.Errorf("bounds of one game: lower %v above upper %v", lower, upper)
	}
}

// A game of known value: rock, paper, scissors has value 0; adding 1 to every
// entry makes it 1.
func TestRockPaperScissors(t *testing.T) {
	oracle, err := NewBilinear(3, 3, []float64{1, 0, 2, 2, 1, 0, 0, 2, 1}, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	s := drotest.Asking(1e-3, 10000)
	s.X0 = []float64{0.7, 0.2, 0.1}
	for _, dual := range []Dual{Simplex{}, Simplex{Divergence: PearsonChi2}, Simplex{Alpha: 0.3}, Simplex{Divergence: PearsonChi2, Alpha: 0.3}} {
		res := drotest.Solve(t, &Problem{Oracle: oracle, Dual: dual, Primal: Entropy{}}, primaldual.FullVector{}, s)
		if err := drotest.Brackets(res, Certificate{Upper: 1, Lower: 1}); err != nil || res.Status != Certified {
			t.Errorf("%T: %v at gap %.3g: %v", dual, res.Status, res.Certificate.Relative(), err)
		}
	}
}

// One side strongly convex alone: O(1/k²) for the full vector method with μ > 0,
// ν = 0 (the maximum of smooth losses).
func TestTheoryWithoutPenalty(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(104), 20, 2, false)
	for _, d := range []Dual{Simplex{Divergence: PearsonChi2}, Simplex{Divergence: PearsonChi2, Alpha: 0.3}, Simplex{}} {
		p := &Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: d, Primal: L2{Mu: 1}}
		res := drotest.Solve(t, p, primaldual.FullVector{Schedule: primaldual.Theory}, drotest.Asking(1e-12, 4000))
		early, late := gapAt(res, 400), gapAt(res, 4000)
		t.Logf("%T: gap %.3g after 400 passes, %.3g after 4000", d, early, late)
		if !(late < early/20 || late < 1e-9) {
			t.Errorf("%T: gap %v after 400 passes, %v after 4000: not O(1/k²)", d, early, late)
		}
	}
}
