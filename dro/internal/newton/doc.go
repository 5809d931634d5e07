// Package newton has the methods on the exact objective: Newton's with a formed Hessian
// (newton.go, start here) and by conjugate gradients (cg.go), on growing prefixes
// (growing.go), on the samples the adversary rests on (working.go), with penalties that
// fall (smoothing.go, guarded.go), and L-BFGS, the peer (lbfgs.go). It may import bound,
// hessian, saddle and what is below; it does not know template.
package newton
