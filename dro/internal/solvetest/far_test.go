package solvetest_test

import (
	"testing"

	dro "github.com/drotrain/drotrain/dro/internal/solvetest"
	"github.com/drotrain/drotrain/losses"
)

// Where second derivatives vanish, far from the data, and where every row is right and the
// infimum is at infinity, Newton's method is there in a few passes all the same.
func TestNewton_FarFromTheOptimum(t *testing.T) {
	for _, c := range []struct {
		name string
		loss losses.Loss
		mu   float64
		far  float64
		most float64
	}{
		{"logistic from 10⁴ away", losses.Logistic{}, 1e-3, 1e4, 90},
		{"Huber's from 10⁴ away", losses.Huber{Delta: 0.01}, 1e-3, 1e4, 90},
	} {
		for _, dual := range []dro.Dual{dro.Simplex{Nu: 1}, dro.Simplex{Divergence: dro.PearsonChi2, Nu: 1}} {
			s := dro.DefaultSettings()
			s.MaxPasses, s.X0 = 300, []float64{c.far, -c.far, c.far, c.far}
			p := &dro.Problem{Oracle: sample(t, c.loss, 600, 4), Dual: dual, Primal: dro.L2{Mu: c.mu}}
			res := solveBy(t, p, dro.Newton{}, s)
			if res.Status != dro.Certified || res.Passes > c.most {
				t.Errorf("%s, %#v: %v after %.4g passes", c.name, dual, res.Status, res.Passes)
			}
			t.Logf("%s, %#v: %.4g passes", c.name, dual, res.Passes)
		}
	}
	x, target := []float64{1, 2, -1, -3, 0.5, -2}, []float64{1, 1, -1, -1, 1, -1}
	o := newLinear(t, losses.Logistic{}, newDense(t, 6, 1, x), target)
	res := solveBy(t, &dro.Problem{Oracle: o, Dual: dro.Simplex{Nu: 1}, Primal: dro.L2{}}, dro.Newton{},
		dro.DefaultSettings())
	if res.Status != dro.Certified || res.Passes > 90 {
		t.Errorf("separated rows: %v after %.4g passes", res.Status, res.Passes)
	}
}
