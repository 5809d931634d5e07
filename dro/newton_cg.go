package dro

import (
	"math"

	"github.com/drotrain/drotrain/internal/shard"
	"gonum.org/v1/gonum/floats"
)

// NewtonCG is Newton's method with the step of each iteration computed by
// preconditioned conjugate gradients from products with the Hessian, which is
// never formed: for more parameters than a d×d matrix allows. A product is one
// pass. It needs ν > 0 (or fixed weights), second derivatives, products with the
// rows, and the L2 regulariser.
type NewtonCG struct{}

var _ Method = NewtonCG{}

// Name implements Method.
func (NewtonCG) Name() string { return "newton-cg" }

// Products is the ability of a Curved oracle to multiply without forming a
// matrix.
type Products interface {
	Curved

	// MarginsTo stores z_jᵀv in margin[j] for j in [lo, hi).
	MarginsTo(margin, v []float64, lo, hi int)

	// AddSquaresTo adds Σ_j weight_j z_ji² over j in [lo, hi) to dst[i].
	AddSquaresTo(dst, weight []float64, lo, hi int)
}

func (m NewtonCG) start(r *run) (stepper, error) {
	return newNewton(r, m, newImplicit(r.problem, r.cert.evaluator)), nil
}

// An implicit is the Hessian of P at a point as an operator,
//
//	v ↦ Zᵀ(w ∘ Zv) − cross⟨cross, v⟩/Σc + ∇²φ v,   w_j = y_j ℓ″_j + c_j ℓ'_j²,
//
// with its diagonal as the preconditioner.
type implicit struct {
	second
	rows   Products
	ridge  []float64 // d: the diagonal of ∇²φ
	lambda float64   // damping: λ times the diagonal is added

	margin                      []float64       // n
	squares                     *shard.Partials // d
	diagonal                    []float64       // d
	residual, direction, scaled []float64       // d, of the iteration
	product                     []float64
	first                       float64 // norm of the first right-hand side
}

func newImplicit(p *Problem, e *evaluator) *implicit {
	rows, _ := ability[Products](p.Oracle)
	h := &implicit{second: newSecond(p, e), rows: rows, ridge: ridgeOf(p.Primal, e.d),
		margin: make([]float64, e.n), squares: shard.NewPartials(shard.Count(e.n), e.d)}
	h.weight, h.response = make([]float64, e.n), make([]float64, e.n)
	for _, v := range []*[]float64{&h.diagonal, &h.residual, &h.direction, &h.scaled, &h.product} {
		*v = make([]float64, e.d)
	}
	return h
}

func (h *implicit) damping() float64 { return h.lambda }

// cost is little beside the products of a step.
func (h *implicit) cost() float64 { return 1 }

func (h *implicit) redamp(lambda float64) error {
	h.lambda = lambda
	return nil
}

// update takes the weights at the point with best response y and these slopes:
// one pass.
func (h *implicit) update(y, slope []float64) error {
	h.squares.Clear()
	h.second.update(y, slope, shard.Count(h.e.n), func(s, lo, hi int) {
		h.rows.AddSquaresTo(h.squares.Of(s), h.weight, lo, hi)
	})
	h.squares.SumTo(h.diagonal)
	h.coupling.diagonalTo(h.diagonal)
	floats.Add(h.diagonal, h.ridge)
	for i, v := range h.diagonal {
		full := v
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return h.overflow(i)
		}
		if h.total > 0 {
			v -= h.cross[i] / h.total * h.cross[i]
		}
		// Where rounding leaves nothing of the difference, a little of it stands in.
		h.diagonal[i] = math.Max(v, 1e-8*full)
		if h.diagonal[i] == 0 {
			h.diagonal[i] = 1 // a column of zeros, and no penalty
		}
	}
	return nil
}

// multiply stores (H + λD)v in dst: one pass.
func (h *implicit) multiply(dst, v []float64) {
	e := h.e
	e.passes++
	e.part.Clear()
	shard.Run(e.n, func(s, lo, hi int) {
		for ; lo < hi; lo += e.block {
			end := min(lo+e.block, hi)
			h.rows.MarginsTo(h.margin, v, lo, end)
			e.p.Oracle.AddGradTo(e.part.Of(s), h.weight, h.margin, lo, end)
		}
	})
	e.part.SumTo(dst)
	if h.total > 0 {
		floats.AddScaled(dst, -floats.Dot(h.cross, v)/h.total, h.cross)
	}
	h.coupling.multiplyTo(dst, v)
	for i, a := range v {
		dst[i] += h.ridge[i] * a
	}
	if h.lambda > 0 {
		for i, a := range v {
			dst[i] += h.lambda * h.diagonal[i] * a
		}
	}
}

// solve overwrites v by the conjugate gradient iterate x of (H + λD)x = v, to a
// residual that shrinks with v: superlinear convergence at few products each.
func (h *implicit) solve(v []float64) {
	const most, loosest, tightest = 250, 0.3, 1e-9
	norm := floats.Norm(v, 2)
	if h.first == 0 {
		h.first = norm
	}
	goal := norm * math.Max(tightest, math.Min(loosest, math.Sqrt(norm/h.first)))
	copy(h.residual, v)
	clear(v) // from here on the iterate
	rho := h.precondition()
	copy(h.direction, h.scaled)
	for range most {
		if h.e.ctx.Err() != nil {
			break
		}
		h.multiply(h.product, h.direction)
		curvature := floats.Dot(h.direction, h.product)
		if !(curvature > 0) {
			break // rounding: the iterate so far is a direction of descent
		}
		step := rho / curvature
		floats.AddScaled(v, step, h.direction)
		floats.AddScaled(h.residual, -step, h.product)
		if floats.Norm(h.residual, 2) <= goal {
			break
		}
		before := rho
		rho = h.precondition()
		floats.AddScaledTo(h.direction, h.scaled, rho/before, h.direction)
	}
	if floats.Norm(v, 2) == 0 {
		copy(v, h.scaled) // no progress at all: the preconditioned gradient
	}
}

// precondition stores D⁻¹ residual in scaled and returns ⟨residual, scaled⟩.
func (h *implicit) precondition() float64 {
	for i, r := range h.residual {
		h.scaled[i] = r / (h.diagonal[i] * (1 + h.lambda))
	}
	return floats.Dot(h.residual, h.scaled)
}

func (h *implicit) visit(s *state) {
	s.float(&h.lambda)
	s.float(&h.first)
	s.float(&h.total)
	s.floats(h.weight, h.cross, h.diagonal)
	s.vectors(&h.along, h.e.d)
	if s.reading {
		h.inner = make([]float64, len(h.along)*len(h.along))
	}
	s.floats(h.inner)
}
