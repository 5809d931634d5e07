package dro

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/drotrain/drotrain/losses"
	"gonum.org/v1/gonum/mat"
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
							if !(certifyCurved(c, count, n, 1e9) <= 1) {
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
	certifyCurved(c, n, n, 1e9)
	if c.best.Lower != before.Lower && c.best.Lower > 0.7 {
		t.Errorf("lower bound %v far out", c.best.Lower)
	}
	for j := range n {
		s.design[j*d] = s.design[j*d+1] // two equal columns, no penalty
	}
	p = &Problem{s.oracle(t, losses.Squared{}), KL{1}, L2{}}
	c = newCertifier(p)
	c.evaluate(make([]float64, d))
	if certifyCurved(c, n, n, 1e9) <= 1 {
		t.Error("a bound from a singular matrix")
	}
}

// The heaviest samples are chosen by the binade of their weight: enough of them, and no
// binade more.
func TestHeaviest(t *testing.T) {
	rng := rngOf(97)
	for range 300 {
		n := 1 + rng.IntN(50)
		y := make([]float64, n)
		positive, total := 0, 0.0
		for j := range y {
			if rng.IntN(4) > 0 {
				y[j] = math.Exp(-20 * rng.ExpFloat64())
				positive++
				total += y[j]
			}
		}
		fewest, share := 1+rng.IntN(60), rng.Float64()
		got := heaviest(y, share, fewest)
		in, least, mass := make([]bool, n), math.Inf(1), 0.0
		for _, j := range got {
			in[j], least = true, min(least, y[j])
			mass += y[j]
		}
		if len(got) < min(fewest, positive) || mass < share*total*(1-1e-12) {
			t.Fatalf("%d of %v, %v of the sum: %v", fewest, y, share, got)
		}
		without, fewer := 0.0, 0 // the lightest binade
		for j, w := range y {
			if w > 0 && !in[j] && w >= least {
				t.Fatalf("%d of %v: %v lacks %d", fewest, y, got, j)
			}
			if w >= 2*math.Ldexp(1, math.Ilogb(least)) {
				without += w
				fewer++
			}
		}
		if len(got) > 0 && len(got) < positive && fewer >= fewest && without >= share*total*(1+1e-12) {
			t.Fatalf("%d of %v, %v of the sum: %v are too many", fewest, y, share, got)
		}
	}
}

// The fall is the largest of λt − ∫₀ᵗ∫₀ˢ e^{−br} dr ds, from above, and λ²/2 without decay.
func TestFall(t *testing.T) {
	for _, lambda := range []float64{1e-8, 1e-3, 0.5, 2} {
		for _, u := range []float64{0, 1e-9, 1e-3, 0.05, 0.0999999, 0.1000001, 0.3, 0.9} {
			b := u / lambda
			most := 0.0
			for k := range 20_001 {
				s := 20 * lambda * float64(k) / 20_000 / max(1, 3*(1-u))
				inner := s * s / 2
				if a := b * s; a > 1e-3 {
					inner = (math.Expm1(-a) + a) / (b * b)
				} else {
					inner *= 1 - a/3 + a*a/12
				}
				most = max(most, lambda*s-inner)
			}
			if got := fallOf(lambda, b); got < most*(1-1e-9) || got > most*(1+1e-4) {
				t.Errorf("λ = %v, u = %v: fall %v, %v on a grid", lambda, u, got, most)
			}
		}
	}
	for _, radius := range []float64{0.1, 1, math.Inf(1)} {
		if got := reachable(radius, 0); got != radius {
			t.Errorf("without decay λρ ≤ %v, want %v", got, radius)
		}
		if u := reachable(radius, 2) * 2; u > 0.9 || -math.Log1p(-u) > 2*radius*(1+1e-12) {
			t.Errorf("radius %v, decay 2: u ≤ %v, where the lowest point is %v away", radius, u, -math.Log1p(-u)/2)
		}
	}
}

// above proves no more than the smallest eigenvalue, and nearly all of it.
func TestAbove(t *testing.T) {
	rng := rngOf(98)
	for range 50 {
		const n, d = 60, 7
		s := newSample(rng, n, d, false)
		weight := make([]float64, n)
		for j := range weight {
			weight[j] = rng.ExpFloat64()
		}
		f := newFloor(s.oracle(t, losses.Squared{}), ridgeOf(L2{Mu: 0.01}, d), weight, d)
		if f == nil {
			t.Fatal("no floor")
		}
		var eigen mat.EigenSym
		if !eigen.Factorize(f.scaled, false) {
			t.Fatal("no eigenvalues")
		}
		least := eigen.Values(nil)[0]
		if !f.above(least*(1-1e-6)) || f.above(least*(1+1e-6)) {
			t.Errorf("smallest eigenvalue %v: above it %v, below it %v", least, f.above(least*(1+1e-6)), f.above(least*(1-1e-6)))
		}
	}
}

// What reach returns bounds the largest norm, and lies within the bound asked for
// exactly when it says so.
func TestReach(t *testing.T) {
	rng := rngOf(99)
	var enough, short int
	for trial := range 100 {
		const n, d = 300, 5
		s := newSample(rng, n, d, false)
		for j := 0; j < n && trial%2 == 0; j++ {
			s.design[j*d] *= 1e-3 // a column of another scale
			s.design[j*d+1] += 2 * s.design[j*d+2]
		}
		p := &Problem{s.oracle(t, losses.Squared{}), KL{1}, L2{Mu: 1e-6}}
		o := p.Oracle.(Floored)
		c := newCertifier(p)
		weight := make([]float64, n)
		for j := range weight {
			if rng.IntN(3) > 0 {
				weight[j] = rng.ExpFloat64() / n
			}
		}
		f := newFloor(o, ridgeOf(L2{Mu: 1e-6}, d), weight, d)
		h := mat.NewSymDense(d, nil)
		for i := range d {
			for k := i; k < d; k++ {
				h.SetSym(i, k, f.scaled.At(i, k)/(f.scale[i]*f.scale[k]))
			}
		}
		var inverse mat.Dense
		if err := inverse.Inverse(h); err != nil {
			t.Fatal(err)
		}
		exact := 0.0
		for j, w := range weight {
			if z := mat.NewVecDense(d, s.design[j*d:(j+1)*d]); w > 0 {
				exact = max(exact, math.Sqrt(mat.Inner(z, &inverse, z)))
			}
		}
		for _, within := range []float64{exact / 30, exact * 0.9, exact * 1.1, exact * 2, exact * 2.9, exact * 4, exact * 40} {
			for _, most := range []float64{0, 1e9} {
				rho, lacking := f.reach(c, o, weight, within, most)
				if rho < exact*(1-1e-9) {
					t.Fatalf("ρ ≤ %v, but it is %v", rho, exact)
				}
				if math.Abs(lacking-rho/within) > 1e-12*lacking && !math.IsInf(rho, 1) {
					t.Errorf("lacking %v, where ρ ≤ %v is to be within %v", lacking, rho, within)
				}
				if most > 0 && (lacking <= 1) != (exact <= within) {
					t.Errorf("lacking %v, where ρ = %v is to be within %v", lacking, exact, within)
				}
				if lacking <= 1 {
					enough++
				} else {
					short++
				}
			}
		}
	}
	if enough < 300 || short < 300 {
		t.Errorf("%d within, %d beyond: not much of a test", enough, short)
	}
}
