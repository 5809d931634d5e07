package primaldual

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/losses"
)

// overTau minimises a convex function of τ by golden section on [lo, hi].
func overTau(f func(tau float64) float64, lo, hi float64) float64 {
	ratio := (math.Sqrt(5) - 1) / 2
	for range 200 {
		a, b := hi-ratio*(hi-lo), lo+ratio*(hi-lo)
		if f(a) <= f(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return (lo + hi) / 2
}

func liftable() []saddle.Dual {
	return []saddle.Dual{side.Simplex{Nu: 0.05}, side.Simplex{Nu: 2}, side.Simplex{Divergence: side.PearsonChi2, Nu: 0.05},
		side.Simplex{Divergence: side.PearsonChi2, Nu: 2}, side.Simplex{Divergence: side.PearsonChi2, Alpha: 0.3},
		side.Simplex{Divergence: side.PearsonChi2, Alpha: 0.8},
		side.Simplex{Divergence: side.PearsonChi2, Alpha: 0.3, Nu: 0.4}, side.Simplex{Alpha: 0.3,
			Nu: 0.4}, side.Simplex{Alpha: 0.3, Nu: 0}, side.Simplex{}, side.Simplex{Divergence: side.PearsonChi2}}
}

// min_τ P̃(x, τ) = P(x) at every x, with the τ and, where it exists, the gradient
// of the problem on the simplex; and the lifted weights at that τ are its.
func TestLift_EqualsSimplexProblem(t *testing.T) {
	rng := drotest.RngOf(21)
	s := drotest.NewSample(rng, 30, 3, false)
	for _, d := range liftable() {
		for _, l := range []losses.Loss{losses.Logistic{}, losses.Squared{}} {
			p := &saddle.Problem{Oracle: s.Oracle(t, l), Dual: d, Primal: saddle.L2{Mu: 0.1}}
			lifted, _, err := lift(p)
			if err != nil {
				t.Fatal(err)
			}
			if err := engine.Validate(lifted); err != nil {
				t.Fatalf("%T: the lifted problem: %v", d, err)
			}
			c, lc := engine.NewCertifier(p), engine.NewCertifier(lifted)
			x := drotest.Normals(rng, 3, 1)
			want := c.Evaluate(x)
			at := func(tau float64) float64 { return lc.Evaluate(append(append([]float64(nil), x...), tau)) }
			for range 20 { // an upper bound at every τ
				if v := at(drotest.Normals(rng, 1, 3)[0]); v < want-drotest.ClosedForm*(1+math.Abs(want)) {
					t.Fatalf("%T%+v: %v at a τ, below the minimum %v", d, d, v, want)
				}
			}
			size := drotest.MaxAbs(c.Value) + 3*d.Modulus() + 1
			tau := overTau(at, -size, size)
			if got := at(tau); !drotest.IsNear(got, want, 1e-10, want) {
				t.Errorf("%T%+v: min over τ %v, on the simplex %v", d, d, got, want)
			}
			if got := at(c.Tau); !drotest.IsNear(got, want, 1e-10, want) {
				t.Errorf("%T%+v: %v at the τ = %v of the best response, want %v", d, d, got, c.Tau, want)
			}
			if d.Modulus() == 0 {
				continue
			}
			for j := range c.Y {
				if !drotest.IsNear(lc.Y[j], c.Y[j], drotest.KKT, 0) {
					t.Fatalf("%T%+v: lifted weights %v, want %v", d, d, lc.Y, c.Y)
				}
			}
			for i, g := range c.G {
				if !drotest.IsNear(lc.G[i], g, drotest.KKT, g) {
					t.Errorf("%T%+v: gradient %v, want %v", d, d, lc.G, c.G)
				}
			}
			if r := lc.G[3] + 1; !(math.Abs(r) <= drotest.KKT) { // −Σy + 1
				t.Errorf("%T%+v: derivative %v in τ", d, d, r)
			}
		}
	}
}

func TestLift_NeedsASeparablePenalty(t *testing.T) {
	o := drotest.NewSample(drotest.RngOf(23), 5, 2, false).Oracle(t, losses.Logistic{})
	_, _, err := lift(&saddle.Problem{Oracle: o, Dual: side.Simplex{Divergence: side.PearsonChi2, Alpha: 1},
		Primal: saddle.L2{Mu: 1}})
	if err == nil || !strings.Contains(err.Error(), "separable") {
		t.Errorf("the error does not say what is missing: %v", err)
	}
	_, err = engine.Solve(t.Context(), &saddle.Problem{Oracle: o,
		Dual: side.Simplex{Divergence: side.PearsonChi2, Alpha: 1}, Primal: saddle.L2{Mu: 1}}, SeparableBlock{},
		engine.DefaultSettings())
	if err == nil || !strings.Contains(err.Error(), "separable") || errors.Is(err, saddle.ErrStalled) {
		t.Errorf("the error does not say what is missing: %v", err)
	}
}

// The conjugate of φ(x) + τ is finite where the derivative in τ is zero alone, on either side.
func TestLift_RegulariserLinearInTau(t *testing.T) {
	phi := liftedPrimal{phi: saddle.L2{Mu: 2}}
	x := []float64{1, -3, 0.7}
	for g, want := range map[float64]float64{-1: saddle.L2{Mu: 2}.FenchelYoung(x[:2], []float64{0.5, 1}),
		-1 + 1e-9: math.Inf(1), -1 - 1e-9: math.Inf(1), 2: math.Inf(1)} {
		if got := phi.FenchelYoung(x, []float64{0.5, 1, g}); got != want {
			t.Errorf("derivative %v: %v, want %v", g, got, want)
		}
	}
}
