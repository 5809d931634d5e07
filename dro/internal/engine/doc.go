// Package engine has what all methods share: the interfaces of models and adversaries beyond those of package
// dro/saddle (contracts.go, start here), the evaluation of the objective in one pass over the samples, the certificate
// with its bounds of rounding, the requirements of methods, the loop of a solve, the selection of samples by weight,
// and sums in a fixed order (vectors.go).
package engine
