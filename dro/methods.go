package dro

import (
	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/internal/template"
)

// Growing solves the problem on a growing prefix of the samples, each stage
// warm-started from the one before and only as exact as its size deserves, and
// finishes on all of them until certified. With samples in random order the last
// stage starts close to the optimum and needs a few passes. In another order the
// answer is the same, and so is its certificate; only the work grows.
type Growing = newton.Growing

// LBFGS minimises the exact smooth objective P(x) = R(x) + φ(x) by the
// limited-memory BFGS method with a Moré-Thuente line search, both of
// gonum/optimize. It is the peer every other method is measured against. It
// needs ν > 0 (or fixed weights), where P is differentiable, and a differentiable φ.
type LBFGS = newton.LBFGS

// Lift makes a problem on the simplex dual-separable by dualising its one
// coupling constraint (math: §5):
//
//	max_{y∈Δ_n} ⟨y, f⟩ − ψ(y) = min_τ τ + max_{0≤y≤1} Σ_j [ y_j(f_j − τ) − ψ_j(y_j) ].
//
// The lifted problem has parameters (x, τ), losses f_j − τ, regulariser φ + τ
// and a Separable dual; minimised over τ it equals p at every x, and its
// solution in x is p's. The Dual must be Liftable: KL, ChiSquare or CVaR.
func Lift(p *Problem) (*Problem, error) { return template.Lift(side.Dereferenced(p)) }

// FullVector is the full vector update method (Alg. 2). Every step is one pass.
type FullVector = template.FullVector

// Stochastic is the method for any dual set (Alg. 3 with Historical, Alg. 4 with
// Replacement). A step costs O(b·d + n): choose blocks of at least n/d samples.
type Stochastic = template.Stochastic

// SeparableBlock is the method for dual-separable problems (Alg. 5 with
// Historical, Alg. 6 with Replacement). A problem on the simplex is solved
// through its τ-lift. A step costs O(b·d) and touches nothing of length n.
type SeparableBlock = template.SeparableBlock

// An OverflowError says that the squares of a column of the design, as weighted in a
// Hessian, are beyond the range of double precision: the column is to be divided by its
// scale.
type OverflowError = hessian.OverflowError

// Newton minimises the exact objective P by Newton's method on its Hessian
// (math: §9), semismooth where the χ² adversary's active set changes, with a line
// search that only accepts a decrease and damping where the Hessian says too
// little. A step is two and a half passes, one where the Hessian of the step before
// still serves, more when the search shortens it. Where a Hessian costs four passes or more,
// and near kinks, where fewer samples have second derivatives than there are columns, L-BFGS
// takes the first steps while it does well. It needs ν > 0 (or fixed
// weights), second derivatives, the L2 regulariser and d ≤ 2000.
type Newton = newton.Newton

// A LineSearch says how Newton's method shortens and damps its steps. 0 stands for the
// default of a field.
type LineSearch = newton.LineSearch

// NewtonCG is Newton's method with the step of each iteration computed by
// preconditioned conjugate gradients from products with the Hessian, which is
// never formed: for more parameters than a d×d matrix allows. A product is one
// pass. Of up to 2000 parameters L-BFGS takes the first steps, while it is expected
// at the optimum before a few Hessians have paid, and where that and the products have cost what
// the matrix would, it is formed after all. It needs ν > 0 (or fixed weights), second derivatives, products with the
// rows, and the L2 regulariser.
type NewtonCG = newton.NewtonCG

// A Schedule chooses the averaging sequence a_k of the template.
type Schedule = template.Schedule

// The values of Schedule.
const (
	// Practical is the paper's own advice (end of §3.1): a_k = α·A_{k−1} when μ, ν
	// > 0, a_k ∝ k when only μ > 0, constant otherwise, with α found by the
	// program. It is the default.
	Practical = template.Practical
	// Theory is the largest a_k that the conditions of the method's proposition
	// allow: prop. nonsep:full, stochastic:historic, stochastic:minty,
	// sep:historic or sep:minty. The four cases, μ and ν zero or not, follow from
	// the conditions: (1+α)^k, k, constant, constant.
	Theory = template.Theory
)

// Minimax solves problems whose risk is the largest of many smooth pieces, ν = 0: CVaR, the
// largest loss, plain group DRO. It is sequential quadratic programming for minimax problems
// (Pshenichnyi's linearisation with the Hessian of the Lagrangian): pieces are linear in a
// step, the Hessian is that of ⟨y, f⟩ + φ at the weights y of the step before, and the
// weights that solve the quadratic problem prove the bound from below. Pieces are the
// groups, or the samples near the threshold: the others keep their weight for a step. A
// step that does not lower the objective is taken again with the values met at its end. It
// needs second derivatives, the L2 regulariser and d ≤ 2000. Where samples lie with several
// ranks each has copies of those near the threshold where they are few, sums of all elsewhere.
type Minimax = newton.Minimax

// Smoothing solves a problem without a penalty, ν = 0, where the objective has no
// gradient: it adds the penalty back at a ν that falls by a factor of ten from
// stage to stage, each stage warm-started and solved by Newton's method. The
// weights of a stage are feasible without the penalty, so that every stage
// certifies the problem as it is; the gap it leaves is at most ν·sup ψ/ν.
type Smoothing = newton.Smoothing

// A Strategy is one of the paper's two ways of adapting to blocks of unequal
// constants.
type Strategy = template.Strategy

// The values of Strategy.
const (
	// Replacement refreshes the comparison points with non-uniform probabilities
	// r, s, and uses no historical regularisation, w^P = w^D = 0 (Alg. 4, 6).
	Replacement = template.Replacement
	// Historical regularises towards the comparison points, w^P, w^D > 0 with
	// weights γ, and refreshes them uniformly (Alg. 3, 5).
	Historical = template.Historical
)

// Sampling says for each distribution over blocks where it comes from: given, as
// probabilities of the N blocks that sum to one; else uniform if that is asked
// for; else adapted to the constants of the blocks, by the table of math: §6. The
// zero value adapts all of them.
type Sampling = template.Sampling

// UniformSampling makes every distribution uniform.
func UniformSampling() Sampling { return template.UniformSampling() }
