// Package side provides the adversaries, which are duals that consist of a set of weights, a penalty and its best
// response, and the oracle of bilinear couplings. They implement interfaces of packages dro/saddle and
// dro/internal/engine. The best place to start reading is simplex.go.
package side
