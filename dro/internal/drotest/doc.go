// Package drotest provides what the tests of several packages of dro share: random problems, oracles that hide
// methods or count their calls, optimality conditions, and tolerances. Only tests import it. It may import engine,
// the packages below engine, and losses.
package drotest
