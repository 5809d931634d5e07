package solvetest_test

import (
	"context"
	"testing"

	dro "github.com/drotrain/drotrain/dro/internal/solvetest"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/internal/optima"
	"github.com/drotrain/drotrain/losses"
)

// problemOf is a problem of the reference set.
func problemOf(t testing.TB, c optima.Case) *dro.Problem {
	t.Helper()
	loss, err := losses.Parse(c.Loss, c.Delta)
	if err != nil {
		t.Fatal(err)
	}
	o := newLinear(t, loss, newDense(t, c.N, c.D, c.Rows), c.Target)
	return &dro.Problem{Oracle: o, Dual: dualOf(c), Primal: dro.L2{Mu: c.Mu, Intercept: c.Intercept}}
}

func dualOf(c optima.Case) dro.Dual {
	switch {
	case c.Penalty == "kl" && c.Alpha > 0:
		return dro.Simplex{Alpha: c.Alpha, Nu: c.Nu}
	case c.Penalty == "kl":
		return dro.Simplex{Nu: c.Nu}
	case c.Alpha > 0:
		return dro.Simplex{Divergence: dro.PearsonChi2, Alpha: c.Alpha, Nu: c.Nu}
	}
	return dro.Simplex{Divergence: dro.PearsonChi2, Nu: c.Nu}
}

// Every check of every method holds the optimum of 256-bit arithmetic, to the last bit,
// and what should certify does.
func TestSolve_FindsTheOptima(t *testing.T) {
	for _, c := range optima.Cases() {
		p := problemOf(t, c)
		auto, _ := dro.Choose(p)
		methods := []dro.Method{auto, primaldual.FullVector{}, primaldual.Stochastic{}, primaldual.SeparableBlock{}}
		if len(dro.Unmet(primaldual.Stochastic{}, p)) > 0 {
			methods = []dro.Method{auto, primaldual.FullVector{}, primaldual.Stochastic{Schedule: primaldual.Theory},
				primaldual.SeparableBlock{Schedule: primaldual.Theory}}
		}
		if c.Nu > 0 {
			methods = append(methods, dro.LBFGS{}, dro.Newton{}, dro.Newton{Sample: 500}, dro.Newton{Products: true})
		}
		for k, m := range methods {
			s := dro.DefaultSettings()
			s.RelativeGap, s.MaxPasses = 1e-12, 60
			if c.N > 1000 && k > 0 {
				s.MaxPasses = 25
			}
			if k == 0 {
				s.MaxPasses = 1000
			}
			res, err := dro.SolveBy(context.Background(), p, m, s)
			if err != nil {
				t.Fatalf("%s, %s: %v", c.Name, m.Name(), err)
			}
			for _, check := range res.Trace {
				if !c.Optimum.IsBetween(check.Lower, check.Upper) {
					t.Errorf("%s, %s: after %v passes [%v, %v] misses the optimum %v + %v", c.Name, m.Name(), check.Passes,
						check.Lower, check.Upper, c.Optimum.High, c.Optimum.Low)
					break
				}
			}
			if gap := res.Certificate.Relative(); k == 0 && gap > 1e-6 && c.Mu > 0 {
				t.Errorf("%s, %s: %v after %.4g passes, relative gap %.3g", c.Name, m.Name(), res.Status, res.Passes, gap)
			}
			t.Logf("%-50s %-11s %10v %8.4g passes, gap %.2g", c.Name, m.Name(), res.Status, res.Passes,
				res.Certificate.Relative())
		}
	}
}
