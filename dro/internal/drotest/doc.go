// Package drotest has what the tests of several packages of dro share: random problems,
// oracles that hide methods or count their calls, optimality conditions, tolerances.
// Only tests import it. It may import engine and what is below, and losses.
package drotest
