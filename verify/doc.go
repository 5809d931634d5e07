// Package verify checks the certificate of a model from its table, without any code of the solver: the rows are read
// and encoded again by package data, and both bounds of the optimal objective are computed by package interval in
// 256-bit arithmetic that is rounded outwards. verify/proofs.md states what is proved. It imports neither dro nor
// losses nor train; a model is read from its JSON.
//
// Start reading at Check. To add an ambiguity set, add an entry to sets in set.go; to add a loss, one to losses in
// loss.go.
package verify
