package dro

import (
	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/newton"
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
