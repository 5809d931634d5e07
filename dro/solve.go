package dro

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/solve"
	"github.com/drotrain/drotrain/internal/shard"
)

// A Certificate bounds the optimal objective: Lower ≤ min_x max_y L ≤ Upper, in
// loss units. Upper is the objective at the point returned; Lower is −Inf while
// nothing is known.
//
// For any x and any y in Y, convexity of f gives L(x', y) ≥ ⟨y, f(x)⟩ − ψ(y) +
// ⟨g, x' − x⟩ + φ(x') with g = Σ_j y_j ∇f_j(x), hence
//
//	min_x' L(x', y) ≥ L(x, y) − FenchelYoung(x, g),
//
// which for φ = (μ/2)‖·‖² is L(x, y) − ‖∇_x L(x, y)‖²/(2μ). Both bounds are moved
// outwards by a bound of the rounding errors (math: §11), for which the oracle must have the method Rounding.
// For any other oracle they are bounds up to the rounding of its values and gradients, and are set
// equal if Lower exceeds Upper by less than 2⁻⁴⁰ of its largest loss so far.
type Certificate struct {
	Upper, Lower float64

	// Scale is the absolute value of the objective at the first point evaluated. Relative gaps of optima
	// near 0 are relative to a small part of it, so that they do not depend on the unit of the losses.
	Scale float64
}

// Gap returns Upper − Lower, a bound on the suboptimality of the point returned; +Inf
// while Lower is unknown. It is negative if the bounds contradict each other.
func (c Certificate) Gap() float64 { return c.Upper - c.Lower }

// Relative returns Gap divided by the magnitude of Upper, +Inf while a bound is unknown or the
// bounds contradict each other.
func (c Certificate) Relative() float64 { return saddle.Certificate(c).Relative() }

// Options holds the method of a solve, its starting point and its stopping criteria. Zero values select the
// defaults.
type Options struct {
	Method      Method    // nil: the method that Choose returns
	X0          []float64 // starting point, of length d; nil: zeros, or the StartingPoint of the Primal
	RelativeGap float64   // relative gap to certify, at which the solve stops; 0: 1e-6
	MaxPasses   float64   // largest number of passes over the data; one evaluation is always made; 0: 10 000
	CheckEvery  float64   // passes between check points, at least; later a tenth of the passes so far; 0: 2
	Seed        uint64    // seed of every random choice

	// Threads is the largest number of goroutines of a loop; 0: GOMAXPROCS. The result does not depend
	// on it, to the last bit, and GOMAXPROCS is not changed. While solves with other limits run
	// in the process, the smallest limit counts for all of them. A Cholesky factorisation of more than 128
	// columns runs on the threads that gonum uses.
	Threads int

	Observe func(check Check)                // called at every check point; may be nil
	Follow  func(it Iterate)                 // called after every step of a method of the paper; may be nil
	Logf    func(format string, args ...any) // called with the decisions of the method, one line each; may be nil

	// Keep is called at every check point with the best point so far, which another solve may
	// start from. The slice belongs to Keep. It may be nil.
	Keep func(x []float64)
}

// settings converts o to the type of the internal packages.
func (o *Options) settings() saddle.Settings {
	if o == nil {
		return saddle.Settings{}
	}
	s := saddle.Settings{
		X0: o.X0, RelativeGap: o.RelativeGap, MaxPasses: o.MaxPasses, CheckEvery: o.CheckEvery, Seed: o.Seed,
		Logf: o.Logf, Keep: o.Keep,
	}
	if o.Observe != nil {
		s.Observe = func(c saddle.Check) { o.Observe(checkOf(c)) }
	}
	if o.Follow != nil {
		s.Follow = func(it saddle.Iterate) { o.Follow(Iterate(it)) }
	}
	return s
}

func checkOf(c saddle.Check) Check { return Check{Certificate(c.Certificate), c.Passes, c.Elapsed} }

// A Check holds the best bounds so far at a check point of a solve.
type Check struct {
	Certificate
	Passes  float64
	Elapsed time.Duration
}

// An Iterate is the state of a method of package primaldual after its Kth step since the last restart. X and Y
// belong to the method and must only be read during the call. The theorems of the paper bound the averages of X
// and Y with the weights a_k.
type Iterate struct {
	K      int
	Weight float64   // a_k
	Total  float64   // A_k = Σ_{i≤k} a_i, in units of a_k
	X      []float64 // x_k, of length d
	Y      []float64 // y_k, of length n: the method's own weights, not the best response

	Mu0, Nu0 float64 // the offsets μ₀, ν₀ of the theoretical schedule, in units of a_k
}

// Status is the reason why a solve ended.
type Status int

// The values of Status.
const (
	NotSolved Status = iota // the zero value: nothing was solved
	Certified               // the required relative gap is proved
	Limit                   // the largest number of passes is reached
	Stalled                 // the method can make no further progress in double precision
	Cancelled               // the context was cancelled

	// Inconsistent means that the lower bound exceeds the upper one by more than rounding. Neither bound can be
	// trusted.
	Inconsistent
)

// String describes the status.
func (s Status) String() string { return saddle.Status(s).String() }

// A Result is the best point found with its certificate. For every status except
// Inconsistent, X is feasible, Weights, Tau, Objective and Risk are those of X, and
//
//	Certificate.Lower ≤ min_x max_y L ≤ Certificate.Upper,
//
// with Objective ≤ Upper up to the rounding of Objective:
//
//	Certified     the relative gap is at most Options.RelativeGap
//	Limit         X is the best point within the passes allowed; the gap bounds its suboptimality
//	Stalled       as Limit, but more passes would not help this method
//	Cancelled     as Limit; if the solve was cancelled before its first evaluation, X is its start
//	Inconsistent  X is the best point by its objective; the certificate is void
//
// X is not the last iterate, and Weights are not the method's own weights; Options.Follow is called with
// these.
type Result struct {
	X       []float64 // d: the point with the best upper bound
	Weights []float64 // n: the adversary's best response at X, or the weights of the lower bound if they are one within the gap
	Tau     float64   // threshold τ of Σ y = 1 at X, in loss units; 0 for a dual without that constraint

	// Drawn is the point of the paper's random return rule, x_t̂ with t̂ = k
	// drawn with probability a_k/A_t since the last restart, which the theorems
	// bound in expectation. The certificate does not refer to it. It is nil for
	// methods that are not in package primaldual.
	Drawn []float64

	Objective   float64 // P(X) = Risk + φ(X)
	Risk        float64 // R(X), the robust risk
	Certificate Certificate
	Status      Status

	Iterations int     // steps of the method, or stages of a method in stages
	Passes     float64 // passes over the data, including checks, Hessians and stages, but not the evaluation that fills in Weights and Risk at the end
	Elapsed    time.Duration
	Trace      []Check // one entry per check point, the last one of the certificate
}

// Solve solves p by the method of o until the required relative gap is certified, a limit is
// reached, no progress is possible, or ctx is done; nil options are the defaults. A limit is a
// status, not an error. If ctx is cancelled, Solve returns its error together with a valid Result,
// whose numbers are finite except for an unknown bound. Every other error means invalid input or
// numbers beyond double precision (OverflowError), and a nil Result.
func Solve(ctx context.Context, p *Problem, o *Options) (*Result, error) {
	of, err := problemOf(p)
	if err != nil {
		return nil, err
	}
	if o != nil {
		if o.Threads < 0 {
			return nil, fmt.Errorf("dro: %d threads: at least 1, or 0 for as many as the process has", o.Threads)
		}
		defer shard.LimitThreads(o.Threads)()
	}
	var m saddle.Method
	if o != nil && o.Method != nil {
		if m, err = methodOf(o.Method); err != nil {
			return nil, err
		}
	}
	res, err := solve.Solve(ctx, of, m, o.settings())
	var overflow *newton.OverflowError
	if errors.As(err, &overflow) {
		err = &OverflowError{overflow.Coordinate}
	}
	if res == nil {
		return nil, err
	}
	out := &Result{
		X: res.X, Weights: res.Weights, Tau: res.Tau, Drawn: res.Drawn, Objective: res.Objective, Risk: res.Risk,
		Certificate: Certificate(res.Certificate), Status: Status(res.Status),
		Iterations: res.Iterations, Passes: res.Passes, Elapsed: res.Elapsed,
	}
	for _, c := range res.Trace {
		out.Trace = append(out.Trace, checkOf(c))
	}
	return out, err
}

// An OverflowError reports that the squares of a column of the design overflow double precision in a Hessian.
// The column should be divided by its scale.
type OverflowError struct {
	Coordinate int // index of the parameter in x
}

// Error implements error.
func (e *OverflowError) Error() string {
	return (&newton.OverflowError{Coordinate: e.Coordinate}).Error()
}
