// Package propose looks at a table with one target in mind and proposes how to train on
// it: which columns are identifiers, copies of the target or know what came after it,
// what becomes of missing values, dates and rare levels. Every proposal has its reason
// in words. Nothing is changed: the reader decides.
//
// And it warns of what a model was trained on all the same: columns that alone predict the
// target, and models that are too good to be true (suspect.go).
//
// It imports data and stands above it; train and cmd import it. Start reading at Make; the checks of a
// column are in checks.go, what they need of it is in column.go, and how a
// column alone predicts the target is in power.go.
//
// Stability: this package is a part of package data and may change with any version before 1.0;
// prefer package data.
package propose
