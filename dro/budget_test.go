package dro

import (
	"fmt"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// A solve never takes more passes than it may, by its own count and by the oracle's calls,
// whatever the method, the adversary and the budget; one evaluation it makes in any case.
// What it proves until then holds: the optimum is that of a solve without limits.
func TestBudget(t *testing.T) {
	const n, d = 700, 6
	penalised := []Method{LBFGS{}, Newton{}, Newton{Sample: 100}, NewtonCG{}, Growing{First: 40, Factor: 4}, Growing{First: 40, Factor: 4, Finish: LBFGS{}},
		Growing{First: 40, Factor: 4, Finish: primaldual.SeparableBlock{}}, primaldual.FullVector{}, primaldual.Stochastic{}, primaldual.SeparableBlock{}, primaldual.SeparableBlock{ThreeTouches: true},
		primaldual.FullVector{Schedule: primaldual.Theory}, primaldual.Stochastic{Schedule: primaldual.Theory}, primaldual.Stochastic{Schedule: primaldual.Theory, Strategy: primaldual.Historical}, primaldual.SeparableBlock{Schedule: primaldual.Theory}}
	kinked := []Method{Minimax{}, Smoothing{}, primaldual.FullVector{Schedule: primaldual.Theory}, primaldual.SeparableBlock{Schedule: primaldual.Theory}}
	for _, intercept := range []bool{false, true} {
		s := drotest.NewSample(drotest.RngOf(84), n, d, intercept)
		third := make([]int, n)
		for j := range third {
			third[j] = j % 3
		}
		groups, err := NewGroups(NewBall(KullbackLeibler, math.Inf(1), nil), nil, third)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			dual    Dual
			loss    losses.Loss
			methods []Method
		}{
			{KL{Nu: 0.05}, losses.Logistic{}, penalised},
			{KL{Nu: 1e-4}, losses.Squared{}, []Method{Newton{}, Growing{First: 40, Factor: 4}, LBFGS{}}}, // penalties fall, working sets
			{ChiSquare{Nu: 0.5}, losses.Huber{Delta: 0.5}, penalised},
			{Uniform{}, losses.Logistic{}, []Method{Newton{}, NewtonCG{}, LBFGS{}}},
			{NewBall(KullbackLeibler, 0.1, nil), losses.Logistic{}, []Method{Newton{}, LBFGS{}}},
			{CVaR(0.3), losses.Logistic{}, kinked},
			{groups, losses.Logistic{}, []Method{Minimax{}}},
		} {
			exact := math.NaN()
			for _, m := range c.methods {
				p := &Problem{Oracle: s.Oracle(t, c.loss), Dual: c.dual, Primal: L2{Mu: 0.01, Intercept: intercept}}
				if len(Unmet(m, p)) > 0 {
					t.Errorf("%T: %v cannot solve it", c.dual, drotest.Describe(m))
					continue
				}
				if math.IsNaN(exact) {
					exact = drotest.Solve(t, p, m, drotest.Asking(1e-9, 1e4)).Objective
				}
				for _, budget := range []float64{1e-9, 1, 1.3, 2, 2.5, 3, 4.7, 8, 15} {
					what := fmt.Sprintf("%s, %T, intercept %v, within %v passes", drotest.Describe(m), c.dual, intercept, budget)
					o := &drotest.Counter{Linear: s.Oracle(t, c.loss)}
					p.Oracle = o
					res := drotest.Solve(t, p, m, drotest.Asking(1e-9, budget))
					made := float64(o.Touched()+o.Margins.Load())/(2*n) + float64(o.Gram.Load()+o.Constants.Load())/n
					most := max(1, budget)
					if drawn := sampled(m); res.Passes > most || !drawn && made > most+0.5+1e-6 { // half of one fills in the weights returned
						t.Errorf("%s: %v passes counted, %v made", what, res.Passes, made)
					}
					if res.Status != Limit && res.Status != Certified && !(res.Status == Stalled && budget > 2) {
						t.Errorf("%s: %v", what, res.Status)
					}
					if slack := 1e-8 * math.Abs(exact); res.Certificate.Lower > exact+slack || res.Certificate.Upper < exact-slack {
						t.Errorf("%s: [%v, %v] misses the optimum %v", what, res.Certificate.Lower, res.Certificate.Upper, exact)
					}
					if again, _ := c.dual.BestResponseTo(make([]float64, n), lossesAt(p, res.X)); !(math.Abs(again-res.Risk) <= 1e-12*math.Abs(again)) {
						t.Errorf("%s: the risk is said to be %v, it is %v", what, res.Risk, again)
					}
				}
			}
		}
	}
}

// A stage is worth three passes over its samples: it is begun where as many can be paid
// before the two and a half over all that come after.
func TestBudgetOfAStage(t *testing.T) {
	const n, size = 800, 100
	s := drotest.NewSample(drotest.RngOf(85), n, 4, true)
	for passes, begun := range map[float64]bool{2.9: false, 3.1: true} {
		o := &drotest.Counter{Linear: s.Oracle(t, losses.Logistic{})}
		p := &Problem{Oracle: o, Dual: KL{Nu: 1}, Primal: L2{Mu: 0.01, Intercept: true}}
		drotest.Solve(t, p, Growing{First: size, Factor: n / size, Finish: LBFGS{}}, drotest.Asking(1e-9, 2.5+passes*size/n))
		if rest := o.Touched() % n; (rest > 0) != begun {
			t.Errorf("%v passes over a stage can be paid: %d samples read beside all", passes, rest)
		}
	}
}

// sampled reports that a method draws the rows of a Hessian one by one, whose gradient the
// counter does not know to be at hand.
func sampled(m Method) bool {
	g, grows := m.(Growing)
	return m == Method(NewtonCG{}) || m == Method(Newton{Sample: 100}) || grows && g.Finish != Method(LBFGS{})
}

func lossesAt(p *Problem, x []float64) []float64 {
	n, _, s := p.Oracle.Dims()
	value := make([]float64, n)
	p.Oracle.EvalTo(value, make([]float64, n*s), x, 0, n)
	return value
}
