// Package newton has Newton's method on the exact objective (newton.go, start here, with
// docs/solver.md): on growing prefixes of the rows (prefixes.go), after a warm start by L-BFGS
// (warm.go), on the rows of most weight first (heaviest.go), with penalties that fall
// (continuation.go), by sequential quadratic programming without a penalty (sqp.go); and L-BFGS
// (lbfgs.go). It may import bound, hessian, saddle and what is below; it does not know template.
package newton
