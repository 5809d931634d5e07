// Package saddle is the saddle problem and what every method shares: the contracts of
// its parts, their abilities and of methods (contracts.go, start here), the problem and what makes
// it unusable, the evaluation of the objective in one reading of the samples, the
// certificate and its allowance for rounding, what methods need, the loop of a solve,
// and the snapshots that continue one bit for bit. It names no dual, no primal and no
// method. It may import sampling and vec alone of its neighbours.
package saddle
