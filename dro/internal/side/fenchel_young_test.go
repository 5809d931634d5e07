package side

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/vec"
)

// FenchelYoung against the minimum of φ + ⟨g, ·⟩ on a grid: it may not be below
// φ(x) + ⟨g, x⟩ − min, and is that up to the grid's resolution.
func TestFenchelYoungAgainstGrid(t *testing.T) {
	rng := drotest.RngOf(31)
	const grid = 400
	for range 30 {
		x, g := drotest.Normals(rng, 2, 1), drotest.Normals(rng, 2, 1)
		for _, p := range []L2{{Mu: 0.5}, {Mu: 3}} {
			best := math.Inf(1)
			reach := 1.5*drotest.MaxAbs(g)/p.Mu + 1
			for i := range grid + 1 {
				for j := range grid + 1 {
					z := []float64{reach * (2*float64(i)/grid - 1), reach * (2*float64(j)/grid - 1)}
					best = min(best, p.Value(z)+vec.Dot(g, z))
				}
			}
			got, want := p.FenchelYoung(x, g), p.Value(x)+vec.Dot(g, x)-best
			cell := 2 * reach / grid
			if got < want-drotest.ClosedForm*(1+want) || got > want+p.Mu*cell*cell {
				t.Errorf("%+v at %v, g = %v: %v, on the grid %v", p, x, g, got, want)
			}
		}
		q := drotest.OnSimplex(rng, 2)
		for _, p := range []Entropy{{}, {0.3}, {5}} {
			best := math.Inf(1)
			for i := range grid + 1 {
				z := []float64{float64(i) / grid, 1 - float64(i)/grid}
				best = min(best, p.Value(z)+vec.Dot(g, z))
			}
			got, want := p.FenchelYoung(q, g), p.Value(q)+vec.Dot(g, q)-best
			if got < want-drotest.ClosedForm*(1+want) || got > want+0.01*(p.Mu+1)/grid {
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
	}{{L2{Mu: 0.5, Intercept: true}, g}, {L2{}, g}, {L2{Mu: math.Copysign(0, -1)}, g}} {
		if v := c.p.FenchelYoung(x, c.g); !math.IsInf(v, 1) {
			t.Errorf("%+v, unbounded below: %v", c.p, v)
		}
	}
	if v := (L2{}).FenchelYoung(x, make([]float64, 3)); v != 0 {
		t.Errorf("μ = 0 and no gradient: %v", v)
	}
}
