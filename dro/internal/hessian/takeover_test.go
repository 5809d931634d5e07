package hessian

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/losses"
)

// The Hessian of P in x that another run hands on is, lifted, what the lift would form.
func TestTakeOverOfALift(t *testing.T) {
	const d = 4
	s := drotest.NewSample(drotest.RngOf(111), 300, d, false)
	for _, dual := range []saddle.Dual{side.Simplex{Nu: 0.3}, side.Simplex{Divergence: side.PearsonChi2, Nu: 0.2}} {
		p := &saddle.Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: dual, Primal: side.L2{Mu: 0.01}}
		c := saddle.NewCertifier(p)
		c.Evaluate([]float64{0.3, -0.2, 0.5, 0.1})
		var formed [2]*Factored // of P and of the lift
		for k := range formed {
			formed[k] = NewFactored(p, k == 1, c.Evaluator)
			if err := formed[k].Update(c.Y, c.Slope); err != nil {
				t.Fatal(err)
			}
		}
		taken := NewFactored(p, true, c.Evaluator)
		other := saddle.NewCertifier(p)
		other.Evaluate([]float64{-2, 1, 0, 1})
		if err := taken.Update(other.Y, other.Slope); err != nil { // of which nothing is left
			t.Fatal(err)
		}
		if err := taken.TakeOver(formed[0]); err != nil {
			t.Fatal(err)
		}
		for i := range d + 1 {
			for j := range d + 1 {
				if got, want := taken.Matrix.At(i, j), formed[1].Matrix.At(i, j); !(math.Abs(got-want) <= 1e-13*(1+math.Abs(want))) {
					t.Errorf("%#v: entry %d, %d is %v, formed %v", dual, i, j, got, want)
				}
			}
		}
	}
}

// Partial sums of Gram matrices take 64 MiB at most, and no more of them would fit; one there
// is however wide it is.
func TestPartialSumsAreFew(t *testing.T) {
	for _, d := range []int{500, 1000, 2000, 5000} {
		const n, most = 1 << 22, 64 << 20
		if g := NewGram(nil, n, d); g.count != max(1, most/(8*d*d)) {
			t.Errorf("%d sums of %d columns", g.count, d)
		}
	}
}
