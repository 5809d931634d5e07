package dro

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/drotrain/drotrain/losses"
)

// The bound of the curvature holds at every point that gives one, near and far, with
// and without an intercept or a penalty, whatever the samples it is taken from; and
// near the optimum it is the suboptimality times what the samples left out make it.
func TestCurvedBound(t *testing.T) {
	rng := rngOf(95)
	const n, d = 1500, 5
	given := 0
	for _, intercept := range []bool{false, true} {
		s := newSample(rng, n, d, intercept)
		for _, l := range []losses.Loss{losses.Logistic{}, losses.Squared{}, losses.Huber{Delta: 1}, losses.Huber{Delta: 0.1}} {
			for _, dual := range []Dual{KL{1}, KL{0.1}, ChiSquare{1}, ChiSquare{0.05}, Uniform{}} {
				for _, mu := range []float64{0.1, 1e-6} {
					name := fmt.Sprintf("%#v, %#v, μ = %v, intercept %v", l, dual, mu, intercept)
					p := &Problem{s.oracle(t, l), dual, L2{Mu: mu, Intercept: intercept}}
					opt, err := Solve(context.Background(), p, Newton{}, asking(1e-12, 1000))
					if err != nil {
						t.Fatal(err)
					}
					width := len(opt.X)
					for _, far := range []float64{1e-6, 1e-4, 1e-2, 0.1, 1, 10} {
						for _, count := range []int{n, n / 4, 60} {
							x := normals(rng, width, far)
							for i := range x {
								x[i] += opt.X[i]
							}
							c := newCertifier(p)
							c.best.Lower = math.Inf(-1)
							value := c.evaluate(x)
							if !(c.certifyCurved(count, 1e9) <= 1) {
								if _, fixed := dual.(Uniform); far <= 1e-4 && count == n && (fixed || dual.Modulus() == 1) {
									t.Errorf("%s: no bound at %v from the optimum", name, far)
								}
								continue
							}
							given++
							if c.best.Lower > opt.Certificate.Upper {
								t.Fatalf("%s, %d samples, %v away: lower bound %v above the optimum %v", name, count, far, c.best.Lower, opt.Certificate.Upper)
							}
							excess, gap := value-opt.Objective, value-c.best.Lower
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

// Where H is singular, or the step to the minimiser of the model leaves the
// neighbourhood, there is no bound, and none is recorded.
func TestCurvedBoundRefuses(t *testing.T) {
	rng := rngOf(96)
	const n, d = 400, 4
	s := newSample(rng, n, d, false)
	p := &Problem{s.oracle(t, losses.Logistic{}), KL{1}, L2{}}
	c := newCertifier(p)
	before := c.best
	c.evaluate(normals(rng, d, 30)) // all slopes saturated
	c.certifyCurved(n, 1e9)
	if c.best.Lower != before.Lower && c.best.Lower > 0.7 {
		t.Errorf("lower bound %v far out", c.best.Lower)
	}
	for j := range n {
		s.design[j*d] = s.design[j*d+1] // two equal columns, no penalty
	}
	p = &Problem{s.oracle(t, losses.Squared{}), KL{1}, L2{}}
	c = newCertifier(p)
	c.evaluate(make([]float64, d))
	if c.certifyCurved(n, 1e9) <= 1 {
		t.Error("a bound from a singular matrix")
	}
}

// The heaviest samples are chosen by the binade of their weight.
func TestHeaviest(t *testing.T) {
	rng := rngOf(97)
	for range 200 {
		n := 1 + rng.IntN(50)
		y := make([]float64, n)
		positive := 0
		for j := range y {
			if rng.IntN(4) > 0 {
				y[j] = math.Exp(-20 * rng.ExpFloat64())
				positive++
			}
		}
		count := 1 + rng.IntN(60)
		got := heaviest(y, count)
		if len(got) != min(count, positive) {
			t.Fatalf("%d of %v: %v", count, y, got)
		}
		in, least := make([]bool, n), math.Inf(1)
		for _, j := range got {
			in[j], least = true, min(least, y[j])
		}
		for j, w := range y {
			if !in[j] && w > 2*least {
				t.Fatalf("%d of %v: %v lacks %d", count, y, got, j)
			}
		}
	}
}
