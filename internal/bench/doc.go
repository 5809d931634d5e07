// Package bench measures the methods of package dro: against each other on one
// problem (Compare), against the complexity theorems of the paper (Theory), and
// over a collection of problems with known optima (package bench/table writes
// docs/methods.md from it).
//
// Work is counted in passes: one pass is n samples touched once, for losses and
// slopes or for a weighted gradient by halves, and one for a Hessian. The checks
// that certify a point are counted. Every random choice comes from a seed, so
// that passes and iterations are the same on every machine; seconds are not.
package bench
