package dro

import (
	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/newton"
)

// LBFGS minimises the exact smooth objective P(x) = R(x) + φ(x) by the
// limited-memory BFGS method with a Moré-Thuente line search, both of
// gonum/optimize. It is the peer every other method is measured against. It
// needs ν > 0 (or fixed weights), where P is differentiable, and a differentiable φ.
type LBFGS = newton.LBFGS

// An OverflowError says that the squares of a column of the design, as weighted in a
// Hessian, are beyond the range of double precision: the column is to be divided by its
// scale.
type OverflowError = hessian.OverflowError

// Newton minimises the exact objective P by Newton's method (docs/solver.md): on growing prefixes
// of the rows, with a Hessian that is formed from some or all of the rows, or multiplied with
// where there are more than 2000 columns, corrected by BFGS pairs, and a line search that accepts
// decreases alone. L-BFGS takes the first steps where a Hessian costs several of them. Where losses
// exceed ν by far, or at a nonsmooth point of a ball, penalties fall to the one asked for. Without
// a penalty, where the objective is the largest of many smooth pieces, the steps are those of
// sequential quadratic programming. It needs second derivatives and the L2 regulariser.
type Newton = newton.Newton

// A LineSearch says how Newton's method shortens and damps its steps. 0 stands for the
// default of a field.
type LineSearch = newton.LineSearch
