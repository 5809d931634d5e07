package newton

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/losses"
)

// The bound of the curvature holds at every point that gives one, near and far, with
// and without an intercept or a penalty, whatever the samples it is taken from; and
// near the optimum it is the suboptimality times what the samples left out make it.
func TestCurvedBound_IsBelowTheObjective(t *testing.T) {
	rng := drotest.RngOf(95)
	const n, d = 1500, 5
	given := 0
	for _, intercept := range []bool{false, true} {
		s := drotest.NewSample(rng, n, d, intercept)
		for _, l := range []losses.Loss{losses.Logistic{}, losses.Squared{}, losses.Huber{Delta: 1},
			losses.Huber{Delta: 0.1}} {
			for _, dual := range []saddle.Dual{side.Simplex{Nu: 1}, side.Simplex{Nu: 0.1},
				side.Simplex{Divergence: side.PearsonChi2, Nu: 1}, side.Simplex{Divergence: side.PearsonChi2, Nu: 0.05},
				side.Simplex{Divergence: side.PearsonChi2, Alpha: 1}} {
				for _, mu := range []float64{0.1, 1e-6} {
					name := fmt.Sprintf("%#v, %#v, μ = %v, intercept %v", l, dual, mu, intercept)
					p := &saddle.Problem{Oracle: s.Oracle(t, l), Dual: dual, Primal: saddle.L2{Mu: mu, Intercept: intercept}}
					opt, err := engine.Solve(context.Background(), p, Newton{}, drotest.SettingsFor(1e-12, 1000))
					if err != nil {
						t.Fatal(err)
					}
					width := len(opt.X)
					for _, far := range []float64{1e-6, 1e-4, 1e-2, 0.1, 1, 10} {
						for _, count := range []int{n, n / 4, 60} {
							x := drotest.Normals(rng, width, far)
							for i := range x {
								x[i] += opt.X[i]
							}
							c := engine.NewCertifier(p)
							c.Best.Lower = math.Inf(-1)
							value := c.Evaluate(x)
							if !(CertifyByCurvature(c, count, n, 1e9) <= 1) {
								if fixed := engine.RegionOf(dual) == engine.Point; far <= 1e-4 && count == n && (fixed || dual.Modulus() == 1) {
									t.Errorf("%s: no bound at %v from the optimum", name, far)
								}
								continue
							}
							given++
							if c.Best.Lower > opt.Certificate.Upper {
								t.Fatalf("%s, %d samples, %v away: lower bound %v above the optimum %v", name, count, far, c.Best.Lower,
									opt.Certificate.Upper)
							}
							excess, gap := value-opt.Objective, value-c.Best.Lower
							if count == n && far <= 1e-2 && dual.Modulus() == 1 && gap > 20*excess+1e-10 {
								t.Errorf("%s, %v away: gap %.3g where the objective is %.3g above the optimum", name, far, gap, excess)
							}
						}
					}
				}
			}
		}
	}
	if given < 500 {
		t.Errorf("only %d bounds", given)
	}
}
