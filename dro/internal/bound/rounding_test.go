package bound

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/exact"
	"github.com/drotrain/drotrain/losses"
)

// Gram matrix, Cholesky factor and solves are as exact as is said of them: λ from above,
// ρ from above, for columns of any scale and nearly collinear.
func TestCurvatureRounding(t *testing.T) {
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
		f := newMinorant(o, ridge, append([]float64(nil), weight...), d)
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
		if got, want := f.norm(g, make([]float64, d)), math.Sqrt(square(drotest.Reals(g))); got < want || got > 1.3*want {
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
		if got, want := f.norm(base, err), math.Sqrt(square(drotest.Reals(g))); got < want {
			t.Errorf("trial %d: λ = %v of all gradients within an error, %v of one of them", trial, got, want)
		}
		c := saddle.NewCertifier(&saddle.Problem{Oracle: o, Dual: side.KL{Nu: 1}, Primal: side.L2{Intercept: true}})
		for _, within := range []float64{1.001 * longest, 1.5 * longest, 2.5 * longest, 4 * longest, 100 * longest} {
			rho, lacking := f.radius(c, o, weight, within, 1e9)
			if lacking <= 1 && rho < longest {
				t.Errorf("trial %d: ρ = %v proved within %v, in 256 bits %v", trial, rho, within, longest)
			}
		}
		norm := make([]float64, n)
		squares := make([]float64, d)
		for i, v := range f.scale {
			squares[i] = v * v
		}
		o.NormsTo(norm, squares, 0, n)
		if got := f.longest(c, o, make([]float64, n), weight, vec.MaxOf(norm)); got < longest || got > 1.05*longest {
			t.Errorf("trial %d: ρ = %v, in 256 bits %v", trial, got, longest)
		}
	}
}
