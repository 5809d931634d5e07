// Package engine provides what all methods share: the interfaces of models and adversaries in addition to those of
// package dro/saddle, the evaluation of the objective in one pass over the samples, the certificate with bounds of
// its rounding errors, the requirements of methods, the loop of a solve, the selection of samples by weight, and
// sums in a fixed order (vectors.go). The best place to start reading is contracts.go.
package engine
