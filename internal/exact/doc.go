// Package exact evaluates robust objectives in 256-bit arithmetic (math/big): what a
// certificate in double precision is held against. It restates the mathematics of
// losses and dro from their definitions, shares no code with them, and imports nothing
// of the module; tests, internal/reference and experiments import it. Start at
// problem.go.
//
// Its own rounding is about 1e-70 relative to the largest term of a sum; nothing here
// is an interval, and nothing needs to be: what is compared differs by 1e-30 or more.
package exact
