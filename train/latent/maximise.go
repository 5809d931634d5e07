package latent

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// maximise moves x to the optimum of the penalised likelihood under weights w, least
// squares, or by a safeguarded Newton step of the logistic. It reports whether the
// arithmetic held.
func (f *fitter) maximise(x, w []float64) bool {
	if !f.Binary {
		gradient := make([]float64, f.d)
		f.X.AddRowsTo(gradient, w, f.Target, 0, f.n)
		step, ok := f.solve(w, gradient)
		copy(x, step)
		return ok
	}
	return f.logistic(x, w, nil, nil)
}

// logistic moves x by a safeguarded Newton step of the penalised likelihood of two classes
// under weights w, and of the part that is tied to it under weights of its own.
func (f *fitter) logistic(x, w, part []float64, t *tie) bool {
	value := f.penalty(x)
	one, slope, curvature := make([]float64, f.n), make([]float64, f.n), make([]float64, f.n)
	f.X.MarginsTo(f.margin, x, 0, f.n)
	for j, m := range f.margin {
		y := f.Target[j]
		loss, q := wrongly(y * m)
		value += w[j] * loss
		one[j], slope[j], curvature[j] = 1, w[j]*q*y, w[j]*q*(1-q)
		if t != nil {
			loss, q := wrongly(y * (t.scale*m + t.shift))
			value += part[j] * loss
			slope[j] += part[j] * t.scale * q * y
			curvature[j] += part[j] * t.scale * t.scale * q * (1 - q)
		}
	}
	gradient := make([]float64, f.d)
	f.X.AddRowsTo(gradient, one, slope, 0, f.n)
	for k := range f.penalties() {
		gradient[k] -= ridge * x[k]
	}
	step, ok := f.solve(curvature, gradient)
	if !ok {
		return false
	}
	next := make([]float64, f.d)
	for at := 1.0; at > 1e-4; at /= 2 {
		for k := range next {
			next[k] = x[k] + at*step[k]
		}
		if v := f.penalised(next, w, part, t); v <= value {
			copy(x, next)
			value = v
			break
		}
	}
	return !math.IsNaN(value) && !math.IsInf(value, 0)
}

// wrongly is the logistic loss of a margin times the class, and the probability of the wrong class.
func wrongly(m float64) (loss, q float64) {
	e := math.Exp(-math.Abs(m))
	if loss, q = math.Log1p(e), e/(1+e); m < 0 {
		loss, q = loss-m, 1/(1+e)
	}
	return loss, q
}

// penalties is how many coordinates, the first ones, are penalised.
func (f *fitter) penalties() int {
	if f.Free {
		return f.d - 1
	}
	return f.d
}

// penalised is the negative log-likelihood of two classes with the ridge, of the part that is
// tied to them too.
func (f *fitter) penalised(x, w, part []float64, t *tie) float64 {
	f.X.MarginsTo(f.work, x, 0, f.n)
	sum := 0.0
	for j, m := range f.work {
		sum += w[j] * softplus(-f.Target[j]*m)
		if t != nil {
			sum += part[j] * softplus(-f.Target[j]*(t.scale*m+t.shift))
		}
	}
	return sum + f.penalty(x)
}

// penalty is the ridge of a law.
func (f *fitter) penalty(x []float64) float64 {
	sum := 0.0
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
