// Package mutate measures what the tests notice: it changes one operator, constant or
// statement of the code at a time (sites.go) and runs the tests of that package, and
// then of its room, in a clone of the last commit (run.go), which has nothing beside it.
// A mutant that no test fails on is a survivor: a test is missing, or the change means
// nothing. Only bench/experiments imports it:
//
//	go run ./bench/experiments mutate -n 100 -seed 1
package mutate
