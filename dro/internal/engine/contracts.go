package engine

import (
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/memory"
)

// This file declares the interfaces of models and adversaries that Newton's method and certificates require.
// Interfaces that other modules may implement are in package dro/saddle.

// A Model is an Oracle of losses f_j(x) = ℓ_j(m_j) ≥ 0 of margins m_j: a LinearModel or a ClassModel. Newton's
// method requires a Model.
type Model interface {
	saddle.Oracle
	saddle.NonNegative
	saddle.Rounded

	// MarginsTo stores z_jᵀv in margin[j] for j in [lo, hi), or K numbers in margin[j·K:(j+1)·K] if
	// slopes have length K.
	MarginsTo(margin, v []float64, lo, hi int)

	// Select returns the Model of copies of the given samples, in their order. Prefix returns the Model of the
	// first n samples, without copying them.
	Select(samples []int) saddle.Oracle
	Prefix(n int) saddle.Oracle

	// Work estimates the cost of reading all samples once, for losses or for a gradient (pass), and of summing
	// their Gram matrix (gram), in the same unit. Bytes returns the memory in bytes that the rows take.
	Work() (pass, gram float64)
	Bytes() int64

	// Arena returns the arena for vectors with one entry for each sample; nil means the heap. MaxSelected
	// returns the maximum number of samples that Select may copy.
	Arena() *memory.Arena
	MaxSelected() int
}

// A LinearModel is a Model with one margin z_jᵀx for each sample: ∇f_j(x) = slope_j·z_j and ∇²f_j(x) =
// curvature_j·z_j z_jᵀ.
type LinearModel interface {
	Model

	// CurvatureTo stores the curvatures of the samples [lo, hi) at the point at which EvalTo stored these slopes.
	CurvatureTo(curvature, slope []float64, lo, hi int)

	// AddGramTo adds Σ_j weight_j·z_j z_jᵀ over [lo, hi) to the upper triangle of
	// the row-major d×d matrix dst.
	AddGramTo(dst, weight []float64, lo, hi int)

	// AddSquaresTo adds Σ_j weight_j z_ji² over j in [lo, hi) to dst[i].
	AddSquaresTo(dst, weight []float64, lo, hi int)

	// CurvatureLowerBoundTo stores in curvature[j], for j in [lo, hi), a number κ such that the curvature of
	// f_j is at least κ·e^{−decay·a} if its margin z_jᵀx differs by a ≤ radius from that at which EvalTo stored
	// these slopes. radius and decay are the same for all samples. For an empty range it neither reads nor
	// stores anything.
	CurvatureLowerBoundTo(curvature, slope []float64, lo, hi int) (radius, decay float64)

	// SquaredNormsTo stores Σ_i scale[i]·z_ji² in dst[j] for j in [lo, hi).
	SquaredNormsTo(dst, scale []float64, lo, hi int)

	// Rows returns the distribution of the samples over MPI ranks, a *ranks.Rows, or nil if this process has
	// all samples. With several ranks, ranges [lo, hi) must consist of samples of this rank; Select, a
	// collective call, copies samples to every rank; methods without samples refer to the samples of all ranks.
	Rows() interface{ LocalRange(n int) (lo, hi int) }
}

// A Growing is a LinearModel whose losses may grow at least linearly in their margins, on both sides.
type Growing interface {
	LinearModel

	// Growth returns a and b such that f_j(x) ≥ a|z_jᵀx − t_j| − b for some numbers t_j; a is 0 if there are none.
	Growth() (slope, offset float64)
}

// A ClassModel is a Model with K > 1 margins for each sample. x is a row-major matrix of K columns. Sample j has a
// row z_j, K margins z_jᵀx and a class t, and ∇f_j = z_j slope_jᵀ. For every class c, f_j(x) ≥ m_jc − m_jt.
type ClassModel interface {
	Model

	// MultiplyByCurvature replaces the K numbers m of sample j in margin by weight[j]·C_j m + response[j]·g_j⟨g_j, m⟩
	// for j in [lo, hi), where g_j is the slope that EvalTo stored, and C_j the second derivative with respect to the
	// margins at that point.
	MultiplyByCurvature(margin, weight, response, slope []float64, lo, hi int)

	// CurvatureDiagonalTo stores the diagonal entry of class c of weight[j]·C_j + response[j]·g_j g_jᵀ in dst[j]
	// for j in [lo, hi).
	CurvatureDiagonalTo(dst []float64, c int, weight, response, slope []float64, lo, hi int)

	// SelectedGramTo stores Σ_k weight[k]·z zᵀ, where z is the row of the k-th listed sample, in the upper triangle of
	// the row-major matrix dst. SelectedSquaresTo stores only the diagonal.
	SelectedGramTo(dst []float64, samples []int, weight []float64)
	SelectedSquaresTo(dst []float64, samples []int, weight []float64)

	// ClassOf returns the class of sample j, from 0.
	ClassOf(j int) int
}

// The following interfaces are those that parts of the solver require of a dual of this module. Certificates
// require an Adversary; if its risk has a gradient, L-BFGS solves the problem. The others are optional. A Curved
// dual allows Newton's method, also at ν = 0 if the dual is Smoothable; a Pieced dual allows sequential quadratic
// programming. The samples of a Distributed dual may be on several MPI ranks: each rank sets the entries of its own
// samples, and methods that reduce over samples are collective calls. The methods of the paper require
// saddle.Mirror or saddle.Separable.

// An Adversary is a dual on the simplex whose risk has proved bounds.
type Adversary interface {
	saddle.Dual

	// Valid returns an error that states why the dual cannot weight n samples, or nil if it can.
	Valid(n int) error

	// Region returns which part of the simplex Y is. Some y in Y must have ψ(y) ≤ 0.
	Region() Region

	// FusedTo evaluates the losses and slopes at x into e.Value and e.Slope, stores the best response in y and
	// Σ_j y_j ∇f_j in g, and returns the response. It takes one pass. The search for the multipliers starts
	// from those of an earlier response, if they are known.
	FusedTo(e *Evaluator, g, y, x []float64, from Multipliers) Response

	// RiskBounds returns an upper bound of R(f), including rounding, and sums of its weights ∂above/∂f. The
	// bound is computed from the multipliers of a best response to losses near f; any multipliers yield a valid
	// bound. below is a lower bound of R(f), which the weights ∂above/∂f divided by their sum prove, or −Inf if
	// unknown.
	RiskBounds(f []float64, at Multipliers) (below, above float64, sums Sums)

	// ValueBelow returns the proof of the weights y at the losses f. y is in Y up to rounding and additional
	// relative errors of at most relative. groups holds the weights over groups that y results from, as in a
	// Response; nil means that there are none or they are unknown.
	ValueBelow(y, f, groups []float64, relative float64) Proof
}

// A Curved is an adversary whose weights have derivatives, for Hessians of the objective.
type Curved interface {
	// ResponseDerivativesTo stores the derivatives of the weights of r with respect to the losses at a fixed τ,
	// response[j] = ∂y_j/∂f_j, for j in [lo, hi). response has length n.
	ResponseDerivativesTo(response []float64, r *Response, lo, hi int)

	// CouplingTerms returns the low-rank part of the Hessian of the risk with respect to the losses at the last
	// point that e evaluated, where the best response is r. The Hessian is diag(c) − ccᵀ/Σc + Σ_k share_k b_k
	// b_kᵀ, and the result is along_k = Σ_j b_kj ∇f_j and share_k. response holds c, with sum total, and may be
	// overwritten; slope holds the slopes of all samples at that point.
	CouplingTerms(e *Evaluator, r *Response, response []float64, total float64, slope []float64) (along [][]float64,
		share []float64)
}

// A Smoothable is an adversary that supports other penalties.
type Smoothable interface {
	// Smoothed returns the dual with the same Y and modulus nu ≥ 0, and sup_Y ψ/ν for n samples. ψ must not
	// decrease with nu. If nu > 0 is the modulus of the dual itself, ψ is unchanged.
	Smoothed(nu float64, n int) (d saddle.Dual, most float64)
}

// A Recentred is an adversary that is Smoothable by penalties that measure the distance from any weights in Y.
type Recentred interface {
	// Around returns the dual with the same Y and a penalty ≥ 0 with modulus nu that is 0 at the weights c.
	Around(c []float64, nu float64) saddle.Dual
}

// A Restrictable is an adversary that can be restricted to some of the samples.
type Restrictable interface {
	// Restricted returns the dual of weights on m of n samples, or nil if there is none. For weights that are 0
	// on all other samples, ψ on all samples is ψ of the returned dual plus offset.
	Restricted(n, m int) (d saddle.Dual, offset float64)
}

// A Radial is an adversary that may be limited to a ball around its reference weights.
type Radial interface {
	// HasBall reports whether the adversary is limited to a ball.
	HasBall() bool

	// WithoutBall returns the dual without this limit.
	WithoutBall() saddle.Dual

	// Differentiable reports whether the risk at ν = 0 has a gradient near the optimum.
	Differentiable(n, d int) bool
}

// A Pieced is an adversary whose risk may be the maximum of linear functions of the losses of samples or groups.
type Pieced interface {
	// Pieces returns the linear functions, or none if ν > 0 or Y is not a polyhedron.
	Pieces() Pieces
}

// Pieces describes the linear functions of which the risk is the maximum: sums over bounded weights of samples, or
// of groups of samples.
type Pieces struct {
	Parts []Portion // bounded weights, whose sum is the weights of the adversary

	// returns the groups at the last point that e evaluated; nil if the pieces are samples
	Groups func(e *Evaluator) GroupPieces
}

// GroupPieces holds the groups that may have weight, with their losses and gradients.
type GroupPieces struct {
	Loss []float64
	Rows [][]float64 // gradients

	// Weigh stores in y the weights of the samples that correspond to weights q of these groups, and returns
	// the weights of all groups.
	Weigh func(y, q []float64) (groups []float64)
}

// IsEmpty reports whether there are no linear functions.
func (p Pieces) IsEmpty() bool { return p.Parts == nil && p.Groups == nil }

// A Portion is a share of the weights of an adversary.
type Portion struct {
	saddle.Dual                     // adversary of this share, with weights that sum to 1
	Share       float64             // sum of the weights of this share
	CapTo       func(cap []float64) // stores the maximum weights of the Dual
}

// A Grouped is an adversary with weights over groups of samples.
type Grouped interface {
	Count() int // returns the number of groups
}

// A Distributed is an adversary whose samples may be on several MPI ranks.
type Distributed interface {
	// WithRows returns the dual for samples distributed over ranks as in rows; nil means a single process.
	// OfSamples, a collective call, returns the dual for some samples that are copied to every rank.
	WithRows(rows *ranks.Rows) saddle.Dual
	OfSamples(samples []int) saddle.Dual
}

// A Ridge is a Primal ½ Σ_i D_i x_i².
type Ridge interface {
	saddle.Smooth

	// RidgeTo stores D, the diagonal of ∇²φ, of length d.
	RidgeTo(diagonal []float64)

	// FreeCount returns the number of last coordinates that are intercepts without a penalty, which is the
	// length of a slope, or 0. If there are intercepts, the rows of the Oracle end with a 1.
	FreeCount() int
}
