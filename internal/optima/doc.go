// Package optima provides a small set of problems whose optima are known to more than 25 digits. They are generated
// from seeds, then solved and certified in 256-bit arithmetic by the program in gen (go run ./internal/optima/gen),
// which writes optima.json. With them, tests can check exactly that bounds hold. The package only imports
// internal/exact, so that all packages may use it in their tests. The best place to start reading is cases.go.
package optima
