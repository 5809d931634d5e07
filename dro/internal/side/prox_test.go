package side

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
)

// divergence is Δ(y, z) by its definition, on the simplex.
func (c simplexCase) divergence(y, z []float64) float64 {
	s := 0.0
	for j, v := range y {
		switch {
		case !c.kl:
			s += float64(len(y)) / 2 * (v - z[j]) * (v - z[j])
		case v > 0:
			s += v * math.Log(v/z[j])
		}
	}
	return s
}

func TestProximalStep_OptimalityConditions(t *testing.T) {
	rng := drotest.RngOf(3)
	cases := simplexCases()
	for _, alpha := range []float64{0.3, 1} { // ν = 0: the geometry without the penalty
		limit := func(n int) float64 { return 1 / (alpha * float64(n)) }
		cases = append(cases, simplexCase{Simplex{Alpha: alpha, Nu: 0}, true, 0, limit},
			simplexCase{Simplex{Divergence: PearsonChi2, Alpha: alpha}, false, 0, limit})
	}
	one := func(int) float64 { return 1 }
	cases = append(cases, simplexCase{Simplex{}, true, 0, one},
		simplexCase{Simplex{Divergence: PearsonChi2}, false, 0, one})
	for _, c := range cases {
		for trial := range 12 {
			n := 1 + rng.IntN(8)
			if trial == 0 {
				n = 4500 // several shards
			}
			a, e, w := rng.ExpFloat64(), rng.ExpFloat64(), float64(rng.IntN(2))*rng.Float64()
			f := drotest.Normals(rng, n, 1)
			prev, hist := c.inside(n, drotest.OnSimplex(rng, n)), c.inside(n, drotest.OnSimplex(rng, n))
			up, uh := make([]float64, n), make([]float64, n)
			c.dual.CoordsTo(up, prev)
			c.dual.CoordsTo(uh, hist)
			u, y := make([]float64, n), make([]float64, n)
			c.dual.ProxTo(u, y, f, up, uh, a, e, w)

			g := make([]float64, n) // of the objective of Equation (11)
			for j, v := range y {
				if v == 0 && c.kl {
					t.Fatalf("%v: weight %d vanished", c, j)
				}
				g[j] = a * (f[j] - c.slope(v, n))
				if c.kl {
					g[j] -= e * ((1-w)*math.Log(v/prev[j]) + w*math.Log(v/hist[j]))
				} else {
					g[j] -= e * float64(n) * ((1-w)*(v-prev[j]) + w*(v-hist[j]))
				}
			}
			name := fmt.Sprintf("%v n=%d a=%.3g e=%.3g w=%.3g", c, n, a, e, w)
			if err := violatesKKT(y, g, c.limit(n), drotest.KKT*(1+a*(3+c.nu)+e*float64(n))); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			objective := func(y []float64) float64 {
				return a*engine.Dot(y, f) - a*c.psi(y) - e*((1-w)*c.divergence(y, prev)+w*c.divergence(y, hist))
			}
			best := objective(y)
			for range 20 { // no feasible point nearby is better
				z, mix := c.inside(n, drotest.OnSimplex(rng, n)), math.Pow(10, -4*rng.Float64())
				for j := range z {
					z[j] = (1-mix)*y[j] + mix*z[j]
				}
				if v := objective(z); v > best+drotest.ClosedForm*(1+math.Abs(best)) {
					t.Fatalf("%s: %v at %v beats %v at %v", name, v, z, best, y)
				}
			}
			// The coordinates are those of y, and may overwrite prev.
			again, coords := make([]float64, n), make([]float64, n)
			c.dual.CoordsTo(coords, y)
			c.dual.ProxTo(up, again, f, up, uh, a, e, w)
			if !slices.Equal(again, y) || !slices.Equal(up, u) {
				t.Errorf("%s: another answer in place", name)
			}
			for j := range u {
				if !drotest.IsNear(u[j], coords[j], 1e-9, u[j]) {
					t.Errorf("%s: coordinate %d is %v, of y %v", name, j, u[j], coords[j])
					break
				}
			}
		}
	}
}

// inside moves y towards 1/n until the cap holds.
func (c simplexCase) inside(n int, y []float64) []float64 {
	for slices.Max(y) > c.limit(n) {
		for j := range y {
			y[j] = 0.5*y[j] + 0.5/float64(n)
			if c.limit(n)*float64(n) < 1+1e-9 {
				y[j] = 1 / float64(n)
			}
		}
		if c.limit(n)*float64(n) < 1+1e-9 {
			break
		}
	}
	return y
}

func TestEntropyProx_MinimisesByHand(t *testing.T) {
	rng := drotest.RngOf(4)
	for _, mu := range []float64{0, 0.01, 2} {
		for range 50 {
			d := 1 + rng.IntN(6)
			p := saddle.Entropy{Mu: mu}
			a, c := rng.ExpFloat64(), rng.ExpFloat64()
			g, z := drotest.Normals(rng, d, 3), drotest.OnSimplex(rng, d)
			u, x := make([]float64, d), make([]float64, d)
			p.CoordsTo(u, z)
			p.ProxTo(x, g, u, a, c)
			grad := make([]float64, d)
			for i := range grad { // of −(a⟨g, x⟩ + aφ + cΔ): the same conditions as for a maximum
				grad[i] = -a*g[i] - a*mu*(math.Log(float64(d)*x[i])+1) - c*(math.Log(x[i]/z[i])+1)
			}
			if err := violatesKKT(x, grad, 1, drotest.KKT*(1+a*drotest.MaxAbs(g))); err != nil {
				t.Fatalf("μ=%v d=%d: %v", mu, d, err)
			}
			p.ProxTo(u, g, u, a, c)
			if !slices.Equal(u, x) {
				t.Fatal("another answer in place")
			}
		}
	}
}

func TestL2Prox_MinimisesByHand(t *testing.T) {
	rng := drotest.RngOf(5)
	for _, p := range []saddle.L2{{}, {Mu: 0.3}, {Mu: 0.3, Intercept: true}, {Mu: 2, Intercept: true, FreeModulus: 0.7}} {
		a, c := rng.ExpFloat64(), rng.ExpFloat64()
		g, z, x := drotest.Normals(rng, 4, 1), drotest.Normals(rng, 4, 1), make([]float64, 4)
		p.ProxTo(x, g, z, a, c)
		for i := range x { // a g + a μ x + c(x − z) = 0
			mu := p.Mu
			at := x[i]
			if i == 3 && p.Intercept {
				mu, at = p.FreeModulus, x[i]-z[i] // the assumed curvature is around the centre
			}
			if r := a*g[i] + a*mu*at + c*(x[i]-z[i]); !(math.Abs(r) <= drotest.ClosedForm) {
				t.Errorf("%+v: derivative %v in coordinate %d", p, r, i)
			}
		}
	}
}

// A step on the simplex stays there however steep the gradient is, and a starting point
// that is not there is refused.
func TestEntropy_StaysOnSimplex(t *testing.T) {
	p := saddle.Entropy{Mu: 0.5}
	for _, steep := range []float64{1, 1e3, 1e6} {
		dst := make([]float64, 3)
		p.ProxTo(dst, []float64{-steep, steep, -steep}, []float64{0, 0, 0}, 1, 1)
		if err := p.Contains(dst); err != nil || !drotest.IsNear(dst[0], dst[2], 1e-12, 0) || dst[1] > dst[0] {
			t.Errorf("gradients of ±%v: %v, %v", steep, dst, err)
		}
	}
	for _, x := range [][]float64{{0.5, 0.6, 0}, {0.5, 0.4, 0}, {1.5, -0.5, 0}, {0.5, 0.5, math.NaN()}} {
		if p.Contains(x) == nil {
			t.Errorf("%v is on the simplex", x)
		}
	}
}
