// Package optima is a small set of problems whose optima are known to more than 25
// digits: made by seed, solved and certified in 256-bit arithmetic by the program in gen
// (go run ./internal/optima/gen), which writes optima.json. A clone of the repository
// proves with it that bounds hold, to the last bit. It imports internal/exact alone, so
// that every package may use it in its tests. Start at cases.go.
package optima
