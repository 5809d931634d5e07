package newton

import (
	"math"

	"github.com/drotrain/drotrain/internal/kernel"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A cholesky is the Cholesky factor of a matrix A that is positive definite up to rounding. It factorises DAD,
// whose diagonal is 1, so that the units of columns do not matter. If the matrix is singular or nearly so, it adds
// to the diagonal to compensate for rounding errors.
type cholesky struct {
	unit   []float64 // powers of two, D
	upper  *mat.TriDense
	factor blas64.Triangular
}

// Factorise factorises a, which it overwrites. least[i] is a lower limit for the scale of diagonal entry i, since
// rounding alone may cause an entry of this size; nil means no limits. bad is the index of a diagonal
// entry that is not finite, or −1 if all are finite. After an error there is no factor, not even the previous one.
func (c *cholesky) Factorise(a *mat.SymDense, least []float64) (bad int, err error) {
	const (
		firstJitter = 1e-14 // first number added, relative to the diagonal
		maxJitter   = 1e6   // larger than the row sums of any scaled matrix with 2000 columns
		growth      = 100   // factor by which the added number grows from trial to trial
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
	factor := c.upper.RawTriangular()
	for jitter := firstJitter; ; jitter *= growth {
		if copyUpper(factor.Data, a); kernel.Cholesky(factor.Data, size) {
			break
		}
		if jitter > maxJitter {
			return -1, ErrIndefinite
		}
		for i := range size {
			a.SetSym(i, i, a.At(i, i)+jitter)
		}
	}
	c.factor = factor
	return -1, nil
}

// copyUpper copies the upper triangle of a symmetric matrix to a row-major matrix of the same size.
func copyUpper(dst []float64, a *mat.SymDense) {
	d, from := a.SymmetricDim(), a.RawSymmetric()
	for i := range d {
		copy(dst[i*d+i:(i+1)*d], from.Data[i*from.Stride+i:i*from.Stride+d])
	}
}

// Solve replaces v by A⁻¹v, or by NaN if there is no factor.
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
