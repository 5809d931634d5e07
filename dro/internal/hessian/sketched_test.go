package hessian

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/losses"
	"gonum.org/v1/gonum/mat"
)

// A sketch is symmetric, positive definite, hardly anywhere below the Hessian and nearer to it
// than its diagonal is; over (x, τ) Solve is the inverse of the matrix whose Schur complement it is.
func TestSketch(t *testing.T) {
	const n, d = 400, 60
	rng := drotest.RngOf(118)
	s := drotest.NewSample(rng, n, d, true)
	for j := range n { // some alike, and of other scales
		for i := 1; i < 30; i++ {
			s.Design[j*d+i] = s.Design[j*d] + 0.3*s.Design[j*d+i]
		}
		s.Design[j*d+40] *= 30
	}
	for _, dual := range []saddle.Dual{side.Simplex{Nu: 0.3}, side.Simplex{Divergence: side.PearsonChi2, Nu: 0.2}} {
		p := &saddle.Problem{Oracle: s.Oracle(t, losses.Squared{}), Dual: dual, Primal: side.L2{Mu: 1e-3}}
		c := saddle.NewCertifier(p)
		c.Evaluate(drotest.Normals(rng, d, 0.01))
		formed, m, lifted := NewFactored(p, false, c.Evaluator), NewSketched(p, false, c.Evaluator), NewSketched(p, true, c.Evaluator)
		for _, h := range []interface {
			Update(y, slope []float64) error
		}{formed, m, lifted} {
			if err := h.Update(c.Y, c.Slope); err != nil {
				t.Fatal(err)
			}
		}
		inverse := mat.NewSymDense(d, nil)
		for i := range d {
			v := make([]float64, d)
			v[i] = 1
			m.Solve(v)
			for j := range i {
				if a := inverse.At(j, i); !(math.Abs(a-v[j]) <= 1e-9*math.Sqrt(inverse.At(j, j)*v[i])) {
					t.Errorf("%#v: not symmetric: %v and %v", dual, a, v[j])
				}
			}
			for j := i; j < d; j++ {
				inverse.SetSym(i, j, v[j])
			}
		}
		condition := func(inverse mat.Symmetric) (least, most float64) { // of the Hessian in a metric
			var root mat.Cholesky
			if !root.Factorize(inverse) {
				t.Fatal("the metric is not positive definite")
			}
			var u mat.TriDense
			root.UTo(&u)
			var half, whole mat.Dense
			half.Mul(&u, formed.Matrix)
			whole.Mul(&half, u.T())
			sym := mat.NewSymDense(d, nil)
			for i := range d {
				for j := i; j < d; j++ {
					sym.SetSym(i, j, whole.At(i, j))
				}
			}
			var eigen mat.EigenSym
			if !eigen.Factorize(sym, false) {
				t.Fatal("no eigenvalues")
			}
			v := eigen.Values(nil)
			return v[0], v[d-1]
		}
		least, most := condition(inverse)
		if most > 1.6 || most < 0.5 {
			t.Errorf("%#v: the Hessian is up to %v times the sketch", dual, most)
		}
		diagonal := mat.NewSymDense(d, nil)
		for i := range d {
			diagonal.SetSym(i, i, 1/formed.Matrix.At(i, i))
		}
		if low, high := condition(diagonal); !(most/least < 0.2*high/low) {
			t.Errorf("%#v: a condition of %v, %v in the diagonal", dual, most/least, high/low)
		}
		for _, lambda := range []float64{0, 0.7} {
			m.Redamp(lambda)
			lifted.Redamp(lambda)
			v := drotest.Normals(rng, d+1, 1)
			want := append([]float64(nil), v...) // (M⁻¹(g + cross·γ/Σc), (γ + ⟨cross, x⟩)/Σc)
			for i := range d {
				want[i] += lifted.cross[i] * v[d] / lifted.total
			}
			m.Solve(want[:d])
			for i := range d {
				want[d] += lifted.cross[i] * want[i]
			}
			want[d] /= lifted.total
			lifted.Solve(v)
			for i := range v {
				if !(math.Abs(v[i]-want[i]) <= 1e-9*(1+math.Abs(want[i]))) {
					t.Errorf("%#v, λ = %v: entry %d of the solution is %v, want %v", dual, lambda, i, v[i], want[i])
				}
			}
		}
	}
}
