package dro_test

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/losses"
)

// The caps of CVaR with α close to 1 differ from the reference weights by few digits; the lower bound does not lose
// them.
func TestCVaR_AlphaCloseToOne(t *testing.T) {
	for _, n := range []int{30, 1000} {
		o := drotest.NewSample(drotest.RngOf(46), n, 4, true).Oracle(t, losses.Squared{})
		mean, err := dro.Solve(t.Context(), &dro.Problem{Oracle: o, Dual: dro.Uniform{},
			Primal: dro.L2{Mu: 0.05, Intercept: true}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, rest := range []float64{1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15} {
			p := &dro.Problem{Oracle: o, Dual: dro.CVaR{Alpha: 1 - rest}, Primal: dro.L2{Mu: 0.05, Intercept: true}}
			res, err := dro.Solve(t.Context(), p, nil)
			if err != nil {
				t.Fatal(err)
			}
			if res.Status != dro.Certified || res.Passes > 60 {
				t.Errorf("%d rows, α = 1 − %g: %v, %+v after %v passes", n, rest, res.Status, res.Certificate, res.Passes)
			}
			if !(math.Abs(res.Objective/mean.Objective-1) <= 1e-5) {
				t.Errorf("%d rows, α = 1 − %g: an objective of %v, of the mean %v", n, rest, res.Objective, mean.Objective)
			}
		}
	}
}
