// Package newton implements Newton's method on the exact objective (newton.go; start here, with
// solver.md), with a warm start by L-BFGS (warm.go), a restriction to the rows of most weight
// (heaviest.go), a continuation in decreasing penalties (continuation.go) and, without a penalty, sequential quadratic
// programming (sqp.go); L-BFGS (lbfgs.go); Hessians, as matrices (factored.go) or as
// operators (operator.go); and lower bounds from the curvature of the losses (certify.go, minorant.go).
package newton
