package newton

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/losses"
)

// Where H is singular, or the step to the minimiser of the model leaves the
// neighbourhood, there is no bound, and none is recorded.
func TestCurvedBound_RefusesOutsideItsNeighbourhood(t *testing.T) {
	rng := drotest.RngOf(96)
	const n, d = 400, 4
	s := drotest.NewSample(rng, n, d, false)
	p := &saddle.Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: side.Simplex{Nu: 1}, Primal: saddle.L2{}}
	c := engine.NewCertifier(p)
	before := c.Best
	c.Evaluate(drotest.Normals(rng, d, 30)) // all slopes saturated
	CertifyByCurvature(c, n, n, 1e9)
	if c.Best.Lower != before.Lower && c.Best.Lower > 0.7 {
		t.Errorf("lower bound %v far out", c.Best.Lower)
	}
	for j := range n {
		s.Design[j*d] = 0.1*s.Design[j*d+1] + 0.7*s.Design[j*d+2] // dependent up to rounding, no penalty
	}
	p = &saddle.Problem{Oracle: s.Oracle(t, losses.Squared{}), Dual: side.Simplex{Nu: 1}, Primal: saddle.L2{}}
	c = engine.NewCertifier(p)
	c.Evaluate(make([]float64, d))
	if CertifyByCurvature(c, n, n, 1e9) <= 1 {
		t.Error("a bound from a singular matrix")
	}
}

// The fall is the largest of λt − ∫₀ᵗ∫₀ˢ e^{−br} dr ds, from above, and λ²/2 without decay.
func TestFall_IsTheLargestFromAbove(t *testing.T) {
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
			if got := largestDecrease(lambda, b); got < most*(1-1e-9) || got > most*(1+1e-4) {
				t.Errorf("λ = %v, u = %v: fall %v, %v on a grid", lambda, u, got, most)
			}
		}
	}
	for _, radius := range []float64{0.1, 1, math.Inf(1)} {
		if got := largestReach(radius, 0); got != radius {
			t.Errorf("without decay λρ ≤ %v, want %v", got, radius)
		}
		if u := largestReach(radius, 2) * 2; u > 0.9 || -math.Log1p(-u) > 2*radius*(1+1e-12) {
			t.Errorf("radius %v, decay 2: u ≤ %v, where the lowest point is %v away", radius, u, -math.Log1p(-u)/2)
		}
	}
}

// above proves no more than the smallest eigenvalue, and nearly all of it.
func TestAbove_ProvesTheSmallestEigenvalue(t *testing.T) {
	rng := drotest.RngOf(98)
	for range 50 {
		const n, d = 60, 7
		s := drotest.NewSample(rng, n, d, false)
		weight := make([]float64, n)
		for j := range weight {
			weight[j] = rng.ExpFloat64()
		}
		f := newQuadraticMinorant(s.Oracle(t, losses.Squared{}), nil, engine.RidgeOf(saddle.L2{Mu: 0.01}, d), weight, none)
		if f == nil {
			t.Fatal("no lower bound")
		}
		var eigen mat.EigenSym
		if !eigen.Factorize(f.scaled, false) {
			t.Fatal("no eigenvalues")
		}
		least := eigen.Values(nil)[0]
		if !f.provesEigenvalues(least*(1-1e-6)) || f.provesEigenvalues(least*(1+1e-6)) {
			t.Errorf("smallest eigenvalue %v: above it %v, below it %v", least, f.provesEigenvalues(least*(1+1e-6)),
				f.provesEigenvalues(least*(1-1e-6)))
		}
	}
}

func none(int) bool { return false }

// The bound of a norm holds those of the gradients within its error, and what d roundings of
// the sum and the solve may have done to it: at least (d + 8)u of it, and little more.
func TestMinorant_NormWithRounding(t *testing.T) {
	rng := drotest.RngOf(8)
	for d := 1; d < 20; d++ {
		f := &minorant{d: d, scale: make([]float64, d), least: 0.25, inflate: 1, upper: mat.NewTriDense(d, mat.Upper, nil)}
		for i := range d {
			f.scale[i] = 1
			f.upper.SetTri(i, i, 1)
		}
		f.factor = f.upper.RawTriangular()
		for range 50 {
			g, err := drotest.Normals(rng, d, 1), make([]float64, d)
			size, off := new(big.Float).SetPrec(200), 0.0
			for i, v := range g {
				size.Add(size, new(big.Float).Mul(big.NewFloat(v), big.NewFloat(v)))
				off += 1e-6
				err[i] = 1e-3
			}
			size.Sqrt(size)
			least := new(big.Float).Mul(size, new(big.Float).Add(big.NewFloat(1),
				big.NewFloat(float64(d+8)*engine.UnitRoundoff)))
			got := f.gradientNorm(g, make([]float64, d))
			if of, _ := size.Float64(); big.NewFloat(got).Cmp(least) < 0 || got > of*(1+1e-13) {
				t.Fatalf("%d columns: %v, of a vector of length %v", d, got, size)
			}
			if more := f.gradientNorm(g, err); more < got+math.Sqrt(off/f.least)*(1-1e-12) {
				t.Fatalf("%d columns: %v within an error of %v of %v", d, more, math.Sqrt(off), got)
			}
		}
	}
}

// The norms of the longest rows are at most the largest of all, which the exact computation bounds from above, and
// the search stops at them where they are too large already.
func TestLongestRows_AreNoLongerThanTheLongest(t *testing.T) {
	rng := drotest.RngOf(97)
	for range 30 {
		const n, d = 90, 6
		s := drotest.NewSample(rng, n, d, false)
		weight := make([]float64, n)
		for j := range weight {
			weight[j] = rng.ExpFloat64()
		}
		weight[3] = 0
		o := s.Oracle(t, losses.Squared{})
		f := newQuadraticMinorant(o, nil, engine.RidgeOf(saddle.L2{Mu: 0.01}, d), weight, none)
		h := mat.NewSymDense(d, nil)
		for i := range d {
			for k := range d {
				h.SetSym(i, k, f.scaled.At(i, k)/(f.scale[i]*f.scale[k]))
			}
		}
		var inverse mat.Dense
		if err := inverse.Inverse(h); err != nil {
			t.Fatal(err)
		}
		exact := 0.0
		for j := range n {
			if weight[j] > 0 {
				z := mat.NewVecDense(d, s.Design[j*d:(j+1)*d])
				exact = max(exact, math.Sqrt(mat.Inner(z, &inverse, z)))
			}
		}
		c := engine.NewCertifier(&saddle.Problem{Oracle: o, Dual: side.Simplex{Nu: 1}, Primal: saddle.L2{}})
		for _, within := range []float64{exact * (1 + 1e-9), exact * 0.99, exact / 2} {
			bound, shortfall := f.maxRowNorm(c, o, weight, within, math.Inf(1))
			if sufficient := within > exact; sufficient != (shortfall <= 1) || sufficient && bound < exact*(1-1e-12) {
				t.Errorf("largest norm %v, sufficient %v: bound %v, shortfall %v", exact, within, bound, shortfall)
			}
		}
		squares := make([]float64, d)
		for i, v := range f.scale {
			squares[i] = v * v
		}
		if _, rho := f.longestRows(o, weight, squares, make([]float64, n)); rho > exact*(1+1e-9) || rho < exact/10 {
			t.Errorf("longest rows have norms up to %v, all rows up to %v", rho, exact)
		}
	}
}

// The bound of the smallest eigenvalue holds and is so close that few values above the eigenvalue are tried.
func TestMinorant_BoundOfSmallestEigenvalue(t *testing.T) {
	r := drotest.RngOf(98)
	for trial := range 60 {
		d := 1 + r.IntN(40)
		root, a := mat.NewDense(d, d, nil), mat.NewSymDense(d, nil)
		for i := range d {
			for j := range d {
				root.Set(i, j, r.NormFloat64()*math.Pow(10, -float64(trial%4*j)/float64(d)))
			}
		}
		a.SymOuterK(1, root.T())
		var values mat.EigenSym
		if !values.Factorize(a, false) {
			t.Fatal("no eigenvalues")
		}
		least := slices.Min(values.Values(nil))
		f := &minorant{d: d, upper: mat.NewTriDense(d, mat.Upper, nil)}
		f.factor = f.upper.RawTriangular()
		copyUpper(f.factor.Data, a)
		if !kernel.Cholesky(f.factor.Data, d) {
			continue // singular up to rounding
		}
		if bound := f.boundSmallest(); !(bound >= least*(1-1e-6) && bound <= 8*least) {
			t.Errorf("%d columns: bound %v, eigenvalue %v", d, bound, least)
		}
	}
}
