// Package saddle has the saddle problem and what all methods share: the interfaces of a problem's parts
// and of methods (contracts.go, start here), the evaluation of the objective in one reading of the
// samples, the certificate with its allowance for rounding, what methods need of a problem, the
// loop of a solve, the choice of samples by weight, and sums in one order (vectors.go).
package saddle
