package hessian

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/saddle"
	"gonum.org/v1/gonum/floats"
)

// sketchDirections is the number of directions, at most, that a sketch of the Hessian is exact on.
const sketchDirections = 32

// A Sketched is about the Hessian of P at a point, where that has too many columns to be
// formed: its diagonal, corrected by the directions of a solve with the gradient by conjugate
// gradients as an Operator corrects its preconditioner, and all of that times r, about the
// largest eigenvalue of H in this metric, by power iteration. It is a geometry for steps, and enters no
// bound. Over (x, τ) it is the matrix that has it as its Schur complement.
type Sketched struct {
	*Operator
	lifted bool
	most   float64 // r
}

// NewSketched returns the sketch, still to be taken, of a problem that has a Hessian and
// products with its rows.
func NewSketched(p *saddle.Problem, lifted bool, e *saddle.Evaluator) *Sketched {
	return &Sketched{Operator: NewOperator(p, e), lifted: lifted, most: 1}
}

// Update takes it at the point with best response y and these slopes: two and a half passes,
// and one for each direction and for each power.
func (m *Sketched) Update(y, slope []float64) error {
	if err := m.Operator.Update(y, slope); err != nil {
		return err
	}
	const (
		powers = 4
		enough = 1e-6 // of the gradient: nothing is left to learn
	)
	d := len(m.diagonal)
	lambda := m.lambda
	m.lambda, m.known, m.products = 0, nil, nil
	defer func() { m.lambda = lambda }()
	v := make([]float64, d)
	m.evaluator.GradOf(v, y, slope)
	m.iterate(v, enough*floats.Norm(v, 2), sketchDirections)
	m.most = 1
	for i, h := range m.diagonal { // no direction is left out
		v[i] = (1 + 0.5*math.Sin(float64(i+1))) / math.Sqrt(h)
	}
	m.multiply(m.product, v)
	for range powers {
		before := floats.Dot(v, m.product)
		copy(m.residual, m.product)
		m.precondition()
		norm := floats.Norm(m.scaled, 2)
		if !(before > 0) || !(norm > 0) || math.IsInf(norm, 0) {
			break
		}
		floats.ScaleTo(v, 1/norm, m.scaled)
		m.multiply(m.product, v)
		if r := norm * math.Sqrt(floats.Dot(v, m.product)/before); !math.IsInf(r, 0) { // false for NaN
			m.most = max(m.most, r)
		}
	}
	return nil
}

// Redamp sets λ: λ times the diagonal is added.
func (m *Sketched) Redamp(lambda float64) error {
	m.lambda = lambda
	return nil
}

// Solve overwrites v by its product with the inverse.
func (m *Sketched) Solve(v []float64) {
	d := len(m.diagonal)
	up := 0.0
	if m.lifted && m.total > 0 {
		up = v[d] / m.total
		floats.AddScaled(v[:d], up, m.cross)
	}
	copy(m.residual, v[:d])
	lambda := m.lambda
	m.lambda = 0
	m.precondition()
	m.lambda = lambda
	floats.ScaleTo(v[:d], 1/(m.most+lambda), m.scaled)
	if m.lifted {
		if v[d] = 0; m.total > 0 {
			v[d] = up + floats.Dot(m.cross, v[:d])/m.total
		}
	}
}
