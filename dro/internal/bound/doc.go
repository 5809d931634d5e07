// Package bound proves lower bounds of the optimum from lower bounds of the losses'
// curvature (docs/math.md §3): curvature.go has the bound, samples.go the choice of the
// samples it is taken from. It may import hessian, saddle and what is below.
package bound
