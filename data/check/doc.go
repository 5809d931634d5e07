// Package check finds possible problems of the columns of a table from which one column is to be predicted: bounds
// and codes among numbers, different spellings of one label, classes with few rows, identifiers, and leaks of the
// target. Every [Finding] states its evidence in rows and numbers. The commands inspect, train, tune, predict and
// eval show the same findings in the same words, and their JSON output has all of them.
//
// The entry points are [Examine] and, for the rows that a model scores, [ExamineScored]. The checks of single
// columns are in values.go and labels.go. The checks for leaks are in leaks.go; they need no hold-out rows, since
// they predict every row from the rows of other folds.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md; a patch version
// does not.
package check
