// Package exact evaluates robust objectives in 256-bit arithmetic (math/big): the reference for certificates in
// double precision. It implements the mathematics of losses and dro from their definitions, shares no code with
// them, and imports no package of the module; tests, internal/optima, internal/sets and bench/hunt import it. The best
// place to start reading is problem.go.
//
// Its own rounding error is about 1e-70 relative to the largest term of a sum. Interval arithmetic is unnecessary,
// since the compared numbers differ by 1e-30 or more.
package exact
