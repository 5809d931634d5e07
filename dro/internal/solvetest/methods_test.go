package solvetest_test

import (
	"os"
	"strings"
	"testing"

	dro "github.com/drotrain/drotrain/dro/internal/solvetest"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

func TestMethods_References(t *testing.T) {
	only := os.Getenv("ONLY")
	for _, m := range []dro.Method{primaldual.FullVector{}, dro.Newton{}, dro.Newton{Products: true},
		primaldual.Stochastic{}, primaldual.SeparableBlock{}} {
		for _, ref := range references(t) {
			if ref.N > 3000 && !*dro.Long {
				continue
			}
			name := m.Name() + "/" + ref.String()
			if only != "" && !strings.Contains(name, only) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				s := dro.DefaultSettings()
				if testing.Verbose() && only != "" {
					s.Logf = t.Logf
				}
				s.MaxPasses = 2000
				res := solveBy(t, ref.problem(t), m, s)
				holds(t, res, ref.Objective)
				if res.Status != dro.Certified {
					t.Errorf("%v after %v passes: relative gap %.3g", res.Status, res.Passes, res.Certificate.Relative())
				}
				t.Logf("%6.1f passes, gap %.2g, subopt %.2g %v", res.Passes, res.Certificate.Relative(),
					res.Objective/ref.Objective-1, res.Elapsed)
			})
		}
	}
}

// What auto stands for certifies every reference problem in few passes, whatever the
// order of its rows and however few of them a column needs.
func TestChoose_OnReferences(t *testing.T) {
	const most = 60
	for _, ref := range references(t) {
		p := ref.problem(t)
		m, _ := dro.Choose(p)
		res := solveBy(t, p, m, dro.DefaultSettings())
		holds(t, res, ref.Objective)
		if res.Status != dro.Certified || res.Passes > most {
			t.Errorf("%v: %s %v after %v passes, at most %v expected", ref, m.Name(), res.Status, res.Passes, most)
		}
	}
}

// What auto stands for goes by the problem: ν, the abilities, and what a Hessian
// costs beside a pass.
func TestChoose_ByCost(t *testing.T) {
	small := sample(t, losses.Logistic{}, 500, 5)
	many := sample(t, losses.Logistic{}, 12000, 5)
	wide := sample(t, losses.Logistic{}, 600, 500)
	for _, c := range []struct {
		oracle dro.Oracle
		dual   dro.Dual
		want   dro.Method
	}{
		{small, dro.Simplex{Nu: 1}, dro.Newton{}},
		{many, dro.Simplex{Divergence: dro.PearsonChi2, Nu: 1}, dro.Newton{}},
		{many, dro.Simplex{Divergence: dro.PearsonChi2, Alpha: 1}, dro.Newton{}},
		{wide, dro.Simplex{Nu: 1}, dro.Newton{}},
		{small, dro.Simplex{}, dro.Newton{}},
		{small, dro.Box{Lower: 0, Upper: 1, Nu: 1}, dro.LBFGS{}},
		{small, dro.Orthant{Cap: 1}, nil},
	} {
		m, why := dro.Choose(&dro.Problem{Oracle: c.oracle, Dual: c.dual, Primal: dro.L2{Mu: 0.1}})
		if m != c.want || why == "" {
			t.Errorf("%#v: %#v, because %q; want %#v", c.dual, m, why, c.want)
		}
	}
}
