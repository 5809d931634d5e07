package newton

import (
	"math"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/internal/exact"
	"github.com/drotrain/drotrain/losses"
	"gonum.org/v1/gonum/mat"
)

// Gram matrix, cholesky factor and solves are as exact as is said of them: λ from above,
// ρ from above, for columns of any scale and nearly collinear.
func TestCurvature_RoundingIsBounded(t *testing.T) {
	rng := drotest.RngOf(204)
	for trial := range 60 {
		n, d := 30+rng.IntN(40), 2+rng.IntN(4)
		s := drotest.NewSample(rng, n, d, true)
		for j := range n {
			if trial%2 == 0 {
				s.Design[j*d] = s.Design[j*d+1]*1e5 + s.Design[j*d]*math.Pow(10, 5-float64(trial/2%9))
			}
		}
		o := s.Oracle(t, losses.Squared{})
		weight, ridge := make([]float64, n), make([]float64, d)
		for j := range weight {
			weight[j] = rng.Float64() / float64(n)
		}
		f := newQuadraticMinorant(o, nil, ridge, append([]float64(nil), weight...), none)
		if f == nil {
			continue
		}
		h := exact.NewMatrix(d)
		row := func(j int) []exact.Real { return drotest.Reals(s.Design[j*d : (j+1)*d]) }
		longest := 0.0
		for j, w := range weight {
			h.AddOuter(exact.New(w), row(j))
		}
		square := func(z []exact.Real) float64 {
			v, err := h.Solve(z)
			if err != nil {
				t.Fatal(err)
			}
			total := exact.New(0)
			for i := range z {
				total = exact.Add(total, exact.Mul(z[i], v[i]))
			}
			out, _ := total.Float64()
			return out
		}
		for j := range n {
			longest = max(longest, math.Sqrt(square(row(j))))
		}
		g := drotest.Normals(rng, d, 1)
		if got, want := f.gradientNorm(g, make([]float64, d)), math.Sqrt(square(drotest.Reals(g))); got < want ||
			got > 1.3*want {
			t.Errorf("trial %d: λ = %v, in 256 bits %v", trial, got, want)
		}
		err := make([]float64, d)
		for i := range err {
			err[i] = math.Abs(g[i]) / 1e3
			g[i] += err[i]
		}
		base := append([]float64(nil), g...)
		for i := range base {
			base[i] -= err[i]
		}
		if got, want := f.gradientNorm(base, err), math.Sqrt(square(drotest.Reals(g))); got < want {
			t.Errorf("trial %d: λ = %v of all gradients within an error, %v of one of them", trial, got, want)
		}
		c := engine.NewCertifier(&saddle.Problem{Oracle: o, Dual: side.Simplex{Nu: 1}, Primal: saddle.L2{Intercept: true}})
		for _, within := range []float64{1.001 * longest, 1.5 * longest, 2.5 * longest, 4 * longest, 100 * longest} {
			rho, shortfall := f.maxRowNorm(c, o, weight, within, 1e9)
			if shortfall <= 1 && rho < longest {
				t.Errorf("trial %d: ρ = %v proved within %v, in 256 bits %v", trial, rho, within, longest)
			}
		}
		norm := make([]float64, n)
		squares := make([]float64, d)
		for i, v := range f.scale {
			squares[i] = v * v
		}
		o.SquaredNormsTo(norm, squares, 0, n)
		if got := f.maxNorm(c, o, make([]float64, n), weight, slices.Max(norm)); got < longest || got > 1.05*longest {
			t.Errorf("trial %d: ρ = %v, in 256 bits %v", trial, got, longest)
		}
	}
}

// Where margins round by far more than sums do, the bound of squared losses is below the
// minimum in 256 bits, which for fixed weights is that of a quadratic, and close to it.
func TestMinorant_MarginsRounded(t *testing.T) {
	rng := drotest.RngOf(214)
	const n, d = 12, 2
	none := exact.New(0)
	for trial := range 60 {
		big := math.Pow(10, 6+4*rng.Float64())
		rows, target := drotest.Normals(rng, n*d, 1), make([]float64, n)
		for j := range n {
			target[j] = big*(rows[j*d]/3-rows[j*d+1]) + rng.NormFloat64()
		}
		mu := []float64{0, 1e-20, 1e-16}[trial%3]
		o, err := losses.NewLinear(losses.Squared{}, drotest.Dense(t, n, d, rows), target)
		if err != nil {
			t.Fatal(err)
		}
		c := engine.NewCertifier(&saddle.Problem{Oracle: o, Dual: side.Simplex{Nu: 3}, Primal: saddle.L2{Mu: mu}})
		c.Best.Lower = math.Inf(-1)
		value := c.Evaluate([]float64{big/3 + 1e-3, -big})
		CertifyByCurvature(c, n, n, 1e9)
		// min Σ y(z·x − t)²/2 + μ|x|²/2 − ψ(y) = Σ yt²/2 − bᵀH⁻¹b/2 − ψ(y), b = Σ ytz.
		mass, y := exact.New(0), drotest.Reals(c.Y)
		for _, v := range y {
			mass = exact.Add(mass, v)
		}
		h, b, least := exact.NewMatrix(d), []exact.Real{none, none}, exact.New(0)
		for j := range y {
			y[j] = exact.Div(y[j], mass)
			z, t := drotest.Reals(rows[j*d:(j+1)*d]), exact.New(target[j])
			h.AddOuter(y[j], z)
			least = exact.Add(least, exact.Mul(exact.New(0.5), exact.Mul(y[j], exact.Mul(t, t))))
			for i := range b {
				b[i] = exact.Add(b[i], exact.Mul(exact.Mul(y[j], t), z[i]))
			}
		}
		for i := range b {
			h.Set(i, i, exact.Add(h.Entry(i, i), exact.New(mu)))
		}
		at, err := h.Solve(b)
		if err != nil {
			t.Fatal(err)
		}
		for i := range b {
			least = exact.Sub(least, exact.Mul(exact.New(0.5), exact.Mul(at[i], b[i])))
		}
		psi := exact.Adversary{Penalty: "kl", Nu: 3}
		least = exact.Sub(least, psi.Psi(y))
		if over := drotest.Subtract(least, c.Best.Lower); over < 0 {
			t.Errorf("trial %d: %v from below, %.3g above the minimum %s", trial, c.Best.Lower, -over, least.Text('g', 20))
		} else if over > 1e-6*big/1e6 {
			t.Errorf("trial %d: %v from below, the minimum is %s (P = %v)", trial, c.Best.Lower, least.Text('g', 20), value)
		}
	}
}

// The farther an inverse may be from one, the longer rows may be in its norm: the bound is
// above what they are, by what was allowed for.
func TestMinorant_InaccurateInverse(t *testing.T) {
	o := drotest.Sample{N: 2, D: 2, Design: []float64{0, 1, 1, 0}, Label: []float64{1, -1}}.Oracle(t, losses.Squared{})
	c := engine.NewCertifier(&saddle.Problem{Oracle: o, Dual: side.Simplex{Nu: 1}, Primal: saddle.L2{Mu: 1}})
	for _, least := range []float64{0x1p-20, 0x1p-44, 0x1p-46} {
		upper := mat.NewTriDense(2, mat.Upper, []float64{1, 1, 0, least})
		f := &minorant{d: 2, scale: []float64{1, 1}, upper: upper, inflate: 1}
		longest := math.Sqrt(1 + 1/(least*least)) // Uᵀv = (1, 0); (0, 1) gives 1/least
		allowed := 1 + engine.Gamma(2)*mat.Norm(upper, 2)/least
		if got := f.maxNorm(c, o, make([]float64, 2), []float64{0.5, 0.5}, 1); got < longest*allowed || got > 2*longest {
			t.Errorf("least entry %v: ρ = %v, want %v and %v of it", least, got, longest, allowed)
		}
	}
}
