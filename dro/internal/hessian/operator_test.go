package hessian

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/losses"
)

// Products with the Hessian are those of the matrix that is formed, for adversaries that
// answer to losses and for one that does not.
func TestProductsAreThoseOfTheMatrix(t *testing.T) {
	const d = 5
	rng := drotest.RngOf(112)
	s := drotest.NewSample(rng, 700, d, true)
	for _, l := range []losses.Loss{losses.Logistic{}, losses.Huber{Delta: 0.5}} {
		for _, dual := range []saddle.Dual{side.Simplex{Nu: 0.3}, side.Simplex{Divergence: side.PearsonChi2, Nu: 0.2}, side.Simplex{Divergence: side.PearsonChi2, Alpha: 1}} {
			p := &saddle.Problem{Oracle: s.Oracle(t, l), Dual: dual, Primal: side.L2{Mu: 0.01, Intercept: true}}
			c := saddle.NewCertifier(p)
			c.Evaluate(drotest.Normals(rng, d, 0.5))
			formed, products := NewFactored(p, false, c.Evaluator), NewOperator(p, c.Evaluator)
			if err := formed.Update(c.Y, c.Slope); err != nil {
				t.Fatal(err)
			}
			if err := products.Update(c.Y, c.Slope); err != nil {
				t.Fatal(err)
			}
			v, got := drotest.Normals(rng, d, 1), make([]float64, d)
			products.multiply(got, v)
			for i := range d {
				want := 0.0
				for k := range d {
					want += formed.Matrix.At(i, k) * v[k]
				}
				if !(math.Abs(got[i]-want) <= 1e-12*(1+math.Abs(want))) {
					t.Errorf("%s, %#v: entry %d of Hv is %v, by the matrix %v", l.Name(), dual, i, got[i], want)
				}
			}
		}
	}
}

// Products of one damping do not precondition solves of another: from the change on, steps are
// those of an operator that has solved nothing. Where the damping stays the same they do.
func TestRedampForgets(t *testing.T) {
	const d = 12
	rng := drotest.RngOf(117)
	s := drotest.NewSample(rng, 500, d, true)
	p := &saddle.Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: side.Simplex{Nu: 0.2}, Primal: side.L2{Mu: 1e-3}}
	c := saddle.NewCertifier(p)
	c.Evaluate(drotest.Normals(rng, d, 0.5))
	rhs := drotest.Normals(rng, d, 1)
	start := func(lambda float64) *Operator {
		h := NewOperator(p, c.Evaluator)
		if err := h.Update(c.Y, c.Slope); err != nil {
			t.Fatal(err)
		}
		if err := h.Redamp(lambda); err != nil {
			t.Fatal(err)
		}
		return h
	}
	step := func(h *Operator) (v []float64, products float64) {
		before := c.Passes
		h.first = 0
		v = append([]float64(nil), rhs...)
		h.Solve(v)
		return v, c.Passes - before
	}
	for _, lambda := range []float64{0.1, 1e4} {
		used, fresh := start(0), start(lambda)
		for range 3 {
			step(used)
		}
		if err := used.Redamp(lambda); err != nil {
			t.Fatal(err)
		}
		got, products := step(used)
		want, least := step(fresh)
		for i, v := range want {
			if got[i] != v || products != least {
				t.Fatalf("λ = %v: entry %d of the step is %v after %v products, of a new operator %v after %v", lambda, i, got[i], products, v, least)
			}
		}
		if err := used.Redamp(lambda); err != nil {
			t.Fatal(err)
		}
		if _, again := step(used); again > products || len(used.known) == 0 {
			t.Errorf("λ = %v: %v products with the directions of the solve before, %v without", lambda, again, products)
		}
	}
}
