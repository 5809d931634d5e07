package dro

import "context"

// What tests take for short.
type (
	Settings   = Options
	TestResult = Result
)

// DefaultSettings returns options of their defaults.
func DefaultSettings() Settings { return Settings{} }

// SolveBy is Solve by a method.
func SolveBy(ctx context.Context, p *Problem, m Method, s Settings) (*TestResult, error) {
	s.Method = m
	return Solve(ctx, p, &s)
}

// DualOf converts d, for n samples, to the type of the internal packages.
func DualOf(d Dual, n int) (Dual, error) { return dualOf(d, n, nil) }
