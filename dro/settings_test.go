package dro

import (
	"context"

	"github.com/drotrain/drotrain/dro/internal/saddle"
)

// What tests of this package take from the internal ones.
type (
	Settings   = saddle.Settings
	TestResult = saddle.Result
)

// DefaultSettings returns the settings that zero options stand for.
func DefaultSettings() Settings { return saddle.DefaultSettings() }

// SolveBy is Solve by a method and settings of the internal packages.
func SolveBy(ctx context.Context, p *Problem, m Method, s Settings) (*TestResult, error) {
	res, err := Solve(ctx, p, &Options{Method: m, X0: s.X0, RelativeGap: s.RelativeGap, MaxPasses: s.MaxPasses, CheckEvery: s.CheckEvery,
		Seed: s.Seed, Observe: s.Observe, Follow: s.Follow, Logf: s.Logf, Keep: s.Keep})
	return (*TestResult)(res), err
}
