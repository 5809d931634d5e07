// Package propose examines a table for a given target and proposes how to train on it: which columns are
// identifiers, copies of the target or known only after the outcome, and how to treat missing values, dates and
// rare levels. Every proposal states its reason. The table is not changed; the user decides.
//
// The package imports data; train and cmd import it. The best place to start reading is Make. The checks of a
// column are in checks.go, its statistics in column.go, and the predictive power of a single column is computed in
// power.go.
//
// Stability: this package is a part of package data and may change with any version before 1.0; prefer package
// data.
package propose
