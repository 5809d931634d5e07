package side

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
)

// FenchelYoung against the minimum of φ + ⟨g, ·⟩ on a grid: it may not be below
// φ(x) + ⟨g, x⟩ − min, and is that up to the grid's resolution.
func TestFenchelYoung_AgainstGrid(t *testing.T) {
	rng := drotest.RngOf(31)
	const grid = 400
	for range 30 {
		x, g := drotest.Normals(rng, 2, 1), drotest.Normals(rng, 2, 1)
		for _, p := range []saddle.L2{{Mu: 0.5}, {Mu: 3}} {
			best := math.Inf(1)
			reach := 1.5*drotest.MaxAbs(g)/p.Mu + 1
			for i := range grid + 1 {
				for j := range grid + 1 {
					z := []float64{reach * (2*float64(i)/grid - 1), reach * (2*float64(j)/grid - 1)}
					best = min(best, p.Value(z)+engine.Dot(g, z))
				}
			}
			got, want := p.FenchelYoung(x, g), p.Value(x)+engine.Dot(g, x)-best
			cell := 2 * reach / grid
			if got < want-drotest.ClosedForm*(1+want) || got > want+p.Mu*cell*cell {
				t.Errorf("%+v at %v, g = %v: %v, on the grid %v", p, x, g, got, want)
			}
		}
		q := drotest.OnSimplex(rng, 2)
		for _, p := range []saddle.Entropy{{}, {Mu: 0.3}, {Mu: 5}} {
			best := math.Inf(1)
			for i := range grid + 1 {
				z := []float64{float64(i) / grid, 1 - float64(i)/grid}
				best = min(best, p.Value(z)+engine.Dot(g, z))
			}
			got, want := p.FenchelYoung(q, g), p.Value(q)+engine.Dot(g, q)-best
			if got < want-drotest.ClosedForm*(1+want) || got > want+0.01*(p.Mu+1)/grid {
				t.Errorf("%+v at %v, g = %v: %v, on the grid %v", p, q, g, got, want)
			}
		}
	}
}
