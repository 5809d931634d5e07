package primaldual

import (
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/losses"
	"gonum.org/v1/gonum/mat"
)

// spectral is the largest singular value of diag(w)·Z over the rows [lo, hi),
// with a column of −1 if lifted.
func spectral(s drotest.Sample, w []float64, lo, hi int, lifted bool) float64 {
	d := s.D
	if lifted {
		d++
	}
	m := mat.NewDense(hi-lo, d, nil)
	for j := lo; j < hi; j++ {
		for i := range s.D {
			m.Set(j-lo, i, w[j]*s.Design[j*s.D+i])
		}
		if lifted {
			m.Set(j-lo, s.D, -1)
		}
	}
	var svd mat.SVD
	if !svd.Factorize(m, mat.SVDNone) {
		panic("no singular values")
	}
	return svd.Values(nil)[0]
}

// G_J and G are upper bounds of the Jacobian's norms, and for a linear predictor
// not far above: within 3 % of the singular value where a dense one is computed.
func TestConstants_AgainstSVD(t *testing.T) {
	rng := drotest.RngOf(71)
	for trial := range 30 {
		n, d := 20+rng.IntN(200), 2+rng.IntN(40)
		s := drotest.NewSample(rng, n, d, false)
		if trial%3 == 1 { // a correlated design: one large singular value
			for j := range n {
				common := rng.NormFloat64()
				for i := range d {
					s.Design[j*d+i] += 3 * common
				}
			}
		}
		if trial%3 == 2 { // rows of very different norms
			for j := range n {
				for i := range d {
					s.Design[j*d+i] *= math.Pow(10, float64(j%5)-2)
				}
			}
		}
		one := make([]float64, n)
		engine.Fill(one, 1)
		for _, l := range []losses.Loss{losses.Logistic{}, losses.Huber{Delta: 0.5}, losses.Squared{}} {
			o := s.Oracle(t, l)
			h, m, x, w := make([]float64, n), make([]float64, n), drotest.Normals(rng, d, 1), make([]float64, n)
			o.ConstantsTo(h, m, x)
			for j := range w {
				w[j] = h[j] / math.Sqrt(engine.Dot(s.Design[j*d:(j+1)*d], s.Design[j*d:(j+1)*d]))
			}
			b, _ := evenBlocks(n, 1+rng.IntN(n))
			for _, lifted := range []bool{false, true} {
				c := newConstants(o, side.Box{}, lifted, b, constantsOfSamples{h, m}, unlimited)
				for J := range b.count() {
					lo, hi := b.bounds(J)
					want := spectral(s, w, lo, hi, lifted)
					loose := 1.03
					if lifted {
						loose = math.Sqrt2 * 1.03 // the two parts are bounded one by one
					}
					if c.gs[J] < want*(1-1e-9) || c.gs[J] > loose*want {
						t.Fatalf("%s, n=%d d=%d block %d lifted %v: G = %v, singular value %v", l.Name(), n, d, J, lifted, c.gs[J], want)
					}
				}
				if want := spectral(s, w, 0, n, lifted); c.g < want*(1-1e-9) {
					t.Fatalf("%s, n=%d d=%d lifted %v: G = %v of the whole, singular value %v", l.Name(), n, d, lifted, c.g, want)
				}
			}
		}
	}
}

func TestConstants_NormsOfDuals(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(72), 12, 2, false)
	o := s.Oracle(t, losses.Logistic{})
	h, m := make([]float64, 12), make([]float64, 12)
	o.ConstantsTo(h, m, make([]float64, 2))
	b, _ := evenBlocks(12, 4)
	plain, kl, chi := newConstants(o, side.Box{Lower: 0, Upper: 1, Nu: 0}, false, b, constantsOfSamples{h, m}, unlimited),
		newConstants(o,
			side.Simplex{Nu: 1}, false, b, constantsOfSamples{h, m}, unlimited),
		newConstants(o, side.Simplex{Divergence: side.PearsonChi2, Nu: 1}, false, b, constantsOfSamples{h, m}, unlimited)
	if !drotest.IsNear(kl.g, drotest.MaxAbs(h), drotest.ClosedForm, 0) { // ‖Σ z_j∇f_j‖ ≤ max_j H_j·‖z‖₁
		t.Errorf("KL: G = %v, largest H %v", kl.g, drotest.MaxAbs(h))
	}
	if !drotest.IsNear(chi.g, plain.g/math.Sqrt(12), drotest.ClosedForm, 0) { // ‖·‖_Y = √n‖·‖₂
		t.Errorf("χ²: G = %v, in ‖·‖₂ %v", chi.g, plain.g)
	}
	if !drotest.IsNear(kl.l, drotest.MaxAbs(m), drotest.ClosedForm, 0) ||
		!drotest.IsNear(plain.l, engine.Sum(m), drotest.ClosedForm, 0) {
		t.Errorf("L = %v on the simplex, %v on the cube; M = %v", kl.l, plain.l, m)
	}
	for J := range b.count() {
		lo, hi := b.bounds(J)
		if !drotest.IsNear(kl.ls[J], drotest.MaxAbs(m[lo:hi]), drotest.ClosedForm, 0) ||
			!drotest.IsNear(plain.ls[J], engine.Sum(m[lo:hi]), drotest.ClosedForm, 0) {
			t.Errorf("block %d: L = %v, %v", J, kl.ls[J], plain.ls[J])
		}
		if !drotest.IsNear(kl.lambdas[J], math.Hypot(kl.gs[J], kl.ls[J]), drotest.ClosedForm, 0) {
			t.Errorf("block %d: λ = %v", J, kl.lambdas[J])
		}
	}
}

// sup Σ y_j m_j over 0 ≤ y ≤ limit, Σ y ≤ total: a linear programme, whose value
// is attained where all but one weight are 0 or limit.
func TestLargestWeightedSum_AgainstEnumeration(t *testing.T) {
	rng := drotest.RngOf(73)
	for range 300 {
		n := 1 + rng.IntN(8)
		m := make([]float64, n)
		for j := range m {
			m[j] = rng.ExpFloat64()
		}
		limit, total := rng.ExpFloat64(), rng.ExpFloat64()
		best := 0.0
		for set := range 1 << n {
			value, used := 0.0, 0.0
			for j := range n {
				if set>>j&1 == 1 {
					value += limit * m[j]
					used += limit
				}
			}
			if used > total {
				continue
			}
			best = max(best, value)
			for j := range n {
				if set>>j&1 == 0 {
					best = max(best, value+min(limit, total-used)*m[j])
				}
			}
		}
		if got := largestWeightedSum(m, limit, total); !drotest.IsNear(got, best, drotest.ClosedForm, best) {
			t.Fatalf("m = %v, limit %v, total %v: %v, by enumeration %v", m, limit, total, got, best)
		}
	}
	if got := largestWeightedSum([]float64{0, 0}, math.Inf(1), math.Inf(1)); got != 0 {
		t.Errorf("0·∞ = %v", got)
	}
	if got := largestWeightedSum([]float64{0, 1}, math.Inf(1), math.Inf(1)); !math.IsInf(got, 1) {
		t.Errorf("unbounded weights on a curved loss: %v", got)
	}
}

// unlimited is a budget that everything is within.
func unlimited(float64) {}

// What is proved about a largest eigenvalue is true, and not far from it.
func TestEigenvaluesBelow_Proof(t *testing.T) {
	rng := drotest.RngOf(74)
	for _, d := range []int{1, 5, 30} {
		a := mat.NewSymDense(d, nil)
		a.SymOuterK(1, mat.NewDense(d, 2*d, drotest.Normals(rng, 2*d*d, 1)))
		var values mat.EigenSym
		if !values.Factorize(a, false) {
			t.Fatal("no eigenvalues")
		}
		most := values.Values(nil)[d-1]
		if proveEigenvaluesBelow(a, most*(1-1e-9), d) || !proveEigenvaluesBelow(a, most*(1+1e-9), d) {
			t.Errorf("%d columns: the largest eigenvalue is %v", d, most)
		}
	}
}
