package dro

import (
	"context"
	"errors"
	"fmt"

	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/shard"
)

// A Certificate holds bounds of the optimal objective, Lower ≤ min_x max_y L ≤ Upper, in loss units. Upper is the
// objective at the point returned; Lower is −Inf while nothing is known. Scale is the absolute value of the objective
// at the first point evaluated. Gap and Relative return the distance of the bounds.
//
// For any x and any y in Y, convexity of f gives L(x', y) ≥ ⟨y, f(x)⟩ − ψ(y) +
// ⟨g, x' − x⟩ + φ(x') with g = Σ_j y_j ∇f_j(x), hence
//
//	min_x' L(x', y) ≥ L(x, y) − FenchelYoung(x, g),
//
// which for φ = (μ/2)‖·‖² is L(x, y) − ‖∇_x L(x, y)‖²/(2μ). Both bounds are moved
// outwards by a bound of the rounding errors (math: §11), for which the oracle must be Rounded.
type Certificate = saddle.Certificate

// Options holds the method of a solve, its starting point and its stopping criteria: Method, X0, RelativeGap,
// MaxPasses, CheckEvery, Seed, Threads, KeepDual, and the callbacks Observe, Follow, Logf and Keep. Zero values select
// the defaults.
type Options = saddle.Options

// A Check holds the best bounds so far at a check point of a solve: a Certificate with Passes and Elapsed.
type Check = saddle.Check

// An Iterate is the state of a method of package primaldual after a step, with which Options.Follow is called.
type Iterate = saddle.Iterate

// Status is the reason why a solve ended.
type Status = saddle.Status

// The values of Status.
const (
	NotSolved    = saddle.NotSolved    // the zero value: nothing was solved
	Certified    = saddle.Certified    // the required relative gap is proved
	Limit        = saddle.Limit        // the largest number of passes is reached
	Stalled      = saddle.Stalled      // the method can make no further progress in double precision
	Cancelled    = saddle.Cancelled    // the context was cancelled
	Inconsistent = saddle.Inconsistent // the lower bound exceeds the upper one by more than rounding: neither holds
)

// A Result is the best point found with its certificate: X, Weights, Dual, Tau, Drawn, Objective, Risk, Certificate,
// Status, Iterations, Passes, Elapsed and Trace.
type Result = saddle.Result

// An OverflowError reports that the squares of a column of the design overflow double precision in a Hessian.
// The column should be divided by its scale. Its field Coordinate is the index of the parameter in x.
type OverflowError = newton.OverflowError

// Solve solves p by the method of o until the required relative gap is certified, a limit is
// reached, no progress is possible, or ctx is done; nil options are the defaults. A limit is a
// status, not an error. If ctx is cancelled, Solve returns its error together with a valid Result,
// whose numbers are finite except for an unknown bound. Every other error means invalid input or
// numbers beyond double precision (OverflowError), and a nil Result.
func Solve(ctx context.Context, p *Problem, o *Options) (*Result, error) {
	if ctx == nil {
		return nil, errors.New("dro: the context is nil")
	}
	of, err := toInternalParts(p)
	if err != nil {
		return nil, err
	}
	var s saddle.Settings
	if o != nil {
		s.Options = *o
	}
	if s.Threads < 0 {
		return nil, fmt.Errorf(
			"dro: the number of threads is %d; it must be at least 1, or 0 for as many as the process may use", s.Threads)
	}
	defer shard.LimitThreads(s.Threads)()
	if s.Method == nil {
		if err := saddle.Validate(of); err != nil {
			return nil, err
		}
		var why string
		if s.Method, why = choose(of); s.Method == nil {
			return nil, errors.New("dro: " + why)
		}
	}
	s.CertifyConstant = newton.CertifyConstant
	return saddle.Solve(ctx, of, s.Method, s)
}
