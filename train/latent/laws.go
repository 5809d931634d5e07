package latent

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/drotrain/drotrain/design"
)

// Posterior returns, for every row, the probability that it follows Other, given its
// features and its target, and the logarithm of the density of the target under the
// mixture.
func (l *Laws) Posterior(x design.Matrix, target []float64) (p, density []float64) {
	p, density = make([]float64, len(target)), make([]float64, len(target))
	l.posterior(p, density, x, target)
	return p, density
}

func (l *Laws) posterior(p, density []float64, x design.Matrix, target []float64) {
	n := len(target)
	x.MarginsTo(p, l.Common, 0, n)
	x.MarginsTo(density, l.Other, 0, n)
	log := func(law int, margin, y float64) float64 {
		if l.Noise == nil {
			return -softplus(-y * margin)
		}
		z := (y - margin) / l.Noise[law]
		return -z*z/2 - math.Log(l.Noise[law]) - 0.5*math.Log(2*math.Pi)
	}
	logA, logB := math.Log(1-l.Share), math.Log(l.Share)
	for j, y := range target {
		a, b := logA+log(0, p[j], y), logB+log(1, density[j], y)
		top := max(a, b)
		if l.Share == 0 {
			p[j], density[j] = 0, a
			continue
		}
		ea, eb := math.Exp(a-top), math.Exp(b-top)
		p[j], density[j] = eb/(ea+eb), top+math.Log(ea+eb)
	}
}

func softplus(m float64) float64 { return max(m, 0) + math.Log1p(math.Exp(-math.Abs(m))) }

// maximise moves x to the optimum of the penalised likelihood under weights w, least
// squares, or by two safeguarded Newton steps of the logistic. It reports whether the
// arithmetic held.
func (f *fitter) maximise(x, w []float64) bool {
	if !f.Binary {
		gradient := make([]float64, f.d)
		f.X.AddRowsTo(gradient, w, f.Target, 0, f.n)
		step, ok := f.solve(w, gradient)
		copy(x, step)
		return ok
	}
	value := f.penalised(x, w)
	slope, curvature := make([]float64, f.n), make([]float64, f.n)
	for range 2 {
		f.X.MarginsTo(f.margin, x, 0, f.n)
		for j, m := range f.margin {
			q := 1 / (1 + math.Exp(f.Target[j]*m)) // of the wrong class
			slope[j], curvature[j] = q*f.Target[j], w[j]*q*(1-q)
		}
		gradient := make([]float64, f.d)
		f.X.AddRowsTo(gradient, w, slope, 0, f.n)
		for k := range f.penalties() {
			gradient[k] -= ridge * x[k]
		}
		step, ok := f.solve(curvature, gradient)
		if !ok {
			return false
		}
		next, fell := make([]float64, f.d), 0.0
		for t := 1.0; t > 1e-4; t /= 2 {
			for k := range next {
				next[k] = x[k] + t*step[k]
			}
			if v := f.penalised(next, w); v <= value {
				copy(x, next)
				fell, value = value-v, v
				break
			}
		}
		if fell <= 1e-10*math.Abs(value) {
			break
		}
	}
	return !math.IsNaN(value) && !math.IsInf(value, 0)
}

// penalties is how many coordinates, the first ones, are penalised.
func (f *fitter) penalties() int {
	if f.Free {
		return f.d - 1
	}
	return f.d
}

// penalised is the negative log-likelihood of two classes with the ridge.
func (f *fitter) penalised(x, w []float64) float64 {
	f.X.MarginsTo(f.work, x, 0, f.n)
	sum := 0.0
	for j, m := range f.work {
		sum += w[j] * softplus(-f.Target[j]*m)
	}
	for _, v := range x[:f.penalties()] {
		sum += ridge * v * v / 2
	}
	return sum
}

// solve returns (ZᵀWZ + ridge)⁻¹g.
func (f *fitter) solve(w, g []float64) ([]float64, bool) {
	gram := make([]float64, f.d*f.d)
	f.X.AddGramTo(gram, w, 0, f.n)
	trace := 0.0
	for k := range f.d {
		trace += gram[k*f.d+k]
	}
	for k := range f.d {
		gram[k*f.d+k] += 1e-10*trace + 1e-300
		if k < f.penalties() {
			gram[k*f.d+k] += ridge
		}
	}
	var h mat.SymDense
	h.SetRawSymmetric(blas64.Symmetric{N: f.d, Stride: f.d, Data: gram, Uplo: blas.Upper})
	var c mat.Cholesky
	if !c.Factorize(&h) {
		return nil, false
	}
	out := mat.NewVecDense(f.d, nil)
	if err := c.SolveVecTo(out, mat.NewVecDense(f.d, g)); err != nil {
		if _, bad := err.(mat.Condition); !bad {
			return nil, false
		}
	}
	for _, v := range out.RawVector().Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, false
		}
	}
	return out.RawVector().Data, true
}
