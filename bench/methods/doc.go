// Package methods measures the methods of package dro: against each other on one
// problem (Compare), against the complexity theorems of the paper (its folder theory,
// which writes docs/theory.md), and over a collection of problems with known optima (its
// folder table, which writes docs/methods.md). bench/experiments runs all three;
// `drotrain bench` the first two. Start reading at methods.go.
//
// Work is counted in passes: one pass is n samples touched once, for losses and
// slopes or for a weighted gradient by halves, and one for a Hessian. The checks
// that certify a point are counted. Every random choice comes from a seed, so
// that passes and iterations are the same on every machine; seconds are not.
//
// It stands above train and below cmd/drotrain and bench.
package methods
