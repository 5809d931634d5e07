package side

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/saddle"
	"gonum.org/v1/gonum/floats"
)

// The Fenchel-Young term of the norm is φ(x) + ⟨g, x⟩ minus its minimum over x, which lies on the ray of −g; the
// proximal step is the minimum of its objective.
func TestNorm_AgainstSearch(t *testing.T) {
	rng := drotest.RngOf(47)
	for trial := range 300 {
		d := 1 + rng.IntN(4)
		r := saddle.Wasserstein{Mu: math.Pow(10, 4*rng.Float64()-3), Radius: rng.Float64(), Intercept: trial%2 == 0 && d > 1}
		x, g, center := make([]float64, d), make([]float64, d), make([]float64, d)
		for i := range x {
			x[i], g[i], center[i] = rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		}
		if trial%5 == 0 {
			clear(x)
		}
		a, c, y := rng.Float64(), 0.1+rng.Float64(), make([]float64, d)
		r.ProxTo(y, g, center, a, c)
		step := func(v []float64) float64 {
			return a*floats.Dot(g, v) + a*r.Value(v) + c/2*math.Pow(floats.Distance(v, center, 2), 2)
		}
		best := step(y)
		for range 50 {
			near := make([]float64, d)
			for i := range near {
				near[i] = y[i] + rng.NormFloat64()*math.Pow(10, -4*rng.Float64())
			}
			if !(step(near) >= best-1e-12) {
				t.Fatalf("trial %d: %v is below the proximal step, %v", trial, step(near), best)
			}
		}
		if r.Intercept {
			if !math.IsInf(r.FenchelYoung(x, g), 1) {
				t.Fatalf("trial %d: a derivative in the free coordinate has a finite term", trial)
			}
			g[d-1] = 0
		}
		size, least := floats.Norm(g, 2), 0.0
		for k := range 4000 {
			v := float64(k) * size / r.Mu / 3999
			least = min(least, r.Mu/2*v*v+r.Radius*v-size*v)
		}
		want := r.Value(x) + floats.Dot(g, x) - least
		if got := r.FenchelYoung(x, g); !(got >= want-1e-9*(1+want)) || !(got-want <= 1e-4*(1+want+size*size/r.Mu)) {
			t.Fatalf("trial %d, %+v: %v, not %v", trial, r, got, want)
		}
	}
	if got := (saddle.Wasserstein{Radius: 1}).FenchelYoung([]float64{0.5}, []float64{1.1}); !math.IsInf(got, 1) {
		t.Errorf("without μ, a gradient above the radius gives %v", got)
	}
}
