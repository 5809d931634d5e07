package saddle

import (
	"fmt"
	"math"
	"time"
)

// A Result is the best point found, with its certificate. For every status except Inconsistent, X is feasible,
// Weights, Tau, Objective and Risk belong to X, and
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
// X need not be the last iterate, and Weights need not be the weights after the last step; Options.Follow receives
// every iterate.
type Result struct {
	X []float64 // the point, of length d, with the best upper bound
	// Weights holds n weights of the adversary: the best response at X. If the risk has no gradient, the best
	// responses to points close to each other differ. Weights then holds those of the lower bound, for which X
	// is optimal within the gap: the multipliers of constraints, or the mixed strategy of a game.
	Weights []float64

	// Dual holds weights in Y that prove Certificate.Lower: the minimum over x of ⟨Dual, f(x)⟩ − ψ(Dual) + φ(x)
	// is at least Lower, up to the rounding of the weights. It is nil if Options.KeepDual is not set, or if no
	// weights are known, for example because the bound follows only from the signs of the losses.
	Dual []float64

	// threshold τ of the constraint Σ y = 1 at X, in units of the loss; 0 for a dual without that constraint
	Tau float64

	// Drawn is the point x_t̂ returned by the random rule of the paper, where t̂ = k has probability a_k/A_t
	// among the steps since the last restart. The theorems bound it in expectation; the certificate does not
	// refer to it. It is nil for methods outside package primaldual.
	Drawn []float64

	Objective   float64 // P(X) = Risk + φ(X)
	Risk        float64 // R(X), the robust risk
	Certificate Certificate
	Status      Status

	Iterations int // number of steps of the method, or of its stages if it has any
	// passes over the data, including those for checks, Hessians and stages, but not the final evaluation that
	// sets Weights and Risk
	Passes  float64
	Elapsed time.Duration
	Trace   []Check // one element for each check; the last one has the certificate of the result
}

// Status is the reason why a solve ended.
type Status int

// The values of Status.
const (
	NotSolved Status = iota // the zero value: no problem was solved
	Certified               // the required relative gap is proved
	Limit                   // the maximum number of passes was reached
	Stalled                 // the method cannot make further progress in double precision
	Cancelled               // the context was cancelled

	// Inconsistent means that the lower bound exceeds the upper one by more than rounding explains. Neither
	// bound can be trusted.
	Inconsistent
)

// String returns the status in words.
func (s Status) String() string {
	names := [...]string{"not solved", "certified", "limit", "stalled", "cancelled", "inconsistent"}
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return names[s]
}

// A Certificate bounds the optimal objective: Lower ≤ min_x max_y L ≤ Upper, in units of the loss. Upper is an upper
// bound of the objective at the returned point; Lower is −Inf as long as no bound is known.
//
// For any x and any y in Y, convexity of f gives L(x', y) ≥ ⟨y, f(x)⟩ − ψ(y) + ⟨g, x' − x⟩ + φ(x') with g = Σ_j y_j
// ∇f_j(x), hence
//
//	min_x' L(x', y) ≥ L(x, y) − FenchelYoung(x, g),
//
// which for φ = (μ/2)‖·‖² is L(x, y) − ‖∇_x L(x, y)‖²/(2μ). Both bounds are moved outwards by a bound of the rounding
// errors (math: §11), which requires that the oracle is Rounded. For any other oracle, the bounds hold up to the
// rounding of its values and gradients; if Lower exceeds Upper by less than 2⁻⁴⁰ times the largest loss so far, both
// are set to the same number.
type Certificate struct {
	Upper, Lower float64

	// Scale is the absolute value of the objective at the first point evaluated at which that is not 0. For
	// optima near 0, gaps are relative to a small fraction of Scale, so that relative gaps do not depend on the
	// unit of the losses.
	Scale float64
}

// Gap returns Upper − Lower, which bounds the suboptimality of the returned point, or +Inf as long as Lower is
// unknown. It is negative if the bounds contradict each other.
func (c Certificate) Gap() float64 { return c.Upper - c.Lower }

// IsConsistent reports whether Lower ≤ Upper. If not, the rounding of the oracle is larger than it states, or there
// is a bug.
func (c Certificate) IsConsistent() bool { return c.Lower <= c.Upper }

// Relative returns Gap divided by the magnitude of Upper, or +Inf if a bound is unknown or the bounds
// contradict each other.
func (c Certificate) Relative() float64 {
	if !c.IsConsistent() || math.IsInf(c.Gap(), 1) {
		return math.Inf(1)
	}
	return c.Gap() / c.Magnitude(c.Upper)
}

// Magnitude returns the divisor for a relative gap: the absolute value of the objective, but at least 1e-12 times
// Scale, so that an optimum of 0 can be certified.
func (c Certificate) Magnitude(objective float64) float64 {
	const (
		share = 1e-12
		least = 0x1p-930 // allows an objective that is 0 at every point to be certified
	)
	return max(least, share*c.Scale, math.Abs(objective))
}

// IsWithin reports whether the relative gap is at most gap.
func (c Certificate) IsWithin(gap float64) bool { return c.Relative() <= gap }

// An OverflowError reports that the squares of a column of the design, with the weights in a Hessian, overflow
// double precision. The column should be divided by its scale.
type OverflowError struct {
	Coordinate int // coordinate of x
}

// Error implements error.
func (e *OverflowError) Error() string {
	return fmt.Sprintf("dro: the squares of coordinate %d of the samples overflow double precision: divide that column "+
		"by its scale", e.Coordinate)
}
