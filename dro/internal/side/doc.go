// Package side has the two sides of the saddle problem: duals, each a set of weights and a penalty
// with its best response, and primals, the regularisers (start at simplex.go and l2.go). They
// implement the interfaces of package saddle.
package side
