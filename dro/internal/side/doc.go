// Package side has the two sides of the saddle problem: duals, pairs of a set of weights
// and a penalty, and primals, regularisers, each with its best response, its proximal
// step and its abilities; one file for one side (start at kl.go and l2.go). Other
// packages know them by the contracts of saddle only, which with sampling and vec is all
// that this one may import of its neighbours.
package side
