// Package mutate measures what the tests notice: it changes one operator, constant or
// statement of the code at a time (sites.go) and runs the tests of that package, of its
// room and, if asked, of the rooms that use it (tests.go), in a clone of the last commit
// (run.go), which has nothing beside it. The mutants of a package are compiled together
// (schema.go), and tests that do not reach a statement are not run on its mutants. A mutant
// that no test fails on is a survivor: a test is missing, or the change means nothing. The
// score is told without and with those that bench/experiments/equivalent.txt lists as such. A
// journal (journal.go) lets a draw go on where it was interrupted, at its commit, and the
// survivors of their own package's tests alone be run against those of the room and of all others.
// Only bench/experiments imports it:
//
//	go run ./bench/experiments mutate -rooms dro -n 100 -seed 1
package mutate
