// Package hunt searches for problems with a wrong certificate. Its test draws random problems with
// hard rounding, ties, outliers and unequal scales, solves each by several methods in several
// storages, and compares all bounds with each other and with 256-bit arithmetic. A failing problem
// is shrunk and printed by pgregory.net/rapid.
//
//	go -C bench test ./hunt                        100 problems
//	go -C bench test ./hunt -rapid.checks=100000   a night
//	go -C bench test ./hunt -rapid.checks=3000 -kind ball
//
// Ambiguity sets are drawn from internal/sets, which the tests of dro compare with the same arithmetic.
//
// Start reading at hunt_test.go.
package hunt
