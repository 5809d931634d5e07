package dro

import (
	"errors"
	"math"
	"strings"
	"testing"

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

func liftable() []Dual {
	return []Dual{KL{0.05}, KL{2}, ChiSquare{0.05}, ChiSquare{2}, CVaR(0.3), CVaR(0.8),
		CappedChiSquare{0.3, 0.4}, CappedKL{0.3, 0.4}, CappedKL{0.3, 0}, KL{}, ChiSquare{}}
}

// min_τ P̃(x, τ) = P(x) at every x, with the τ and, where it exists, the gradient
// of the problem on the simplex; and the lifted weights at that τ are its.
func TestLiftEqualsTheSimplexProblem(t *testing.T) {
	rng := rngOf(21)
	s := newSample(rng, 30, 3, false)
	for _, d := range liftable() {
		for _, l := range []losses.Loss{losses.Logistic{}, losses.Squared{}} {
			p := &Problem{s.oracle(t, l), d, L2{Mu: 0.1}}
			lifted, err := Lift(p)
			if err != nil {
				t.Fatal(err)
			}
			if err := lifted.Validate(); err != nil {
				t.Fatalf("%T: the lifted problem: %v", d, err)
			}
			c, lc := newCertifier(p), newCertifier(lifted)
			x := normals(rng, 3, 1)
			want := c.evaluate(x)
			at := func(tau float64) float64 { return lc.evaluate(append(append([]float64(nil), x...), tau)) }
			for range 20 { // an upper bound at every τ
				if v := at(normals(rng, 1, 3)[0]); v < want-ClosedForm*(1+math.Abs(want)) {
					t.Fatalf("%T%+v: %v at a τ, below the minimum %v", d, d, v, want)
				}
			}
			size := maxAbs(c.value) + 3*d.Modulus() + 1
			tau := overTau(at, -size, size)
			if got := at(tau); !near(got, want, 1e-10, want) {
				t.Errorf("%T%+v: min over τ %v, on the simplex %v", d, d, got, want)
			}
			if got := at(c.tau); !near(got, want, 1e-10, want) {
				t.Errorf("%T%+v: %v at the τ = %v of the best response, want %v", d, d, got, c.tau, want)
			}
			if d.Modulus() == 0 {
				continue
			}
			for j := range c.y {
				if !near(lc.y[j], c.y[j], KKT, 0) {
					t.Fatalf("%T%+v: lifted weights %v, want %v", d, d, lc.y, c.y)
				}
			}
			for i, g := range c.g {
				if !near(lc.g[i], g, KKT, g) {
					t.Errorf("%T%+v: gradient %v, want %v", d, d, lc.g, c.g)
				}
			}
			if r := lc.g[3] + 1; math.Abs(r) > KKT { // −Σy + 1
				t.Errorf("%T%+v: derivative %v in τ", d, d, r)
			}
		}
	}
}

// The lifted oracle's change, gradient and Jacobian are one function's.
func TestLiftedOracleAgainstFiniteDifferences(t *testing.T) {
	rng := rngOf(22)
	p, err := Lift(&Problem{newSample(rng, 9, 2, false).oracle(t, losses.Logistic{}), KL{1}, L2{Mu: 1}})
	if err != nil {
		t.Fatal(err)
	}
	x, w, old := normals(rng, 3, 1), normals(rng, 9, 1), normals(rng, 9, 1)
	v, s, oldS := make([]float64, 9), make([]float64, 9), make([]float64, 9)
	f := func(x []float64) float64 {
		p.Oracle.EvalTo(v, s, x, 0, 9)
		return dot(w, v)
	}
	f(normals(rng, 3, 1))
	copy(oldS, s)
	f(x)
	g, back, change := make([]float64, 3), make([]float64, 3), make([]float64, 3)
	p.Oracle.AddGradTo(g, w, s, 0, 9)
	p.Oracle.AddGradTo(back, old, oldS, 0, 9)
	p.Oracle.(Changed).AddChangeTo(change, w, s, old, oldS, 0, 9)
	for i := range g {
		const h = 1e-6
		at := x[i]
		x[i] = at + h
		up := f(x)
		x[i] = at - h
		down := f(x)
		x[i] = at
		if want := (up - down) / (2 * h); !near(g[i], want, 1e-7, want) {
			t.Errorf("coordinate %d: %v, finite difference %v", i, g[i], want)
		}
		if want := g[i] - back[i]; !near(change[i], want, ClosedForm, want) {
			t.Errorf("coordinate %d: change %v, difference %v", i, change[i], want)
		}
	}
}

func TestLiftNeedsTheAbility(t *testing.T) {
	o := newSample(rngOf(23), 5, 2, false).oracle(t, losses.Logistic{})
	_, err := Lift(&Problem{o, Uniform{}, L2{Mu: 1}})
	if err == nil || !strings.Contains(err.Error(), "Liftable") || !strings.Contains(err.Error(), "Separable") {
		t.Errorf("the error does not name the abilities: %v", err)
	}
	_, err = Solve(t.Context(), &Problem{o, Uniform{}, L2{Mu: 1}}, SeparableBlock{}, DefaultSettings())
	if err == nil || !strings.Contains(err.Error(), "Liftable") || errors.Is(err, errStalled) {
		t.Errorf("the error does not name the ability: %v", err)
	}
}
