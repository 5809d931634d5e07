// Package theory holds the theorems of the paper against runs of its methods with their
// theoretical schedules: the inequalities of the propositions at every iteration, with
// their own right-hand sides (guarantee.go), and the growth of A_t that the rates follow from.
//
// An experiment can fail: schedules that are wrong on purpose go through the same
// measurement, and a result of which none is flagged says so.
// `go -C bench run ./experiments theory` runs all.
package theory
