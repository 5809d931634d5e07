package latent

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

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
	solve := cholesky(gram, f.d)
	if solve == nil {
		return nil, false
	}
	out := solve(g)
	return out, out != nil
}

// cholesky factorises the upper triangle of a d×d matrix, and returns what solves with it,
// nil where a solution is not finite; nil where the matrix is not positive definite.
func cholesky(a []float64, d int) func([]float64) []float64 {
	var h mat.SymDense
	h.SetRawSymmetric(blas64.Symmetric{N: d, Stride: d, Data: a, Uplo: blas.Upper})
	var c mat.Cholesky
	if !c.Factorize(&h) {
		return nil
	}
	return func(g []float64) []float64 {
		out := mat.NewVecDense(d, nil)
		if err := c.SolveVecTo(out, mat.NewVecDense(d, g)); err != nil {
			if _, bad := err.(mat.Condition); !bad {
				return nil
			}
		}
		for _, v := range out.RawVector().Data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil
			}
		}
		return out.RawVector().Data
	}
}
