package newton

import (
	"errors"
	"math"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
	"gonum.org/v1/gonum/mat"
)

// MaxColumns is the maximum number of parameters for which a d×d matrix is formed.
const MaxColumns = 2000

// A Factored is the Hessian of the objective at one point, factorised. With weights y and response c, the Hessian
// of the τ-lift in (x, τ) is
//
//	Σ_j y_j∇²f_j + Σ_j c_j(∇f_j, −1)(∇f_j, −1)ᵀ + ∇²φ,
//
// and that of P in x is its Schur complement (math: §9). Practical methods take their primal steps in this
// geometry, in which the problem is well conditioned regardless of the scaling of the columns.
type Factored struct {
	weights
	ridge  []float64 // diagonal of ∇²φ
	N, D   int
	lifted bool // over (x, τ); otherwise over x

	Lambda float64   // damping: λ·diag(scale) is added to the Hessian when it is factorised
	scale  []float64 // mean squares of the columns; nil if not yet needed
	Full   []float64 // diagonal before the Schur complement is computed
	least  []float64 // bounds of the part of the diagonal that may be due to rounding

	grams  *gram
	Matrix *mat.SymDense // the Hessian
	damped *mat.SymDense // the matrix that is factorised: H + λ·diag(scale)
	factor cholesky
}

// addDiagonal adds a diagonal matrix to h.
func addDiagonal(h *mat.SymDense, diagonal []float64) {
	for i, v := range diagonal {
		h.SetSym(i, i, h.At(i, i)+v)
	}
}

// NewFactored returns a Hessian that has not been formed, for a problem that has one (IsFormable).
func NewFactored(p *saddle.Problem, lifted bool, e *engine.Evaluator) *Factored {
	n, d, _ := p.Oracle.Dims()
	m := &Factored{weights: newWeights(p, e), grams: newGram(e.Rows, n, d), N: n, D: d, lifted: lifted}
	m.ridge = engine.RidgeOf(p.Primal, d)
	size := d
	if lifted {
		size++
	}
	m.Matrix, m.damped = mat.NewSymDense(size, nil), mat.NewSymDense(size, nil)
	m.Full, m.least = make([]float64, size), make([]float64, size)
	return m
}

// Damping returns λ.
func (m *Factored) Damping() float64 { return m.Lambda }

// Cost returns the cost of forming the Gram matrix in passes: relative to one evaluation of the losses and the
// gradient.
func (m *Factored) Cost() float64 {
	pass, gram := engine.WorkOf(m.evaluator.Problem.Oracle)
	if m.Samples > 0 {
		share := float64(m.Samples) / float64(m.N)
		return share * (1 + gram/pass)
	}
	return gram / (1.3 * pass)
}

// Redamp changes the damping of the current factor.
func (m *Factored) Redamp(lambda float64) error {
	m.addDamping(lambda)
	return m.factorise()
}

// addDamping sets the damping λ of the next factor. When λ is positive for the first time, it computes the mean
// squares of the columns, which takes one pass.
func (m *Factored) addDamping(lambda float64) {
	if lambda > 0 && m.scale == nil {
		m.measureColumns()
	}
	m.Lambda = lambda
}

// measureColumns computes the mean squares of the columns. It takes one pass.
func (m *Factored) measureColumns() {
	m.evaluator.Spend(1)
	kept := mat.NewSymDense(m.Matrix.SymmetricDim(), nil)
	kept.CopySym(m.Matrix)
	m.allocate()
	lo, hi := m.evaluator.Rows.LocalRange(m.N)
	engine.Fill(m.weight[lo:hi], 1/float64(m.N)) // the next update uses other weights
	m.grams.ComputeTo(m.Matrix, m.oracle, m.weight)
	m.scale = make([]float64, m.D)
	for i := range m.scale {
		if m.scale[i] = m.Matrix.At(i, i); m.scale[i] == 0 {
			m.scale[i] = 1 // a column that contains only zeros
		}
	}
	m.Matrix.CopySym(kept)
}

// Update forms and factorises the Hessian at the point with best response r and the given slopes. It takes one pass
// over the rows or, if a sample is used, the sample's share of a pass. It returns an error if an entry overflows.
func (m *Factored) Update(r *engine.Response, slope []float64) error {
	m.grams.part.Clear()
	m.weights.update(r, slope, m.grams.count, func(s, lo, hi int) {
		m.oracle.AddGramTo(m.grams.part.Shard(s), m.weight, lo, hi)
	})
	m.grams.sumTo(m.Matrix)
	for i := range m.D {
		m.Full[i] = m.Matrix.At(i, i)
	}
	if !m.lifted && m.total > 0 {
		for i := range m.D {
			part := m.cross[i] / m.total
			for j := i; j < m.D; j++ {
				m.Matrix.SetSym(i, j, m.Matrix.At(i, j)-part*m.cross[j])
			}
		}
	}
	m.coupling.addTo(m.D, m.Matrix, m.Full)
	addDiagonal(m.Matrix, m.ridge) // added last, since other terms may vanish
	if m.lifted {
		for i := range m.D {
			m.Matrix.SetSym(i, m.D, -m.cross[i])
		}
		m.Matrix.SetSym(m.D, m.D, m.total)
		m.Full[m.D] = m.total
	}
	return m.factorise()
}

// factorise factorises the damped Hessian.
func (m *Factored) factorise() error {
	const rounding = 1e-14 // relative rounding error of the diagonal before the Schur complement is computed
	m.damped.CopySym(m.Matrix)
	for i := range m.least {
		m.least[i] = rounding * m.Full[i]
		if i < m.D && m.Lambda > 0 {
			m.damped.SetSym(i, i, m.damped.At(i, i)+m.Lambda*m.scale[i])
			m.least[i] += m.Lambda * m.scale[i]
		}
	}
	bad, err := m.factor.Factorise(m.damped, m.least)
	if bad >= 0 {
		return m.overflowError(bad)
	}
	return err
}

// Solve replaces v by H⁻¹v, or by NaN if no Hessian has been factorised.
func (m *Factored) Solve(v []float64) { m.factor.Solve(v) }

// CheckOverflow returns the OverflowError for the first column whose squares overflow, or nil if there is none or
// the oracle is not a LinearModel.
func CheckOverflow(o saddle.Oracle) error {
	products, ok := o.(engine.LinearModel)
	if !ok {
		return nil
	}
	n, d, _ := o.Dims()
	squares, ones := make([]float64, d), make([]float64, n)
	rows := engine.RowsOf(o)
	lo, hi := rows.LocalRange(n)
	engine.Fill(ones[lo:hi], 1)
	products.AddSquaresTo(squares, ones, lo, hi)
	rows.Comm().Max(squares)
	for i, v := range squares {
		if math.IsInf(v, 1) || math.IsNaN(v) {
			return &saddle.OverflowError{Coordinate: i}
		}
	}
	return nil
}

var (
	// ErrSteep reports that 1/ν overflows in the second derivatives.
	ErrSteep = errors.New("dro: ν is so small that second derivatives overflow double precision: use a larger ν, or ν = 0")
	// ErrIndefinite reports that rounding has left no usable Hessian.
	ErrIndefinite = errors.New("dro: the Hessian is not positive definite, even allowing for rounding")
)

// The damping λ of a Hessian after the first failure, and the λ below which damping is removed.
const FirstDamping, LeastDamping = 1e-3, 1e-6

// CopyFrom copies the Hessian of a run on a similar problem, without its damping, and factorises it. Neither may be
// lifted.
func (m *Factored) CopyFrom(from *Factored) error {
	m.Matrix.CopySym(from.Matrix)
	copy(m.Full, from.Full)
	return m.Redamp(0)
}
