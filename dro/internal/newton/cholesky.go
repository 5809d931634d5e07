package newton

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A cholesky is the Cholesky factor of a matrix A that is positive definite up to rounding. It factorises
// DAD with a unit diagonal, so that the units of columns do not matter, and adds to the diagonal what
// rounding took from a matrix that is singular or nearly so.
type cholesky struct {
	unit   []float64 // powers of two, D
	upper  *mat.TriDense
	factor blas64.Triangular
	chol   mat.Cholesky
}

// Factorise factorises a, which it overwrites. least[i] is a lower limit for the scale of diagonal entry i: rounding
// alone may leave that much of it. nil means no limits. bad is the index of a diagonal entry that is not finite, −1 if
// all are finite. After an error there is no factor; the previous one is lost too.
func (c *cholesky) Factorise(a *mat.SymDense, least []float64) (bad int, err error) {
	const (
		firstJitter = 1e-14 // first addition, relative to the diagonal
		maxJitter   = 1e6   // more than the row sums of any scaled matrix of 2000 columns
		growth      = 100   // growth of the addition from trial to trial
	)
	size := a.SymmetricDim()
	c.factor = blas64.Triangular{}
	if c.upper == nil {
		c.unit, c.upper = make([]float64, size), mat.NewTriDense(size, mat.Upper, nil)
	}
	for i := range size {
		v := a.At(i, i)
		if least != nil {
			v = max(v, least[i])
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return i, ErrIndefinite
		}
		if c.unit[i] = 1; v > 0 {
			c.unit[i] = math.Ldexp(1, -(math.Ilogb(v) >> 1))
		}
	}
	for i := range size {
		for j := i; j < size; j++ {
			a.SetSym(i, j, a.At(i, j)*c.unit[i]*c.unit[j])
		}
	}
	for jitter := firstJitter; !c.chol.Factorize(a); jitter *= growth {
		if jitter > maxJitter {
			return -1, ErrIndefinite
		}
		for i := range size {
			a.SetSym(i, i, a.At(i, i)+jitter)
		}
	}
	c.chol.UTo(c.upper)
	c.factor = c.upper.RawTriangular()
	return -1, nil
}

// Solve overwrites v with A⁻¹v, or with NaN if no factor exists yet.
func (c *cholesky) Solve(v []float64) {
	if c.factor.N == 0 {
		for i := range v {
			v[i] = math.NaN()
		}
		return
	}
	for i, a := range c.unit {
		v[i] *= a
	}
	b := blas64.Vector{N: len(v), Inc: 1, Data: v}
	blas64.Trsv(blas.Trans, c.factor, b)
	blas64.Trsv(blas.NoTrans, c.factor, b)
	for i, a := range c.unit {
		v[i] *= a
	}
}
