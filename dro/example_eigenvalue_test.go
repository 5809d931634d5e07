package dro_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
	"gonum.org/v1/gonum/mat"
)

// A density is the dual set of ex. eigenvalue: the m×m positive semi-definite
// matrices of trace 1, row-major, without a penalty, in the geometry of the von
// Neumann entropy. Its coordinates are those of the logarithm of the matrix, up to
// a multiple of the identity.
type density struct{ m int }

// eigen returns the eigenvalues, ascending, and vectors of a symmetric matrix.
func (d density) eigen(f []float64) ([]float64, *mat.Dense) {
	s := mat.NewSymDense(d.m, nil)
	for i := range d.m {
		for j := range d.m {
			s.SetSym(i, j, (f[i*d.m+j]+f[j*d.m+i])/2)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		panic("no eigenvalues")
	}
	var v mat.Dense
	e.VectorsTo(&v)
	return e.Values(nil), &v
}

// spectrum stores V diag(w) Vᵀ.
func (d density) spectrum(y, w []float64, v *mat.Dense) {
	for i := range d.m {
		for j := range d.m {
			s := 0.0
			for k, a := range w {
				s += a * v.At(i, k) * v.At(j, k)
			}
			y[i*d.m+j] = s
		}
	}
}

func (density) Modulus() float64 { return 0 }

func (density) Value([]float64) float64 { return 0 }

// BestResponseTo implements dro.Dual: the projector on the last eigenvector.
func (d density) BestResponseTo(y, f []float64) (risk, tau float64) {
	w, v := d.eigen(f)
	risk = w[d.m-1]
	clear(w)
	w[d.m-1] = 1
	d.spectrum(y, w, v)
	return risk, risk
}

// StartingWeights implements dro.StartedDual: the identity over m.
func (d density) StartingWeights(y []float64) {
	clear(y)
	for i := range d.m {
		y[i*d.m+i] = 1 / float64(d.m)
	}
}

// CoordsTo implements saddle.Mirror: the logarithm.
func (d density) CoordsTo(u, y []float64) {
	w, v := d.eigen(y)
	for i, a := range w {
		w[i] = math.Log(math.Max(a, 1e-300))
	}
	d.spectrum(u, w, v)
}

// ProxTo implements saddle.Mirror: the exponential of a mean, normalised.
func (d density) ProxTo(u, y, f, prev, hist []float64, a, e, w float64) {
	for i := range u {
		u[i] = a/e*f[i] + (1-w)*prev[i] + w*hist[i]
	}
	values, v := d.eigen(u)
	total, top := 0.0, values[d.m-1]
	for i, a := range values {
		values[i] = math.Exp(a - top)
		total += values[i]
	}
	for i := range values {
		values[i] /= total
	}
	d.spectrum(y, values, v)
}

// The constants are measured in the Frobenius norm, below the trace norm.
func (density) NormScale(int) float64   { return 1 }
func (density) WeightCap(int) float64   { return 1 }
func (density) TotalWeight(int) float64 { return 1 }
func (density) SumNorm() bool           { return false }

// The mixture x of two matrices with the smallest largest eigenvalue:
// λ_max = 1 + √2·|x₁ − x₂| for these, least at x = (½, ½).
func Example_maximalEigenvalue() {
	a1 := []float64{2, 1, 1, 0}
	a2 := []float64{0, -1, -1, 2}
	entries := make([]float64, 0, 8)
	for k := range a1 { // row k: entry k of every matrix
		entries = append(entries, a1[k], a2[k])
	}
	oracle, err := dro.NewBilinear(4, 2, entries, nil, true)
	if err != nil {
		log.Fatal(err)
	}
	problem := &dro.Problem{Oracle: oracle, Dual: density{2}, Primal: dro.Entropy{}}
	res, err := dro.Solve(context.Background(), problem, &dro.Options{
		Method: primaldual.FullVector{}, X0: []float64{0.9, 0.1}, RelativeGap: 1e-4,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: λ_max = %.3f at x = %.2f\n", res.Status, res.Objective, res.X)
	// Output:
	// certified: λ_max = 1.000 at x = [0.50 0.50]
}
