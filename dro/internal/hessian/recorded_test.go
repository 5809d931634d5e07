package hessian

import (
	"fmt"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/internal/goldentest"
	"github.com/drotrain/drotrain/losses"
)

// Hessians formed, as operators, of some samples and sketched, with and without damping: what
// they make of a vector, and what they spend, are recorded to six digits.
func TestHessiansAsRecorded(t *testing.T) {
	const n, d = 1500, 5
	rng := drotest.RngOf(131)
	s := drotest.NewSample(rng, n, d, true)
	of := make([]int, n)
	weights := make([]float64, n)
	for j := range of {
		of[j], weights[j] = rng.IntN(3), float64(rng.IntN(3))
	}
	grouped := func(near side.Ball) *side.Groups {
		g, err := side.NewGroups(near, nil, of)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	x, v := drotest.Normals(rng, d, 0.5), drotest.Normals(rng, d, 1)
	var out strings.Builder
	for k, l := range []losses.Loss{losses.Logistic{}, losses.Huber{Delta: 0.5}} {
		for _, dual := range []saddle.Dual{
			side.KL{Nu: 0.3}, side.KL{Nu: 0.02}, side.ChiSquare{Nu: 0.2}, side.Uniform{}, side.NewBall(side.KullbackLeibler, 0.1, nil), side.NewBall(side.PearsonChi2, 0.1, weights),
			side.Ball{Divergence: side.PearsonChi2, Radius: 0.3, Nu: 0.1}, side.CappedKL{Alpha: 0.3, Nu: 0.1}, side.Protected{Share: 0.3, Nu: 0.1, Weights: weights},
			grouped(side.NewPenalty(side.KullbackLeibler, 0.1, nil)), grouped(side.NewBall(side.PearsonChi2, 0.05, nil)),
		} {
			p := &saddle.Problem{Oracle: s.Oracle(t, l), Dual: dual, Primal: side.L2{Mu: 0.01, Intercept: k == 0}}
			c := saddle.NewCertifier(p)
			c.Evaluate(x)
			fmt.Fprintf(&out, "%s, %s %v\n", l.Name(), strings.TrimPrefix(fmt.Sprintf("%T", dual), "side."), dual.Modulus())
			say := func(what string, dst []float64) {
				fmt.Fprintf(&out, "  %s: %.6g, %.5g passes\n", what, dst, c.Passes)
			}
			for _, lambda := range []float64{0, 0.5, 20} {
				for _, samples := range []int{0, 60} {
					m := NewFactored(p, false, c.Evaluator)
					m.Samples = samples
					if err := m.Update(c.Y, c.Slope); err != nil {
						t.Fatal(err)
					}
					if err := m.Redamp(lambda); err != nil {
						t.Fatal(err)
					}
					dst := append([]float64(nil), v...)
					m.Solve(dst)
					say(fmt.Sprintf("λ = %v, formed of %d", lambda, samples), dst)
				}
				h := NewOperator(p, c.Evaluator)
				if err := h.Update(c.Y, c.Slope); err != nil {
					t.Fatal(err)
				}
				if err := h.Redamp(lambda); err != nil {
					t.Fatal(err)
				}
				dst := make([]float64, d)
				h.multiply(dst, v)
				say(fmt.Sprintf("λ = %v, a product", lambda), dst)
				for i := range 4 { // the later ones with what those before have learned
					dst := append([]float64(nil), v...)
					dst[i] += float64(i)
					h.Solve(dst)
					say(fmt.Sprintf("λ = %v, solve %d", lambda, i), dst)
				}
				m := NewSketched(p, false, c.Evaluator)
				if err := m.Update(c.Y, c.Slope); err != nil {
					t.Fatal(err)
				}
				if err := m.Redamp(lambda); err != nil {
					t.Fatal(err)
				}
				copy(dst, v)
				m.Solve(dst)
				say(fmt.Sprintf("λ = %v, sketched, %.6g ×", lambda, m.most), dst)
			}
		}
	}
	goldentest.Text(t, "testdata/recorded.txt", out.String())
}
