package newton

import (
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/internal/shard"
	"gonum.org/v1/gonum/floats"
)

// An operator is the Hessian of P at a point as an operator,
//
//	v ↦ Zᵀ(w ∘ Zv) − cross⟨cross, v⟩/Σc + ∇²φ v,   w_j = y_j ℓ″_j + c_j ℓ'_j²,
//
// with its diagonal as the preconditioner. The preconditioner is corrected with the directions
// of earlier solves and their products by the two-loop recursion of L-BFGS (Morales and Nocedal
// 2000): the Hessian changes little from step to step, and conjugate directions determine its
// inverse on the space that they span.
type operator struct {
	weights
	rows   engine.LinearModel
	blocks *classBlocks // for samples with several margins; nil if each has one margin
	ridge  []float64    // diagonal of ∇²φ, of length d
	lambda float64      // damping: λ times the diagonal is added to the Hessian

	margin                      []float64       // n numbers; allocated by the first product
	squares                     *shard.Partials // d
	diagonal                    []float64       // d
	residual, direction, scaled []float64       // vectors of conjugate gradients, of length d
	product                     []float64
	first                       float64 // norm of the first right-hand side

	kept            int         // the maximum number of directions of earlier solves
	known, products [][]float64 // these directions and their products with H; the newest is last
	share           []float64   // coefficients of the two-loop recursion
}

// newOperator returns a Hessian that has not been updated, for a problem that has one.
func newOperator(p *saddle.Problem, e *engine.Evaluator) *operator {
	rows, _ := p.Oracle.(engine.LinearModel)
	h := &operator{weights: newWeights(p, e), rows: rows, ridge: engine.RidgeOf(p.Primal, e.D),
		squares: e.Rows.Partials(e.Rows.Shards(e.N), e.D), kept: directionsKept(p, e.D)}
	if o, ok := p.Oracle.(engine.ClassModel); ok {
		h.blocks = newClassBlocks(o, e, h.ridge)
	}
	for _, v := range []*[]float64{&h.diagonal, &h.residual, &h.direction, &h.scaled, &h.product} {
		*v = make([]float64, e.D)
	}
	return h
}

// IsMulticlass reports whether each sample has several margins.
func (h *operator) IsMulticlass() bool { return h.blocks != nil }

// Damping returns λ.
func (h *operator) Damping() float64 { return h.lambda }

// Cost returns the cost of Update, which is one pass and small compared with the products of a step.
func (h *operator) Cost() float64 { return 1 }

// Redamp changes the damping to lambda. Its error is always nil.
func (h *operator) Redamp(lambda float64) error {
	if lambda != h.lambda { // products with a different damping are invalid
		h.known, h.products = nil, nil
	}
	h.lambda = lambda
	return nil
}

// Update computes the weights at the point with best response r and these slopes. It takes one pass.
func (h *operator) Update(r *engine.Response, slope []float64) error {
	if h.blocks != nil {
		h.weights.update(r, slope, h.evaluator.Rows.Shards(h.evaluator.N), func(_, _, _ int) {})
		return h.blocks.update(h, slope)
	}
	e := h.evaluator
	h.squares.Clear()
	h.weights.update(r, slope, h.evaluator.Rows.Shards(h.evaluator.N), func(s, lo, hi int) {
		h.rows.AddSquaresTo(h.squares.Shard(s), h.weight, lo, hi)
		if e.EndsShard(s, hi) {
			h.squares.Complete(s)
		}
	})
	e.Rows.SumTo(h.diagonal, h.squares)
	h.coupling.diagonalTo(h.diagonal)
	floats.Add(h.diagonal, h.ridge)
	for i, v := range h.diagonal {
		full := v
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return h.overflowError(i)
		}
		if h.total > 0 {
			v -= h.cross[i] / h.total * h.cross[i]
		}
		// If nothing is left of the difference due to rounding, a small proportion replaces it.
		h.diagonal[i] = math.Max(v, 1e-8*full)
		if h.diagonal[i] == 0 {
			h.diagonal[i] = 1 // a column of zeros, and no penalty
		}
	}
	return nil
}

// multiply stores (H + λD)v in dst. It takes one pass.
func (h *operator) multiply(dst, v []float64) {
	e := h.evaluator
	if h.margin == nil {
		h.margin = e.Vector(len(e.Slope))
	}
	e.Spend(1)
	e.Partials.Clear()
	e.Rows.Run(e.N, func(s, lo, hi int) {
		for ; lo < hi; lo += e.BlockRows {
			end := min(lo+e.BlockRows, hi)
			if h.blocks != nil {
				h.blocks.addProductTo(e.Partials.Shard(s), h, v, lo, end)
				continue
			}
			h.rows.MarginsTo(h.margin, v, lo, end)
			e.Problem.Oracle.AddGradTo(e.Partials.Shard(s), h.weight, h.margin, lo, end)
		}
		e.Partials.Complete(s)
	})
	e.Rows.SumTo(dst, e.Partials)
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

const (
	// fewestKept and mostKept limit the number of directions of earlier solves used for preconditioning, and maxProducts
	// is the maximum number of products in a solve.
	fewestKept  = 4
	mostKept    = 32
	maxProducts = 250

	// loosestResidual is the residual of the first solve, relative to the gradient.
	loosestResidual = 0.3
)

// directionsKept returns how many directions of earlier solves are used. A direction costs four operations per
// parameter in each iteration. Few directions are therefore used if a pass is cheap compared with the number of
// columns, as for a sparse matrix.
func directionsKept(p *saddle.Problem, d int) int {
	pass, _ := engine.WorkOf(p.Oracle)
	return min(mostKept, max(fewestKept, int(pass/float64(max(1, d)))))
}

// Solve replaces v by an approximate solution x of (H + λD)x = v, computed by conjugate gradients. The goal for the
// relative residual decreases with the size of v, so that Newton's method converges superlinearly.
func (h *operator) Solve(v []float64) {
	norm := floats.Norm(v, 2)
	if h.first == 0 {
		h.first = norm
	}
	h.solveByConjugateGradients(v, norm*math.Min(loosestResidual, math.Sqrt(norm/h.first)), maxProducts)
}

// solveByConjugateGradients replaces v by the first iterate of conjugate gradients with a residual of at most goal,
// or by the last one after most products.
func (h *operator) solveByConjugateGradients(v []float64, goal float64, most int) {
	copy(h.residual, v)
	clear(v) // from here on, v is the iterate
	rho := h.preconditionResidual()
	copy(h.direction, h.scaled)
	var fresh, images [][]float64
	defer func() { h.keepDirections(fresh, images) }()
	for range most {
		if h.evaluator.Ctx.Err() != nil || h.evaluator.Passes >= h.evaluator.Budget {
			break
		}
		h.multiply(h.product, h.direction)
		curvature := floats.Dot(h.direction, h.product)
		if !(curvature > 0) {
			break // due to rounding; the current iterate is a descent direction
		}
		if len(fresh) < h.kept {
			fresh, images = append(fresh, slices.Clone(h.direction)), append(images, slices.Clone(h.product))
		}
		step := rho / curvature
		floats.AddScaled(v, step, h.direction)
		floats.AddScaled(h.residual, -step, h.product)
		if floats.Norm(h.residual, 2) <= goal {
			break
		}
		before := rho
		rho = h.preconditionResidual()
		floats.AddScaledTo(h.direction, h.scaled, rho/before, h.direction)
	}
	if floats.Norm(v, 2) == 0 {
		copy(v, h.scaled) // no progress at all, so use the preconditioned gradient
	}
}

// keepDirections stores directions of a solve and their products, and drops the oldest ones.
func (h *operator) keepDirections(along, products [][]float64) {
	h.known, h.products = append(h.known, along...), append(h.products, products...)
	if old := len(h.known) - h.kept; old > 0 {
		h.known, h.products = h.known[old:], h.products[old:]
	}
}

// preconditionResidual stores the preconditioned residual in scaled and returns ⟨residual, scaled⟩.
func (h *operator) preconditionResidual() float64 {
	copy(h.scaled, h.residual)
	h.share = append(h.share[:0], make([]float64, len(h.known))...)
	for k := len(h.known) - 1; k >= 0; k-- {
		h.share[k] = floats.Dot(h.known[k], h.scaled) / floats.Dot(h.known[k], h.products[k])
		floats.AddScaled(h.scaled, -h.share[k], h.products[k])
	}
	if h.blocks != nil {
		h.blocks.solve(h.scaled)
	} else {
		for i := range h.scaled {
			h.scaled[i] /= h.diagonal[i]
		}
	}
	if h.lambda > 0 {
		floats.Scale(1/(1+h.lambda), h.scaled)
	}
	for k, v := range h.known {
		floats.AddScaled(h.scaled, h.share[k]-floats.Dot(h.products[k], h.scaled)/floats.Dot(v, h.products[k]), v)
	}
	return floats.Dot(h.residual, h.scaled)
}
