package newton

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/losses"
)

// Products with the Hessian are those of the matrix that is formed, for adversaries that
// answer to losses and for one that does not.
func TestOperator_ProductsOfMatrix(t *testing.T) {
	const d = 5
	rng := drotest.RngOf(112)
	s := drotest.NewSample(rng, 700, d, true)
	for _, l := range []losses.Loss{losses.Logistic{}, losses.Huber{Delta: 0.5}} {
		for _, dual := range []saddle.Dual{side.Simplex{Nu: 0.3}, side.Simplex{Divergence: side.PearsonChi2, Nu: 0.2},
			side.Simplex{Divergence: side.PearsonChi2, Alpha: 1}} {
			p := &saddle.Problem{Oracle: s.Oracle(t, l), Dual: dual, Primal: saddle.L2{Mu: 0.01, Intercept: true}}
			c := engine.NewCertifier(p)
			c.Evaluate(drotest.Normals(rng, d, 0.5))
			formed, products := NewFactored(p, false, c.Evaluator), newOperator(p, c.Evaluator)
			if err := formed.Update(&c.Response, c.Slope); err != nil {
				t.Fatal(err)
			}
			if err := products.Update(&c.Response, c.Slope); err != nil {
				t.Fatal(err)
			}
			v, got := drotest.Normals(rng, d, 1), make([]float64, d)
			products.multiply(got, v)
			for i := range d {
				want := 0.0
				for k := range d {
					want += formed.Matrix.At(i, k) * v[k]
				}
				if !(math.Abs(got[i]-want) <= 1e-12*(1+math.Abs(want))) {
					t.Errorf("%s, %#v: entry %d of Hv is %v, by the matrix %v", l.Name(), dual, i, got[i], want)
				}
			}
		}
	}
}
