// Package newton implements Newton's method on the exact objective (newton.go; start here, with
// docs/solver.md), with a warm start by L-BFGS (warm.go), a restriction to the rows of most weight
// (heaviest.go), penalties that fall (continuation.go) and, without a penalty, sequential quadratic
// programming (sqp.go); and L-BFGS (lbfgs.go). It may import bound, hessian, saddle and what is below.
package newton
