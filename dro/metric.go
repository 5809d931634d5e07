package dro

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// maxMetric is the largest number of parameters whose d×d matrix is formed.
const maxMetric = 2000

// A metric is the Hessian of the objective at one point, factorised. With
// weights y and response c, the Hessian of the τ-lift in (x, τ) is
//
//	Σ_j y_j∇²f_j + Σ_j c_j(∇f_j, −1)(∇f_j, −1)ᵀ + ∇²φ,
//
// and that of P in x its Schur complement (math: §9). It is the geometry in
// which the practical methods take their primal steps: there the problem is well
// conditioned whatever the scaling of the columns.
type metric struct {
	second
	ridge  []float64 // the diagonal of ∇²φ
	n, d   int
	lifted bool // over (x, τ), else over x

	lambda float64   // damping: λ·diag(scale) is added to the Hessian when it is factorised
	scale  []float64 // mean squares of the columns; nil until needed
	full   []float64 // diagonal before the Schur complement is taken
	unit   []float64 // powers of two, D: what is factorised is D(H + λ·diag(scale))D

	grams  *grams
	h      *mat.SymDense // the Hessian
	damped *mat.SymDense // what was factorised
	store  *mat.TriDense // its Cholesky factor
	factor blas64.Triangular
	chol   mat.Cholesky
	dir    []float64
}

// addDiagonal adds a diagonal to the first rows of h.
func addDiagonal(h *mat.SymDense, diagonal []float64) {
	for i, v := range diagonal {
		h.SetSym(i, i, h.At(i, i)+v)
	}
}

// practicable reports that the Hessian of P exists and can be formed, and with
// it that the practical schedule applies.
func practicable(p *Problem) bool {
	_, d, _ := p.Oracle.Dims()
	return d <= maxMetric && smoothResponse(p)
}

// newMetric returns a metric for a practicable problem.
func newMetric(p *Problem, lifted bool, e *evaluator) *metric {
	n, d, _ := p.Oracle.Dims()
	m := &metric{second: newSecond(p, e), grams: newGrams(n, d), n: n, d: d, lifted: lifted}
	m.ridge = ridgeOf(p.Primal, d)
	size := d
	if lifted {
		size++
	}
	m.h, m.damped = mat.NewSymDense(size, nil), mat.NewSymDense(size, nil)
	m.store = mat.NewTriDense(size, mat.Upper, nil)
	m.dir, m.full, m.unit = make([]float64, size), make([]float64, size), make([]float64, size)
	return m
}

func (m *metric) damping() float64 { return m.lambda }

// cost compares the Gram matrix with losses and a gradient, of which the gradient
// finds the rows in the cache.
func (m *metric) cost() float64 {
	pass, gram := workOf(m.e.p.Oracle)
	if m.sample > 0 {
		share := float64(m.sample) / float64(m.n)
		return share * (1 + gram/pass)
	}
	return gram / (1.3 * pass)
}

// redamp changes the damping of the factor that is in use.
func (m *metric) redamp(lambda float64) error {
	m.damp(lambda)
	return m.factorise()
}

// damp sets the damping λ of the next factor. The first time that it is positive
// it computes the mean squares of the columns: one pass.
func (m *metric) damp(lambda float64) {
	if m.lambda = lambda; lambda == 0 || m.scale != nil {
		return
	}
	m.e.passes++
	kept := mat.NewSymDense(m.h.SymmetricDim(), nil)
	kept.CopySym(m.h)
	equal := make([]float64, m.n)
	fill(equal, 1/float64(m.n))
	m.grams.gram(m.h, m.oracle, equal)
	m.scale = make([]float64, m.d)
	for i := range m.scale {
		if m.scale[i] = m.h.At(i, i); m.scale[i] == 0 {
			m.scale[i] = 1 // a column of zeros
		}
	}
	m.h.CopySym(kept)
}

// update forms and factorises the Hessian at the point with best response y and
// these slopes: one pass, or the sample's share of one. Errors are those of entries
// that overflow.
func (m *metric) update(y, slope []float64) error {
	m.grams.part.Clear()
	m.second.update(y, slope, m.grams.count, func(s, lo, hi int) { m.oracle.AddGramTo(m.grams.part.Of(s), m.weight, lo, hi) })
	m.grams.sumTo(m.h)
	for i := range m.d {
		m.full[i] = m.h.At(i, i)
	}
	if !m.lifted && m.total > 0 {
		for i := range m.d {
			part := m.cross[i] / m.total
			for j := i; j < m.d; j++ {
				m.h.SetSym(i, j, m.h.At(i, j)-part*m.cross[j])
			}
		}
	}
	m.coupling.addTo(m.d, func(i, j int, v float64) { m.h.SetSym(i, j, m.h.At(i, j)+v) })
	addDiagonal(m.h, m.ridge) // last, for it may be all that is left
	if m.lifted {
		for i := range m.d {
			m.h.SetSym(i, m.d, -m.cross[i])
		}
		m.h.SetSym(m.d, m.d, m.total)
		m.full[m.d] = m.total
	}
	return m.factorise()
}

// factorise computes the Cholesky factor of the damped Hessian in the scale of its
// diagonal, so that columns of any unit are alike, adding to the diagonal what rounding
// took from a matrix that is singular or nearly so.
func (m *metric) factorise() error {
	const (
		least  = 1e-14 // of the diagonal, the first addition
		most   = 1e6   // more than all rows of any matrix of 2000 columns and this scale
		larger = 100

		rounding = 1e-14 // of the diagonal before the Schur complement, what may be left of it
	)
	m.damped.CopySym(m.h)
	size := m.damped.SymmetricDim()
	for i := range size {
		v := max(m.damped.At(i, i), rounding*m.full[i])
		if i < m.d && m.lambda > 0 {
			m.damped.SetSym(i, i, m.damped.At(i, i)+m.lambda*m.scale[i])
			v += m.lambda * m.scale[i]
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return m.overflow(i)
		}
		if m.unit[i] = 1; v > 0 {
			m.unit[i] = math.Ldexp(1, -(math.Ilogb(v) >> 1))
		}
	}
	for i := range size {
		for j := i; j < size; j++ {
			m.damped.SetSym(i, j, m.damped.At(i, j)*m.unit[i]*m.unit[j])
		}
	}
	for jitter := least; !m.chol.Factorize(m.damped); jitter *= larger {
		if jitter > most {
			return errNaN
		}
		for i := range size {
			m.damped.SetSym(i, i, m.damped.At(i, i)+jitter)
		}
	}
	m.chol.UTo(m.store)
	m.factor = m.store.RawTriangular()
	return nil
}

// solve overwrites v by H⁻¹v.
func (m *metric) solve(v []float64) {
	for i, a := range m.unit {
		v[i] *= a
	}
	b := blas64.Vector{N: len(v), Inc: 1, Data: v}
	blas64.Trsv(blas.Trans, m.factor, b)
	blas64.Trsv(blas.NoTrans, m.factor, b)
	for i, a := range m.unit {
		v[i] *= a
	}
}

// An OverflowError says that the squares of a column of the design, as weighted in a
// Hessian, are beyond the range of double precision: the column is to be divided by its
// scale.
type OverflowError struct {
	Coordinate int // of x
}

// Error implements error.
func (e *OverflowError) Error() string {
	return fmt.Sprintf("dro: the squares of coordinate %d of the samples overflow double precision: divide that column by its scale", e.Coordinate)
}

// overflowing returns the OverflowError of the first column that has one, nil if none
// has, or the oracle cannot tell.
func overflowing(o Oracle) error {
	products, ok := ability[Products](o)
	if !ok {
		return nil
	}
	n, d, _ := o.Dims()
	squares, ones := make([]float64, d), make([]float64, n)
	fill(ones, 1)
	products.AddSquaresTo(squares, ones, 0, n)
	for i, v := range squares {
		if math.IsInf(v, 1) || math.IsNaN(v) {
			return &OverflowError{Coordinate: i}
		}
	}
	return nil
}

var (
	errSteep = errors.New("dro: ν is so small that second derivatives overflow double precision: take a larger ν, or ν = 0")
	errNaN   = errors.New("dro: the second derivatives are not numbers")
)
