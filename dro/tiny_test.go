package dro_test

import (
	"context"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
)

// Balls too small for their divergence to be told from rounding are certified too: at 1e-18
// of a radius and below, by their reference weights. The risk is the mean loss there, but for
// √(2ρ) deviations.
func TestTinyBalls(t *testing.T) {
	const n = 12
	x, weight, group := make([]float64, 2*n), make([]float64, n), make([]int, n)
	for j := range n {
		x[2*j], x[2*j+1], weight[j], group[j] = math.Sin(float64(3*j+1)), 1, 1+float64(j%3), j%4
	}
	for _, scale := range []float64{1, 1e146} {
		target := make([]float64, n)
		for j := range n {
			target[j] = scale * (x[2*j] + math.Cos(float64(7*j)))
		}
		o, err := losses.NewLinear(losses.Squared{}, dense(t, n, 2, x), target)
		if err != nil {
			t.Fatal(err)
		}
		solve := func(d dro.Dual) *dro.TestResult {
			p := &dro.Problem{Oracle: o, Dual: d, Primal: dro.L2{Mu: 0.1, Intercept: true}}
			s := dro.DefaultSettings()
			s.MaxPasses = 60
			m, _ := dro.Choose(p)
			res, err := dro.SolveBy(context.Background(), p, m, s)
			if err != nil {
				t.Fatal(err)
			}
			return res
		}
		for _, divergence := range []dro.Divergence{dro.KullbackLeibler, dro.PearsonChi2} {
			for _, w := range [][]float64{nil, weight} {
				var erm dro.Dual = dro.Uniform{}
				if w != nil {
					if erm, err = dro.NewFixed(w); err != nil {
						t.Fatal(err)
					}
				}
				groups, err := dro.NewGroups(dro.NewBall(divergence, 1e-40, nil), w, group)
				if err != nil {
					t.Fatal(err)
				}
				average, over := solve(erm).Certificate, solve(groups)
				if over.Status != dro.Certified {
					t.Errorf("groups, %v, scale %g: %v, %v", divergence, scale, over.Status, over.Certificate)
				}
				for _, radius := range []float64{1e-14, 1e-16, 1e-17, 1e-19, 1e-28, 1e-33, 1e-100, 1e-300} {
					res := solve(dro.NewBall(divergence, radius, w))
					c := res.Certificate
					if res.Status != dro.Certified || c.Lower > average.Upper*(1+1e-6) || c.Upper < average.Lower {
						t.Errorf("%v, radius %g, weights %v, scale %g: %v, %v, the average's %v", divergence, radius, w != nil, scale, res.Status, c, average)
					}
				}
			}
		}
	}
}
