// Package theory holds the theorems of the paper against runs of its methods with their
// theoretical schedules: the inequalities of the propositions at every iteration, with
// their own right-hand sides (guarantee.go); what the schedules guarantee against the
// tables of complexities (tables.go); what adapting to unequal blocks buys (sampling.go);
// the supremum inside the expectation (supremum.go); and arithmetic beside that of other
// methods (external.go).
//
// An experiment can fail: schedules that are wrong on purpose go through the same
// measurement, and a result of which none is flagged says so. Start at report.go and
// ledger.go. `go -C bench run ./experiments theory` runs all.
package theory
