package dro

import (
	"fmt"
	"math"
	"testing"

	"github.com/drotrain/drotrain/losses"
)

// FenchelYoung against the minimum of φ + ⟨g, ·⟩ on a grid: it may not be below
// φ(x) + ⟨g, x⟩ − min, and is that up to the grid's resolution.
func TestFenchelYoungAgainstGrid(t *testing.T) {
	rng := rngOf(31)
	const grid = 400
	for range 30 {
		x, g := normals(rng, 2, 1), normals(rng, 2, 1)
		for _, p := range []L2{{Mu: 0.5}, {Mu: 3}} {
			best := math.Inf(1)
			reach := 1.5*maxAbs(g)/p.Mu + 1
			for i := range grid + 1 {
				for j := range grid + 1 {
					z := []float64{reach * (2*float64(i)/grid - 1), reach * (2*float64(j)/grid - 1)}
					best = min(best, p.Value(z)+dot(g, z))
				}
			}
			got, want := p.FenchelYoung(x, g), p.Value(x)+dot(g, x)-best
			cell := 2 * reach / grid
			if got < want-ClosedForm*(1+want) || got > want+p.Mu*cell*cell {
				t.Errorf("%+v at %v, g = %v: %v, on the grid %v", p, x, g, got, want)
			}
		}
		q := onSimplex(rng, 2)
		for _, p := range []Entropy{{}, {0.3}, {5}} {
			best := math.Inf(1)
			for i := range grid + 1 {
				z := []float64{float64(i) / grid, 1 - float64(i)/grid}
				best = min(best, p.Value(z)+dot(g, z))
			}
			got, want := p.FenchelYoung(q, g), p.Value(q)+dot(g, q)-best
			if got < want-ClosedForm*(1+want) || got > want+0.01*(p.Mu+1)/grid {
				t.Errorf("%+v at %v, g = %v: %v, on the grid %v", p, q, g, got, want)
			}
		}
	}
}

func TestFenchelYoungAtItsLimits(t *testing.T) {
	x, g := []float64{1, -2, 3}, []float64{-0.5, 1, 0}
	// μ = ½: g + μx = 0 in the penalised coordinates, so x is the minimiser.
	if v := (L2{Mu: 0.5, Intercept: true}).FenchelYoung(x, g); v != 0 {
		t.Errorf("at the minimiser: %v", v)
	}
	g[2] = 1e-300
	for _, c := range []struct {
		p L2
		g []float64
	}{{L2{Mu: 0.5, Intercept: true}, g}, {L2{}, g}} {
		if v := c.p.FenchelYoung(x, c.g); !math.IsInf(v, 1) {
			t.Errorf("%+v, unbounded below: %v", c.p, v)
		}
	}
	if v := (L2{}).FenchelYoung(x, make([]float64, 3)); v != 0 {
		t.Errorf("μ = 0 and no gradient: %v", v)
	}
}

func TestBalance(t *testing.T) {
	rng := rngOf(32)
	for range 500 {
		n := 2 + rng.IntN(10)
		y, slope, dst := onSimplex(rng, n), normals(rng, n, math.Pow(10, 6*rng.Float64()-3)), make([]float64, n)
		if rng.IntN(3) == 0 {
			slope[rng.IntN(n)] = 0
		}
		signs := 0
		for _, s := range slope {
			if s > 0 {
				signs |= 1
			}
			if s < 0 {
				signs |= 2
			}
		}
		ok := balance(dst, y, slope)
		if ok != (signs == 3) {
			t.Fatalf("slopes %v: %v", slope, ok)
		}
		if !ok {
			continue
		}
		mass := 0.0
		for j, v := range dst {
			mass += v
			if v < 0 || (y[j] > 0) != (v > 0) {
				t.Fatalf("weight %d: %v became %v", j, y[j], v)
			}
		}
		if math.Abs(mass-1) > ClosedForm || math.Abs(dot(dst, slope)) > ClosedForm*maxAbs(slope) {
			t.Fatalf("mass 1 + %.3g, ⟨y, slope⟩ = %.3g", mass-1, dot(dst, slope))
		}
	}
	dst := make([]float64, 2)
	if y := []float64{.5, .5}; !balance(dst, y, []float64{1, -1}) || dst[0] != .5 || dst[1] != .5 {
		t.Errorf("balanced weights moved to %v", dst)
	}
}

// At any point, whatever the dual, the certificate holds the optimum that a
// tight solve of the same problem proves.
func TestBoundsAtRandomPoints(t *testing.T) {
	rng := rngOf(33)
	for trial := range 12 {
		intercept := trial%2 == 1
		s := newSample(rng, 20+rng.IntN(40), 3, intercept)
		for _, l := range []losses.Loss{losses.Logistic{}, losses.Huber{Delta: 1}, losses.Squared{}} {
			for _, d := range []Dual{KL{0.1}, ChiSquare{0.3}, CappedKL{0.5, 0.2}, CappedChiSquare{0.9, 0.1}, Uniform{}, OrthantKL{0.5, 0.1}, Box{0, 1, 0.3}, Box{0.2, 0.7, 1}} {
				p := &Problem{s.oracle(t, l), d, L2{Mu: 0.05, Intercept: intercept}}
				optimum := solve(t, p, LBFGS{}, asking(1e-11, 2000))
				if !(optimum.Certificate.Relative() < 1e-9) {
					t.Errorf("%T%+v, %s, intercept %v: %v at relative gap %.3g", d, d, l.Name(), intercept, optimum.Status, optimum.Certificate.Relative())
					continue
				}
				c := newCertifier(p)
				for range 30 {
					x := normals(rng, 3, math.Pow(10, 4*rng.Float64()-3))
					for i := range x {
						x[i] += optimum.X[i]
					}
					c.evaluate(x)
					c.certify()
					if _, whole := d.(wholeSimplex); whole {
						c.certifyWith(onSimplex(rng, s.n))
					}
					if c.best.Lower > optimum.Certificate.Upper || c.best.Upper < optimum.Certificate.Lower {
						t.Fatalf("%T%+v, %s, intercept %v: [%v, %v] misses the optimum in %+v", d, d, l.Name(), intercept, c.best.Lower, c.best.Upper, optimum.Certificate)
					}
				}
			}
		}
	}
}

// Without strong convexity there is no bound to be had from a gradient that is
// not zero, and none is invented.
func TestNoFalseCertificateWithoutModulus(t *testing.T) {
	rng := rngOf(34)
	s := newSample(rng, 40, 3, false)
	for i := range s.label {
		s.label[i] += rng.NormFloat64()
	}
	for _, m := range []Method{LBFGS{}, FullVector{}, Stochastic{}, SeparableBlock{}} {
		p := &Problem{s.oracle(t, losses.Squared{}), KL{0.5}, L2{}}
		truth := solve(t, &Problem{p.Oracle, p.Dual, L2{Mu: 1e-9}}, LBFGS{}, asking(1e-8, 3000))
		res := solve(t, p, m, asking(1e-6, 200))
		if res.Status == Certified && !near(res.Objective, truth.Objective, 1e-5, truth.Objective) {
			t.Errorf("%s certifies %v, optimum %v", m.Name(), res.Objective, truth.Objective)
		}
		if res.Certificate.Lower > truth.Certificate.Upper {
			t.Errorf("%s: lower bound %v above the optimum %v", m.Name(), res.Certificate.Lower, truth.Objective)
		}
	}
}

// A regulariser may be negative, and then f ≥ 0 proves nothing.
func TestNegativeRegulariser(t *testing.T) {
	s := newSample(rngOf(35), 30, 2, false)
	p := &Problem{s.oracle(t, losses.Logistic{}), KL{0.5}, shiftedL2{L2{Mu: 1}, -10}}
	res := solve(t, p, LBFGS{}, asking(1e-8, 100))
	if err := brackets(res, Certificate{Upper: res.Objective + 1e-6, Lower: res.Objective - 1e-6}); err != nil || res.Status != Certified {
		t.Errorf("%v: %v", res.Status, err)
	}
}

// shiftedL2 is L2 plus a constant.
type shiftedL2 struct {
	L2
	constant float64
}

func (s shiftedL2) Value(x []float64) float64 { return s.L2.Value(x) + s.constant }

func TestCertificateArithmetic(t *testing.T) {
	c := Certificate{Upper: 2, Lower: 1.5}
	if c.Gap() != 0.5 || c.Relative() != 0.25 {
		t.Errorf("gap %v, relative %v", c.Gap(), c.Relative())
	}
	if unknown := (Certificate{Upper: 1, Lower: math.Inf(-1)}); !math.IsInf(unknown.Relative(), 1) {
		t.Errorf("relative gap %v without a lower bound", unknown.Relative())
	}
	if small := (Certificate{Upper: 1e-14, Lower: 0}); small.Relative() != 1e-2 {
		t.Errorf("relative gap %v near zero", small.Relative())
	}
	for s := NotSolved; s <= Inconsistent; s++ {
		if fmt.Sprint(s) == "" {
			t.Error("a status without a name")
		}
	}
}
