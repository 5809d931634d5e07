// Package hessian is the Hessian of the objective P (docs/math.md §9): the weights that
// it takes of the samples (weights.go, start here), all of them or a draw (sampled.go),
// the matrix, formed and factorised (factored.go, gram.go), and the operator with its
// conjugate gradients where it is never formed (operator.go). It may import saddle and
// what is below.
package hessian
