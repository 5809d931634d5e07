// Package theory tests the theorems of the paper on runs of its methods with their theoretical schedules. It tests
// the inequalities of the propositions at every iteration, with their own right-hand sides (guarantee.go), and the
// growth of A_t, from which the rates follow.
//
// To show that an experiment can fail, it is also run with schedules that are deliberately wrong; the result states
// if none of them is detected. `go -C bench run ./experiments theory` runs all experiments.
package theory
