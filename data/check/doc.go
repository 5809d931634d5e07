// Package check finds what may be wrong with the columns of a table for predicting one of them: bounds and codes
// among numbers, spellings of one label, classes of a handful of rows, identifiers, and leaks of the target. Every
// [Finding] has its evidence in rows and numbers. inspect, train, tune, predict and eval show the same
// findings in the same words, and their JSON has all of them.
//
// Start reading at [Examine], and at [ExamineScored] for the rows that a model scores. The checks of single columns are
// in values.go and labels.go, those of the target's leaks in leaks.go, which need no hold-out: they predict every row
// by rows of other folds.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md;
// a patch version does not.
package check
