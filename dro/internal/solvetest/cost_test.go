package solvetest

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// The passes of a whole solve are those of the oracle's calls: losses and slopes
// half a pass, a gradient or a product the other half, second derivatives a pass
// and constants one. What is not counted is a last evaluation of the weights
// returned, where one is needed.
func TestSolve_CountsItsPasses(t *testing.T) {
	const n = 1200
	for _, intercept := range []bool{false, true} {
		s := drotest.NewSample(drotest.RngOf(83), n, 5, intercept)
		for _, m := range []Method{LBFGS{}, Newton{}, primaldual.FullVector{}, primaldual.Stochastic{},
			primaldual.SeparableBlock{}, primaldual.SeparableBlock{Block: 3, ThreeTouches: true},
			primaldual.FullVector{Schedule: primaldual.Theory}, primaldual.SeparableBlock{Schedule: primaldual.Theory},
			primaldual.Stochastic{Schedule: primaldual.Theory, Strategy: primaldual.Historical}} {
			for _, l := range []losses.Loss{losses.Logistic{}, losses.Squared{}} {
				o := &drotest.Counter{Linear: s.Oracle(t, l)}
				res := drotest.Solve(t, &Problem{Oracle: o, Dual: Simplex{Nu: 0.5}, Primal: L2{Mu: 0.01, Intercept: intercept}}, m,
					drotest.SettingsFor(1e-8, 60))
				made := float64(o.Touched()+o.Margins.Load())/(2*n) + float64(o.Gram.Load()+o.Constants.Load())/n
				if extra := made - res.Passes; !(math.Abs(extra) <= 1e-6) && !(math.Abs(extra-0.5) <= 1e-6) {
					t.Errorf("%s, %s, intercept %v: %v passes counted, %v made", drotest.Describe(m), l.Name(), intercept, res.Passes,
						made)
				}
				if res.Passes > 65 { // a step more
					t.Errorf("%s, %s: %v passes where 60 were allowed", drotest.Describe(m), l.Name(), res.Passes)
				}
			}
		}
	}
}
