// Package side has the adversaries: duals, each a set of weights and a penalty with its best response (start at
// simplex.go), and the oracle of bilinear couplings. They implement the interfaces of packages dro/saddle and
// dro/internal/engine.
package side
