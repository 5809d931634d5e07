package solvetest_test

import (
	"context"
	"testing"

	dro "github.com/drotrain/drotrain/dro/internal/solvetest"
	"github.com/drotrain/drotrain/losses"
)

func TestSolve_GoesOnFromTheKeptPoint(t *testing.T) {
	p := &dro.Problem{Oracle: sample(t, losses.Logistic{}, 400, 5), Dual: dro.Simplex{Nu: 0.3}, Primal: dro.L2{Mu: 1e-3}}
	s := dro.DefaultSettings()
	s.RelativeGap, s.CheckEvery = 1e-9, 1
	var points [][]float64
	s.Keep = func(x []float64) { points = append(points, x) }
	whole, err := dro.SolveBy(context.Background(), p, dro.LBFGS{}, s)
	if err != nil || len(points) < 4 {
		t.Fatalf("%d points, %v", len(points), err)
	}
	s.Keep, s.X0 = nil, points[len(points)/2]
	rest, err := dro.SolveBy(context.Background(), p, dro.LBFGS{}, s)
	if err != nil || rest.Status != dro.Certified {
		t.Fatalf("%v, %v", rest.Status, err)
	}
	if !(rest.Trace[0].Upper < whole.Trace[0].Upper) || !(rest.Passes < whole.Passes) {
		t.Errorf("it starts at %v and takes %v passes, the whole at %v and %v", rest.Trace[0].Upper, rest.Passes,
			whole.Trace[0].Upper, whole.Passes)
	}
	if rest.Certificate.Lower > whole.Certificate.Upper || whole.Certificate.Lower > rest.Certificate.Upper {
		t.Errorf("certificates %v and %v of one problem", rest.Certificate, whole.Certificate)
	}
}
