// Package newton implements methods on the exact objective. Newton's method is in newton.go, where reading should
// start together with solver.md. It has a warm start by L-BFGS (warm.go), a restriction to the rows with the
// largest weights (heaviest.go), a continuation with decreasing penalties (continuation.go) and, if there is no
// penalty, sequential quadratic programming (sqp.go). L-BFGS is in lbfgs.go. Hessians are matrices (factored.go) or
// operators (operator.go). Lower bounds from the curvature of the losses are in certify.go and minorant.go.
package newton
