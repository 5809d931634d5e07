package solve

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/losses"
)

func TestFixedWeights(t *testing.T) {
	f := []float64{1, 4, 7}
	d, err := NewFixed([]float64{2, 0, 6})
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, 3)
	if r, tau := d.BestResponseTo(y, f); r != 5.5 || tau != 5.5 || y[0] != 0.25 || y[1] != 0 || y[2] != 0.75 { // (2·1 + 6·7)/8
		t.Errorf("risk %v, τ %v, weights %v", r, tau, y)
	}
	for _, w := range [][]float64{{1, -1}, {0, 0}, {math.NaN(), 1}, {math.Inf(1), 1}} {
		if d, _ := NewFixed(w); d.Valid(2) == nil {
			t.Errorf("weights %v are accepted", w)
		}
	}
	s := drotest.NewSample(drotest.RngOf(113), 50, 3, true)
	equal, _ := NewFixed(func() []float64 { w := make([]float64, 50); vec.Fill(w, 3); return w }())
	settings := drotest.Asking(1e-9, 500)
	a := drotest.Solve(t, &Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: equal, Primal: L2{Mu: 0.1, Intercept: true}}, LBFGS{}, settings)
	b := drotest.Solve(t, &Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: Simplex{Divergence: PearsonChi2, Alpha: 1}, Primal: L2{Mu: 0.1, Intercept: true}}, LBFGS{}, settings)
	if !drotest.Near(a.Objective, b.Objective, drotest.Solver*1e-9, b.Objective) {
		t.Errorf("equal weights %v, empirical risk %v", a.Objective, b.Objective)
	}
}
