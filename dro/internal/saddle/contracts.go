package saddle

import (
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/memory"
)

// This file has all interfaces of the solver: the parts of a problem, further methods that the parts may
// implement, and methods of solution.

// An Oracle evaluates the losses sample by sample. A slope is a compressed
// gradient of one sample: one number for a linear predictor, d in general.
// Methods are called concurrently on disjoint ranges [lo, hi).
type Oracle = interface {
	// Dims returns the samples n, the parameters d and the length of a slope.
	Dims() (n, d, slope int)

	// EvalTo stores f_j(x) in value[j] and the slope of sample j at x in
	// slope[j·s : (j+1)·s] for j in [lo, hi), where s is the slope length.
	EvalTo(value, slope, x []float64, lo, hi int)

	// AddGradTo adds Σ_j weight[j]·∇f_j over j in [lo, hi) to dst, of length d,
	// with ∇f_j from its slope.
	AddGradTo(dst, weight, slope []float64, lo, hi int)
}

// NonNegative is implemented by an Oracle that reports whether f_j ≥ 0 for all j, and by a Primal that reports
// whether φ ≥ 0. If both hold and weights are on the simplex, 0 is a lower bound.
type NonNegative interface{ NonNegative() bool }

// Conditioned is implemented by an Oracle that knows the constants of its
// samples: H_j, the Lipschitz constant of f_j (if it has none, ‖∇f_j(x)‖ at
// the given x, which is estimated again when x changes), and M_j, the Lipschitz constant of ∇f_j.
type Conditioned interface {
	ConstantsTo(lipschitz, smoothness, x []float64)
}

// A Rounded oracle of losses f_j(x) = ℓ_j(z_jᵀx) ≥ 0 describes their rounding. Without it, a certificate holds
// up to the rounding of the oracle's values and gradients.
type Rounded interface {
	// Rounding returns the largest number of products in a margin, for every column i a
	// number largest[i] ≥ |z_ji| for all j, and smoothness = sup ℓ_j″. A nil largest means that the
	// rounding is unknown. Else the values that EvalTo stores at a computed margin m satisfy
	//
	//	|value − ℓ(m)| ≤ 2⁻⁴⁹ value,   ℓ(a) ≥ (1 − 2⁻⁴⁹)·value + slope·(a − m)  for all a.
	Rounding() (terms int, largest []float64, smoothness float64)
}

// A Model is an Oracle of losses f_j(x) = ℓ_j(m_j) ≥ 0 of margins m_j: a LinearModel or a ClassModel.
// Newton's method needs a Model.
type Model interface {
	Oracle
	NonNegative
	Rounded

	// MarginsTo stores z_jᵀv in margin[j] for j in [lo, hi), or K numbers in margin[j·K:(j+1)·K] if
	// slopes have length K.
	MarginsTo(margin, v []float64, lo, hi int)

	// Select returns the Model of copies of the given samples, in their order. Prefix returns the Model of
	// the first n samples, without a copy.
	Select(samples []int) Oracle
	Prefix(n int) Oracle

	// Work estimates the cost of reading all samples once, for losses or for a gradient (pass), and
	// of summing their Gram matrix (gram), in the same unit. Bytes returns the memory that the rows take.
	Work() (pass, gram float64)
	Bytes() int64

	// Arena returns the arena for vectors with one entry per sample; nil means the heap. MostSelected
	// returns the largest number of samples that Select may copy.
	Arena() *memory.Arena
	MostSelected() int
}

// A LinearModel is a Model with one margin z_jᵀx per sample: ∇f_j(x) = slope_j·z_j and
// ∇²f_j(x) = curvature_j·z_j z_jᵀ.
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
	// f_j is at least κ·e^{−decay·a} if its margin z_jᵀx differs by a ≤ radius from that at which EvalTo
	// stored these slopes. radius and decay are the same for all samples. On an empty range nothing is read
	// or stored.
	CurvatureLowerBoundTo(curvature, slope []float64, lo, hi int) (radius, decay float64)

	// NormsTo stores Σ_i scale[i]·z_ji² in dst[j] for j in [lo, hi).
	NormsTo(dst, scale []float64, lo, hi int)

	// Rows returns how the samples are distributed over MPI ranks, nil if this process has all of them.
	// With several ranks, ranges [lo, hi) are of samples of this rank; Select, a collective call, copies
	// samples to every rank; methods without samples refer to the samples of all ranks.
	Rows() *ranks.Rows
}

// A ClassModel is a Model with K > 1 margins per sample. x is a row-major matrix of K columns;
// sample j has a row z_j, K margins z_jᵀx and a class t, and ∇f_j = z_j slope_jᵀ. For every class
// c, f_j(x) ≥ m_jc − m_jt.
type ClassModel interface {
	Model

	// CurveTo overwrites the K numbers m of sample j in margin with weight[j]·C_j m +
	// response[j]·g_j⟨g_j, m⟩ for j in [lo, hi), where g_j is the slope that EvalTo stored and C_j the
	// second derivative in the margins there.
	CurveTo(margin, weight, response, slope []float64, lo, hi int)

	// DiagonalTo stores the diagonal entry of class c of weight[j]·C_j + response[j]·g_j g_jᵀ in dst[j]
	// for j in [lo, hi).
	DiagonalTo(dst []float64, c int, weight, response, slope []float64, lo, hi int)

	// GramOf stores Σ_k weight[k]·z z^T over the listed samples in the upper triangle of the
	// row-major matrix dst, and SquaresOf its diagonal.
	GramOf(dst []float64, samples []int, weight []float64)
	SquaresOf(dst []float64, samples []int, weight []float64)

	// ClassOf returns the class of sample j, from 0.
	ClassOf(j int) int
}

// A Dual is the adversary: the set Y of weights and the penalty ψ, ν-strongly
// convex relative to its own geometry (Modulus returns ν).
type Dual = interface {
	Modulus() float64

	// Value returns ψ(y) for y in Y.
	Value(y []float64) float64

	// BestResponseTo stores argmax_{y∈Y} ⟨y, f⟩ − ψ(y) in y and returns the maximum (the robust
	// risk at losses f) and the threshold τ of the constraint Σ y_j = 1. y and f must not overlap.
	BestResponseTo(y, f []float64) (risk, tau float64)
}

// An Adversary is a dual of this module on the simplex with the methods that certificates and Hessian-based
// methods need. With samples on several MPI ranks, each rank sets the entries of its own samples, and methods
// that reduce over samples are collective calls.
type Adversary interface {
	Dual

	// Valid returns an error that says why the dual cannot weigh n samples, nil if it can.
	Valid(n int) error

	// Region returns which part of the simplex Y is. Some y in Y has ψ(y) ≤ 0.
	Region() Region

	// FusedTo evaluates the losses and slopes at x into e.Value and e.Slope, stores the best response
	// in y and Σ_j y_j ∇f_j in g: one pass. It records the multipliers of the response, and its weights
	// over groups, in e.
	FusedTo(e *Evaluator, g, y, x []float64) (risk, tau float64)

	// ResponseTo stores the derivative of the best response y at the point that e evaluated last with respect
	// to the losses at a fixed τ, response[j] = ∂y_j/∂f_j, for j in [lo, hi). Both have length n.
	ResponseTo(e *Evaluator, response, y []float64, lo, hi int)

	// CoupleTo returns the low-rank part of the Hessian of the risk in the losses, which is
	// diag(c) − ccᵀ/Σc + Σ_k share_k b_k b_kᵀ, as along_k = Σ_j b_kj ∇f_j and share_k. response
	// holds c, with sum total, and may be overwritten.
	CoupleTo(e *Evaluator, response []float64, total float64, slope []float64) (along [][]float64, share []float64)

	// Smoothed returns the dual with the same Y and modulus nu ≥ 0, and sup_Y ψ/ν for n samples. ψ does not
	// decrease with nu. If nu is the dual's own modulus > 0, ψ is that of the dual.
	Smoothed(nu float64, n int) (d Dual, most float64)

	// Restricted returns the dual of weights on m of n samples, nil if there is none. For weights
	// that are 0 on all other samples, ψ on all samples is ψ of the dual returned plus the offset.
	Restricted(n, m int) (d Dual, offset float64)

	// Differentiable reports whether the risk at ν = 0 has a gradient near the optimum.
	Differentiable(n, d int) bool

	// RiskBounds returns an upper bound of R(f), including rounding, and sums of its weights ∂above/∂f, from
	// the multipliers of a best response to losses near f; any multipliers give a bound. below
	// is a lower bound of R(f), which the weights ∂above/∂f divided by their sum prove; −Inf if unknown.
	RiskBounds(f []float64, at Multipliers) (below, above float64, sums Sums)

	// ValueBelow returns the proof of the weights y at the losses f. y is in Y up to rounding and further
	// relative errors of at most relative. groups are the weights over groups that y results from,
	// as an evaluation records them; nil means none or unknown.
	ValueBelow(y, f, groups []float64, relative float64) Proof

	// Proximal reports whether the dual is a Mirror.
	Proximal() bool

	// Polyhedral reports whether the risk is the maximum of finitely many linear functions of the
	// losses, that is ν = 0 and Y is a polyhedron.
	Polyhedral() bool

	// Separated returns the dual of n samples without the constraint Σ y = 1; nil if ψ is not a sum
	// over samples.
	Separated(n int) Separable

	// WithRows returns the dual for samples distributed over ranks as in rows; nil means one process.
	// OfSamples, a collective call, returns the dual for some samples that are copied to every rank.
	WithRows(rows *ranks.Rows) Dual
	OfSamples(samples []int) Dual
}

// Precise is implemented by a user's Dual that computes its penalty and its risk without
// cancellation: the errors of Value and BestResponseTo are then at most a few γ times
// Σ y_j |f_j| + 2ψ(y) + 3√(2νψ(y)), with γ for a sum of n terms. For any other user's
// dual the certificate allows a further error of γ·(1 + Σ y_j)·(ν + max |f_j|), enough for a
// logarithm of sums of exponentials (math: §11).
type Precise interface{ IsPrecise() bool }

// Multipliers holds ν and τ of a best response.
type Multipliers struct {
	Nu, Tau float64
	Known   bool
}

// A Mirror is a Dual with a proximal step, in coordinates u natural to its
// geometry (log(n·y) for KL, n·y for χ²), in which no weight underflows.
type Mirror interface {
	Dual
	Normed

	// CoordsTo stores the coordinates of y in u.
	CoordsTo(u, y []float64)

	// ProxTo stores in u and y the step of Equation (11),
	//
	//	argmax_{y∈Y} a⟨y, f⟩ − a ψ(y) − e( (1−w)·Δ(y, prev) + w·Δ(y, hist) ),
	//
	// where prev and hist are in coordinates and e = (A ν + ν₀)/2 > 0. u may be prev or hist.
	ProxTo(u, y, f, prev, hist []float64, a, e, w float64)
}

// A Separable dual has ψ(y) = Σ_j ψ_j(y_j) on a product of intervals (def. separable).
type Separable interface {
	Dual
	Normed
	CoordsTo(u, y []float64)

	// BlockStepTo stores in y[j], u[j] for j in [lo, hi) the block step of
	// Lemma 6, in coordinates
	//
	//	u_j = prev_j + η( f_j − ν(prev_j − u⁰) ),   η = a N/(a ν + (A ν + ν₀)/2),
	//
	// clipped to the interval, where u⁰ is the coordinate at which ∇ψ_j vanishes. This is a
	// relaxation of weight β = ην towards the best response. u may be prev.
	//
	// The paper's Equation (68) has (Aν + ν₀)·Δ, its block update half of it.
	// With the half both agree on block Q, as the text requires (slip 1).
	BlockStepTo(u, y, f, prev []float64, eta float64, lo, hi int)
}

// A Normed dual knows the properties of its norm and its set Y that determine the constants of Assumption 1 (eqs.
// ind_lip, ind_smth, agg_lip).
type Normed interface {
	// NormScale returns the largest κ with ‖·‖_Y ≥ κ‖·‖₂ on n weights.
	NormScale(n int) float64

	// WeightCap returns the largest weight y_j can take, and TotalWeight the
	// largest Σ y_j, both +Inf when unbounded.
	WeightCap(n int) float64
	TotalWeight(n int) float64

	// SumNorm reports whether ‖·‖_Y is ‖·‖₁, so that G = max_j H_j.
	SumNorm() bool
}

// A Primal is the regulariser φ, μ-strongly convex (Modulus returns μ).
type Primal = interface {
	Modulus() float64

	// Value returns φ(x).
	Value(x []float64) float64

	// ProxTo stores in dst the step of Equation (10),
	//
	//	argmin_x a⟨g, x⟩ + a φ(x) + c·Δ(x, center),   c = (A μ + μ₀)/2 > 0.
	//
	// dst may be center.
	ProxTo(dst, g, center []float64, a, c float64)

	// FenchelYoung returns φ(x) + ⟨g, x⟩ − min_x' { φ(x') + ⟨g, x'⟩ } ≥ 0: how far x is from
	// minimising the regularised linear function; +Inf when the minimum is −Inf.
	FenchelYoung(x, g []float64) float64
}

// A Smooth primal adds ∇φ(x) to dst.
type Smooth interface{ AddGradTo(dst, x []float64) }

// A Ridge is a Primal ½ Σ_i D_i x_i².
type Ridge interface {
	Smooth

	// RidgeTo stores D, the diagonal of ∇²φ, of length d.
	RidgeTo(diagonal []float64)

	// FreeCount returns the number of last coordinates that are intercepts, without a penalty: the length
	// of a slope, or 0. With intercepts the rows of the Oracle end with a 1.
	FreeCount() int
}

// Started is implemented by a Primal with a default starting point, which is needed if zero is not in X.
type Started interface{ StartingPoint(x []float64) }

// A Geometry is a Primal on a bounded set X, whose divergence is not Euclidean.
type Geometry interface {
	// CoordsTo stores the coordinates of x, ∇ of the generator, in u: ProxTo takes its centre in them.
	CoordsTo(u, x []float64)

	// Contains returns an error that says why x is not in X, nil if it is.
	Contains(x []float64) error
}

// A Method is a way to solve a Problem: FullVector, LBFGS, … Its fields are
// settings; one value may be used for many solves at once.
type Method interface {
	// Name is the method's name on the command line.
	Name() string

	// Needs returns the conditions on a problem. Solve refuses a problem that does not meet all of them.
	Needs() []Need

	// Start begins a solve of a problem that meets all needs.
	Start(r *Run) (Stepper, error)
}

// A Stepper is the state of a method on one problem.
type Stepper interface {
	// Step performs one iteration. It returns ErrStalled when no further
	// progress is possible.
	Step() error

	// IsCheckDue reports whether Check should be called. byPasses reports whether enough passes were made
	// since the last check.
	IsCheckDue(byPasses bool) bool

	// Check evaluates and certifies the method's current points with the certifier of its run.
	Check()
}
