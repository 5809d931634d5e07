package saddle_test

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/losses"
)

func TestBalance(t *testing.T) {
	rng := drotest.RngOf(32)
	for range 500 {
		n := 2 + rng.IntN(10)
		y, slope, dst := drotest.OnSimplex(rng, n), drotest.Normals(rng, n, math.Pow(10, 6*rng.Float64()-3)), make([]float64, n)
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
		ok := saddle.Balance(nil, dst, y, slope)
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
		if !(math.Abs(mass-1) <= drotest.ClosedForm) || !(math.Abs(vec.Dot(dst, slope)) <= drotest.ClosedForm*drotest.MaxAbs(slope)) {
			t.Fatalf("mass 1 + %.3g, ⟨y, slope⟩ = %.3g", mass-1, vec.Dot(dst, slope))
		}
	}
	dst := make([]float64, 2)
	if y := []float64{.5, .5}; !saddle.Balance(nil, dst, y, []float64{1, -1}) || dst[0] != .5 || dst[1] != .5 {
		t.Errorf("balanced weights moved to %v", dst)
	}
}

// What the bound of weights that have to be kept costs beside the evaluation: nothing where the
// gradient rules a bound out, one point where all slopes have one sign, since there is no minimum
// in the intercept or it is far, and few where the slopes change sign, however far from there.
func TestWorkOfABoundWithAnIntercept(t *testing.T) {
	for _, c := range []struct {
		what    string
		columns int
		one     bool    // class
		mu, b   float64 // of the point
		most    float64 // passes
		bound   bool    // above 0
	}{
		{"one class", 1, true, 0, 0, 1.5, false},
		{"two classes, near the minimum", 1, false, 0, 0, 1.5, true},
		{"two classes, away from it", 1, false, 0, 8, 7.5, true},
		{"two heaps of targets, the minimum at the other", 1, false, 0, 5e-4, 7.5, true},
		{"two classes, a gradient that a small μ divides", 4, false, 1e-12, 0, 0, false},
	} {
		s := drotest.NewSample(drotest.RngOf(36), 40, c.columns, true)
		for j := range s.Label {
			if s.Label[j] = 1; !c.one && j%4 == 0 {
				s.Label[j] = -1
			}
		}
		var loss losses.Loss = losses.Logistic{}
		if c.b == 5e-4 {
			loss = losses.Huber{Delta: 1e-3}
			for j := range s.Label {
				s.Label[j] = float64(min(j%5/2, 1)) * 1e6
			}
		}
		p := &saddle.Problem{Oracle: s.Oracle(t, loss), Dual: side.Simplex{Divergence: side.PearsonChi2, Alpha: 1}, Primal: side.L2{Mu: c.mu, Intercept: true}}
		cert, x := saddle.NewCertifier(p), make([]float64, c.columns)
		x[c.columns-1] = c.b
		cert.Evaluate(x)
		before := cert.Passes
		cert.Certify()
		if took := cert.Passes - before; took > c.most || (cert.Best.Lower > 0) != c.bound {
			t.Errorf("%s: %v passes, a lower bound of %v", c.what, took, cert.Best.Lower)
		}
		took := cert.Passes
		if cert.Certify(); cert.Passes != took {
			t.Errorf("%s: %v passes for what was tried at this point", c.what, cert.Passes-took)
		}
		cert.Evaluate(x)
		if cert.Certify(); cert.Passes-took-1 > c.most || c.most > 0 && cert.Passes-took-1 == 0 {
			t.Errorf("%s: %v passes at the point evaluated again", c.what, cert.Passes-took-1)
		}
		cert.Free()
	}
}
