package solvetest

import (
	"fmt"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// A solve takes at most a step more than the passes that it may, whatever the method, the adversary
// and the budget; one evaluation it makes in any case.
// What it proves until then holds: the optimum is that of a solve without limits.
func TestSolve_KeepsItsBudget(t *testing.T) {
	const n, d, aStep = 700, 6, 30 // passes of the longest step: a line search, conjugate gradients
	penalised := []Method{LBFGS{}, Newton{}, Newton{Sample: 100}, Newton{Products: true},
		primaldual.FullVector{}, primaldual.Stochastic{}, primaldual.SeparableBlock{},
		primaldual.SeparableBlock{ThreeTouches: true},
		primaldual.FullVector{Schedule: primaldual.Theory}, primaldual.Stochastic{Schedule: primaldual.Theory},
		primaldual.Stochastic{Schedule: primaldual.Theory, Strategy: primaldual.Historical},
		primaldual.SeparableBlock{Schedule: primaldual.Theory}}
	kinked := []Method{Newton{}, Newton{}, primaldual.FullVector{Schedule: primaldual.Theory},
		primaldual.SeparableBlock{Schedule: primaldual.Theory}}
	for _, intercept := range []bool{false, true} {
		s := drotest.NewSample(drotest.RngOf(84), n, d, intercept)
		third := make([]int, n)
		for j := range third {
			third[j] = j % 3
		}
		groups := newGroups(t, Simplex{Divergence: KullbackLeibler}, nil, third)
		for _, c := range []struct {
			dual    Dual
			loss    losses.Loss
			methods []Method
		}{
			{Simplex{Nu: 0.05}, losses.Logistic{}, penalised},
			{Simplex{Nu: 1e-4}, losses.Squared{}, []Method{Newton{}, LBFGS{}}}, // penalties fall, working sets
			{Simplex{Divergence: PearsonChi2, Nu: 0.5}, losses.Huber{Delta: 0.5}, penalised},
			{Simplex{Divergence: PearsonChi2, Alpha: 1}, losses.Logistic{}, []Method{Newton{}, Newton{Products: true}, LBFGS{}}},
			{Simplex{Divergence: KullbackLeibler, Radius: 0.1}, losses.Logistic{}, []Method{Newton{}, LBFGS{}}},
			{Simplex{Divergence: PearsonChi2, Alpha: 0.3}, losses.Logistic{}, kinked},
			{groups, losses.Logistic{}, []Method{Newton{}}},
		} {
			exact := math.NaN()
			for _, m := range c.methods {
				p := &Problem{Oracle: s.Oracle(t, c.loss), Dual: c.dual, Primal: L2{Mu: 0.01, Intercept: intercept}}
				if len(Unmet(m, p)) > 0 {
					t.Errorf("%T: %v cannot solve it", c.dual, drotest.Describe(m))
					continue
				}
				if math.IsNaN(exact) {
					exact = drotest.Solve(t, p, m, drotest.SettingsFor(1e-9, 1e4)).Objective
				}
				for _, budget := range []float64{1e-9, 1, 1.3, 2, 2.5, 3, 4.7, 8, 15} {
					what := fmt.Sprintf("%s, %T, intercept %v, within %v passes", drotest.Describe(m), c.dual, intercept, budget)
					o := &drotest.Counter{Linear: s.Oracle(t, c.loss)}
					p.Oracle = o
					res := drotest.Solve(t, p, m, drotest.SettingsFor(1e-9, budget))
					made := float64(o.Touched()+o.Margins.Load())/(2*n) + float64(o.Gram.Load()+o.Constants.Load())/n
					most := max(1, budget)
					if res.Passes > most+aStep {
						t.Errorf("%s: %v passes counted, %v made", what, res.Passes, made)
					}
					if res.Status != Limit && res.Status != Certified && !(res.Status == Stalled && budget > 2) {
						t.Errorf("%s: %v", what, res.Status)
					}
					if slack := 1e-8 * math.Abs(exact); res.Certificate.Lower > exact+slack || res.Certificate.Upper < exact-slack {
						t.Errorf("%s: [%v, %v] misses the optimum %v", what, res.Certificate.Lower, res.Certificate.Upper, exact)
					}
					if again, _ := c.dual.BestResponseTo(make([]float64, n),
						lossesAt(p, res.X)); !(math.Abs(again-res.Risk) <= 1e-12*math.Abs(again)) {
						t.Errorf("%s: the risk is said to be %v, it is %v", what, res.Risk, again)
					}
				}
			}
		}
	}
}

func lossesAt(p *Problem, x []float64) []float64 {
	n, _, s := p.Oracle.Dims()
	value := make([]float64, n)
	p.Oracle.EvalTo(value, make([]float64, n*s), x, 0, n)
	return value
}
