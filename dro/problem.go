// Package dro solves the saddle problem of distributionally robust training,
//
//	min_x max_{y∈Y}  L(x, y) = ⟨y, f(x)⟩ − ψ(y) + φ(x),
//
// with the primal-dual methods of Mehta, Diakonikolas and Harchaoui, "Efficient
// Methods for Min-Max Optimization with Dual-Linear Coupling", and certifies
// every answer: Upper ≥ min_x max_y L ≥ Lower at every check point.
//
// An Oracle evaluates the convex losses f = (f_1 … f_n), a Dual is the pair
// (Y, ψ), a Primal is φ. The package knows nothing of files, columns or plots.
package dro

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// A Problem is min over x, max over y in Dual of ⟨y, f(x)⟩ − ψ(y) + φ(x).
type Problem struct {
	Oracle Oracle
	Dual   Dual
	Primal Primal
}

// An Oracle evaluates the losses sample by sample. A slope is a compressed
// gradient of one sample: one number for a linear predictor, d in general.
// Methods are called concurrently on disjoint ranges [lo, hi).
type Oracle = interface {
	// Dims returns the samples n, the parameters d and the length of a slope.
	Dims() (n, d, slope int)

	// EvalTo stores f_j(x) in value[j] and the slope of sample j at x in
	// slope[j·s : (j+1)·s] for j in [lo, hi), s the slope length.
	EvalTo(value, slope, x []float64, lo, hi int)

	// AddGradTo adds Σ_j weight[j]·∇f_j over j in [lo, hi) to dst, of length d,
	// with ∇f_j from its slope.
	AddGradTo(dst, weight, slope []float64, lo, hi int)
}

// Selectable is the ability of an Oracle to be restricted to some samples, for many
// evaluations of them: to copy their rows, say. What Select returns keeps the other
// abilities.
type Selectable interface {
	// Select returns the oracle of the given samples, in their order.
	Select(samples []int) Oracle
}

// NonNegative is the ability of an Oracle to promise f_j ≥ 0 for every j: with a
// NonNegativePrimal and an Unpriced dual, 0 is a lower bound.
type NonNegative interface{ NonNegative() bool }

// NonNegativePrimal is the ability of a Primal to promise φ ≥ 0, of the primal that is
// asked: false for a type that embeds this one and changes φ.
type NonNegativePrimal interface{ NonNegative(of Primal) bool }

// Unpriced is the ability of a Dual to promise that some y ≥ 0 in Y has ψ(y) = 0, of
// the dual that is asked: false for a type that embeds this one and changes ψ or Y.
type Unpriced interface{ Unpriced(of Dual) bool }

// validated is the ability of a Dual to say why it cannot weigh n samples.
type validated interface{ valid(n int) error }

// Conditioned is the ability of an Oracle to state the constants of its
// samples: H_j, the Lipschitz constant of f_j (where there is none, ‖∇f_j(x)‖ at
// the given x, to be estimated again as x moves), and M_j, that of ∇f_j.
type Conditioned interface {
	ConstantsTo(lipschitz, smoothness, x []float64)
}

// A Dual is the adversary: the set Y of weights and the penalty ψ, ν-strongly
// convex relative to its own geometry (Modulus returns ν).
type Dual interface {
	Modulus() float64

	// Value returns ψ(y) for y in Y.
	Value(y []float64) float64

	// BestResponseTo stores argmax_{y∈Y} ⟨y, f⟩ − ψ(y) in y and returns the
	// maximum (the robust risk at losses f) and the threshold τ of the
	// constraint Σ y_j = 1. y and f must not overlap.
	BestResponseTo(y, f []float64) (risk, tau float64)
}

// A Mirror is a Dual with a proximal step, in coordinates u natural to its
// geometry (log(n·y) for KL, n·y for χ²), in which no weight underflows.
type Mirror interface {
	Dual

	// CoordsTo stores the coordinates of y in u.
	CoordsTo(u, y []float64)

	// ProxTo stores in u and y the step of eq. (dual_update),
	//
	//	argmax_{y∈Y} a⟨y, f⟩ − a ψ(y) − e( (1−w)·Δ(y, prev) + w·Δ(y, hist) ),
	//
	// where prev and hist are coordinates and e = (A ν + ν₀)/2 > 0. u may be
	// prev or hist.
	ProxTo(u, y, f, prev, hist []float64, a, e, w float64)
}

// StartedDual is the ability of a Dual to name the weights a method starts from
// where ν = 0: the best response is then a vertex of Y, infinitely far from every
// other point in the geometry of relative entropy. The paper starts in the
// relative interior.
type StartedDual interface{ StartingWeights(y []float64) }

// A Primal is the regulariser φ, μ-strongly convex (Modulus returns μ).
type Primal interface {
	Modulus() float64

	// Value returns φ(x).
	Value(x []float64) float64

	// ProxTo stores in dst the step of eq. (prim_update),
	//
	//	argmin_x a⟨g, x⟩ + a φ(x) + c·Δ(x, center),   c = (A μ + μ₀)/2 > 0.
	//
	// dst may be center.
	ProxTo(dst, g, center []float64, a, c float64)

	// FenchelYoung returns φ(x) + ⟨g, x⟩ − min_x' { φ(x') + ⟨g, x'⟩ } ≥ 0: how
	// far x is from minimising the regularised linear function; +Inf when the
	// minimum is −Inf.
	FenchelYoung(x, g []float64) float64
}

// Free is the ability of a Primal to leave the last coordinate unpenalised (an
// intercept). The Oracle's slopes must then be scalars, and ⟨y, slope⟩ the
// derivative of ⟨y, f⟩ in that coordinate: a column of ones in the design.
type Free interface{ FreeLast() bool }

// freeLast reports whether p leaves the last coordinate unpenalised.
func freeLast(p Primal) bool {
	f, ok := p.(Free)
	return ok && f.FreeLast()
}

// smallestNormal is the smallest number of full precision; the inverse of a smaller one
// may overflow.
const smallestNormal = 0x1p-1022

// Validate reports the first thing that makes p unusable.
func (p *Problem) Validate() error {
	if p == nil || p.Oracle == nil || p.Dual == nil || p.Primal == nil {
		return errors.New("dro: a Problem needs an Oracle, a Dual and a Primal")
	}
	n, d, s := p.Oracle.Dims()
	if n < 1 || d < 1 || s < 1 {
		return fmt.Errorf("dro: the oracle has %d samples, %d parameters and slopes of length %d: all must be positive", n, d, s)
	}
	if nu := p.Dual.Modulus(); !(nu >= 0) || math.IsInf(nu, 1) {
		return fmt.Errorf("dro: ν = %v: it must be finite and ≥ 0", nu)
	} else if nu > 0 && nu < smallestNormal {
		return fmt.Errorf("dro: ν = %v has lost its digits in double precision: take 0", nu)
	}
	if v, ok := p.Dual.(validated); ok {
		if err := v.valid(n); err != nil {
			return fmt.Errorf("dro: %w", err)
		}
	}
	if mu := p.Primal.Modulus(); !(mu >= 0) || math.IsInf(mu, 1) {
		return fmt.Errorf("dro: μ = %v: it must be finite and ≥ 0", mu)
	}
	if freeLast(p.Primal) && s != 1 {
		return fmt.Errorf("dro: an unpenalised coordinate needs scalar slopes, the oracle's have length %d", s)
	}
	return nil
}

// freeSample is the number of samples whose last column is looked at.
const freeSample = 4096

// validateFree checks on the first samples that the column of an unpenalised
// coordinate is the constant 1: the gradient of weighted samples with slope 1 is
// then the sum of the weights, whatever these are.
func (r *run) validateFree() error {
	n, d := r.cert.n, r.cert.d
	if !r.cert.free {
		return nil
	}
	samples := min(n, freeSample)
	r.cert.passes += 0.5 * float64(samples) / float64(n)
	weight, slope, g := make([]float64, n), make([]float64, n), make([]float64, d)
	sum, size, rng := 0.0, 0.0, rand.New(rand.NewPCG(1, 2))
	for j := range samples {
		weight[j], slope[j] = rng.NormFloat64(), 1
		sum += weight[j]
		size += math.Abs(weight[j])
	}
	r.problem.Oracle.AddGradTo(g, weight, slope, 0, samples)
	if math.Abs(g[d-1]-sum) > 1e-9*size {
		return errors.New("dro: the last coordinate is said to be an intercept, but the last column of the design is not the constant 1")
	}
	return nil
}
