package dro

import (
	"github.com/drotrain/drotrain/dro/internal/saddle"
)

// The abilities of an oracle, a dual or a primal of one's own that a method may ask for, or
// that change what is solved. A few more only save time; dro/internal/saddle/contracts.go
// has them all.

// Ranked is the ability of a Dual to weigh samples that lie with several ranks: Over returns
// it, and reports false where it cannot. The vectors of one entry a sample that it is given
// are then set where its rank has the samples, and methods that reduce them are collective
// calls. Over(nil) is the dual of samples that are all here.
type Ranked = saddle.Ranked

// Started is the ability of a Primal to name the point a solve starts from when
// the settings do not: needed where zero is not in X.
type Started = saddle.Started

// Smooth is the ability of a Primal to be differentiated: AddGradTo adds ∇φ(x) to dst.
type Smooth = saddle.Smooth

// Liftable is the ability of a Dual on the simplex to drop the constraint
// Σ y_j = 1 and become Separable.
type Liftable = saddle.Liftable

// An Oracle evaluates the losses sample by sample. A slope is a compressed
// gradient of one sample: one number for a linear predictor, d in general.
// Methods are called concurrently on disjoint ranges [lo, hi).
type Oracle = interface {
	// Dims returns the samples n, the parameters d and the length of a slope.
	Dims() (n, d, slope int)

	// EvalTo stores f_j(x) in value[j] and the slope of sample j at x in
	// slope[j·s : (j+1)·s] for j in [lo, hi), s the slope length.
	EvalTo(value, slope, x []float64, lo, hi int)

	// AddGradTo adds Σ_j weight[j]·∇f_j over j in [lo, hi) to dst, of length d,
	// with ∇f_j from its slope.
	AddGradTo(dst, weight, slope []float64, lo, hi int)
}

// Conditioned is the ability of an Oracle to state the constants of its
// samples: H_j, the Lipschitz constant of f_j (where there is none, ‖∇f_j(x)‖ at
// the given x, to be estimated again as x moves), and M_j, that of ∇f_j.
type Conditioned = saddle.Conditioned

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

// A Mirror is a Dual with a proximal step, in coordinates u natural to its
// geometry (log(n·y) for KL, n·y for χ²), in which no weight underflows.
type Mirror = saddle.Mirror

// A Primal is the regulariser φ, μ-strongly convex (Modulus returns μ).
type Primal = interface {
	Modulus() float64

	// Value returns φ(x).
	Value(x []float64) float64

	// ProxTo stores in dst the step of eq. (prim_update),
	//
	//	argmin_x a⟨g, x⟩ + a φ(x) + c·Δ(x, center),   c = (A μ + μ₀)/2 > 0.
	//
	// dst may be center.
	ProxTo(dst, g, center []float64, a, c float64)

	// FenchelYoung returns φ(x) + ⟨g, x⟩ − min_x' { φ(x') + ⟨g, x'⟩ } ≥ 0: how far x is from
	// minimising the regularised linear function; +Inf when the minimum is −Inf.
	FenchelYoung(x, g []float64) float64
}

// Rounded is the ability of an Oracle of losses f_j(x) = ℓ_j(z_jᵀx) ≥ 0, with scalar
// slopes, to say how exactly they are computed. Without it a certificate is one up to
// the rounding of the oracle's values and gradients.
type Rounded = saddle.Rounded

// Separable is the ability of a Dual with ψ(y) = Σ_j ψ_j(y_j) on a product of
// intervals (def. separable): every weight moves on its own.
type Separable = saddle.Separable

// Geometry is the ability of a Primal whose divergence is not Euclidean: ProxTo
// then takes its centre in the coordinates ∇ of its generator.
type Geometry = saddle.Geometry

// Precise is the ability of a Dual to promise that it computes its penalty and its risk without
// cancellation, of the dual that is asked: false for a type that embeds this one, unless it says so
// itself; of such a type the methods that it has from the other are not used, but for those of
// Dual. What Value and BestResponseTo return is then off by a few γ of the sum of terms no larger
// together than Σ y_j |f_j| + 2ψ(y) + 3√(2νψ(y)): by less and less where the weights come near to
// those without a price, however large ν. That of a dual without the promise is taken to be within
// γ·(1 + Σ y_j)·(ν + max |f_j|) besides, which a logarithm of sums of exponentials is, and
// certificates are as much wider (math: §11). γ is that of a sum of n terms, n·2⁻⁵³ at most and
// some 64·2⁻⁵³ more.
type Precise = saddle.Precise
