// Package verify checks the certificate of a model from its table, independently of the solver's code. The rows are
// read and encoded again by package data, and both bounds of the optimal objective are computed by package interval
// in 256-bit arithmetic that is rounded outwards. verify/proofs.md states what is proved. The package does not
// import dro, losses or train; it reads a model from its JSON.
//
// The best place to start reading is Check. To add an ambiguity set, add an entry to sets in set.go. To add a loss,
// add an entry to losses in loss.go.
package verify
