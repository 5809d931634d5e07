package newton

import (
	"errors"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/losses"
)

func TestFactored_IndefiniteAfterAFactorGivesNoStep(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(113), 50, 3, false)
	p := &saddle.Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: side.Simplex{Nu: 0.3}, Primal: saddle.L2{Mu: 0.01}}
	c := engine.NewCertifier(p)
	c.Evaluate([]float64{0.3, -0.2, 0.5})
	m := NewFactored(p, false, c.Evaluator)
	if err := m.Update(&c.Response, c.Slope); err != nil {
		t.Fatal(err)
	}
	step := []float64{1, 2, 3}
	if m.Solve(step); math.IsNaN(step[0]) {
		t.Fatal("no step")
	}
	m.Matrix.SetSym(1, 1, -1e9*m.Matrix.At(1, 1))
	if err := m.factorise(); !errors.Is(err, ErrIndefinite) {
		t.Fatalf("%v: the test asks nothing", err)
	}
	v := []float64{1, 2, 3}
	if m.Solve(v); !math.IsNaN(v[0]) || !math.IsNaN(v[2]) {
		t.Errorf("a step of %v", v)
	}
}
