// Package score is a trained model as a formula of the columns of its table, and what scores
// rows by it: one at a time, structs, whole tables. The languages of package export are
// written from the same formula.
//
// It imports data and losses; train makes the formula of a model and gives these types under
// the same names. Start reading at formula.go.
//
// Stability: this package is a part of package train and may change with any version before 1.0;
// prefer package train.
package score
