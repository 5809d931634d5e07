package dro

import (
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// The lifted oracle's change, gradient and Jacobian are one function's.
func TestLiftedOracleAgainstFiniteDifferences(t *testing.T) {
	rng := drotest.RngOf(22)
	p, err := primaldual.Lift(&Problem{Oracle: drotest.NewSample(rng, 9, 2, false).Oracle(t, losses.Logistic{}), Dual: KL{Nu: 1}, Primal: L2{Mu: 1}})
	if err != nil {
		t.Fatal(err)
	}
	x, w, old := drotest.Normals(rng, 3, 1), drotest.Normals(rng, 9, 1), drotest.Normals(rng, 9, 1)
	v, s, oldS := make([]float64, 9), make([]float64, 9), make([]float64, 9)
	f := func(x []float64) float64 {
		p.Oracle.EvalTo(v, s, x, 0, 9)
		return vec.Dot(w, v)
	}
	f(drotest.Normals(rng, 3, 1))
	copy(oldS, s)
	f(x)
	g, back, change := make([]float64, 3), make([]float64, 3), make([]float64, 3)
	p.Oracle.AddGradTo(g, w, s, 0, 9)
	p.Oracle.AddGradTo(back, old, oldS, 0, 9)
	p.Oracle.(saddle.Changed).AddChangeTo(change, w, s, old, oldS, 0, 9)
	for i := range g {
		const h = 1e-6
		at := x[i]
		x[i] = at + h
		up := f(x)
		x[i] = at - h
		down := f(x)
		x[i] = at
		if want := (up - down) / (2 * h); !drotest.Near(g[i], want, 1e-7, want) {
			t.Errorf("coordinate %d: %v, finite difference %v", i, g[i], want)
		}
		if want := g[i] - back[i]; !drotest.Near(change[i], want, drotest.ClosedForm, want) {
			t.Errorf("coordinate %d: change %v, difference %v", i, change[i], want)
		}
	}
}
