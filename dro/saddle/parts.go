package saddle

// An Oracle evaluates the losses f_j(x) of n samples. A slope is a compressed gradient of one sample: a single
// number for a linear predictor, and d numbers in general. Methods are called concurrently on disjoint ranges [lo,
// hi). Package losses provides the oracles of linear models, and package dro/oracletest tests an implementation.
//
// Newton's method requires second derivatives, which losses.Linear and losses.Softmax provide; to use it with a
// user-defined loss, implement losses.Loss. Problems with any other oracle are solved by L-BFGS. An implementation
// may also implement NonNegative, Rounded and Conditioned.
type Oracle = interface {
	// Dims returns the number of samples n, the number of parameters d, and the length of a slope.
	Dims() (n, d, slope int)

	// EvalTo stores f_j(x) in value[j] and the slope of sample j at x in
	// slope[j·s : (j+1)·s] for j in [lo, hi), where s is the slope length.
	EvalTo(value, slope, x []float64, lo, hi int)

	// AddGradTo adds Σ_j weight[j]·∇f_j over j in [lo, hi) to dst, of length d, where the slope of sample j
	// determines ∇f_j.
	AddGradTo(dst, weight, slope []float64, lo, hi int)
}

// NonNegative is implemented by an Oracle that reports whether f_j ≥ 0 for all j, and by a Primal that reports
// whether φ ≥ 0. If both hold for a dual of package dro, 0 is a lower bound.
type NonNegative interface{ NonNegative() bool }

// Conditioned is implemented by an Oracle that states the constants of its samples. ConstantsTo stores H_j, the
// Lipschitz constant of f_j, in lipschitz[j], and M_j, the Lipschitz constant of ∇f_j, in smoothness[j]. If f_j has
// no Lipschitz constant, H_j is ‖∇f_j(x)‖ at the given x, and is computed again when x changes.
type Conditioned interface {
	ConstantsTo(lipschitz, smoothness, x []float64)
}

// A Rounded is an oracle of losses f_j(x) = ℓ_j(z_jᵀx) ≥ 0 that describes their rounding. If an oracle is not
// Rounded, certificates hold up to the rounding of its values and gradients.
type Rounded interface {
	// Rounding returns the maximum number of products in a margin, a number largest[i] ≥ |z_ji| (for all j) for
	// every column i, and smoothness = sup ℓ_j″. A nil largest means that the rounding is unknown. Otherwise
	// the values that EvalTo stores at a computed margin m satisfy
	//
	//	|value − ℓ(m)| ≤ 2⁻⁴⁹ value,   ℓ(a) ≥ (1 − 2⁻⁴⁹)·value + slope·(a − m)  for all a.
	Rounding() (terms int, largest []float64, smoothness float64)
}

// A Dual is the adversary: the set Y of weights and the penalty ψ. Package dro provides KL, ChiSquare, CVaR, Ball,
// Spectral, Uniform, Fixed and Groups. Problems with any other type that has these three methods are solved by
// L-BFGS if its modulus is positive. The methods of package dro/primaldual require a Mirror or a Separable dual.
// Package dro/dualtest tests an implementation, and dro.Solve returns an error if a best response is wrong.
//
// For a user-defined dual, certificates allow for a rounding error of γ·(1 + Σ y_j)·(ν + max |f_j|) (docs/math.md),
// which suffices for a logarithm of sums of exponentials, or for less if the dual is Precise.
type Dual interface {
	// Modulus returns ν ≥ 0, the modulus of strong convexity of ψ relative to its own geometry.
	Modulus() float64

	// Value returns ψ(y) for y in Y.
	Value(y []float64) float64

	// BestResponseTo stores argmax_{y∈Y} ⟨y, f⟩ − ψ(y) in y and returns the maximum (the robust
	// risk at losses f) and the threshold τ of the constraint Σ y_j = 1. y and f must not overlap.
	BestResponseTo(y, f []float64) (risk, tau float64)
}

// Precise is implemented by a user-defined Dual that computes its penalty and its risk without cancellation. The
// errors of Value and BestResponseTo are then at most a few γ times Σ y_j |f_j| + 2ψ(y) + 3√(2νψ(y)), where γ is
// that of a sum of n terms. For any other user-defined dual the certificate allows for an additional error of γ·(1
// + Σ y_j)·(ν + max |f_j|), which suffices for a logarithm of sums of exponentials (math: §11).
type Precise interface{ IsPrecise() bool }

// A Mirror is a Dual with a proximal step. The step uses coordinates u that suit its geometry (log(n·y) for KL, n·y
// for χ²), in which no weight underflows.
type Mirror interface {
	Dual
	Normed

	// CoordsTo stores the coordinates of y in u.
	CoordsTo(u, y []float64)

	// ProxTo stores the step of Equation (11) in u and y,
	//
	//	argmax_{y∈Y} a⟨y, f⟩ − a ψ(y) − e( (1−w)·Δ(y, prev) + w·Δ(y, hist) ),
	//
	// where prev and hist are in coordinates and e = (A ν + ν₀)/2 > 0. u may be prev or hist.
	ProxTo(u, y, f, prev, hist []float64, a, e, w float64)
}

// A Separable dual has ψ(y) = Σ_j ψ_j(y_j) on a product of intervals (Definition 1).
type Separable interface {
	Dual
	Normed
	CoordsTo(u, y []float64)

	// BlockStepTo stores in y[j], u[j] for j in [lo, hi) the block step of Lemma 6, in coordinates
	//
	//	u_j = prev_j + η( f_j − ν(prev_j − u⁰) ),   η = a N/(a ν + (A ν + ν₀)/2),
	//
	// clipped to the interval, where u⁰ is the coordinate at which ∇ψ_j vanishes. This is a relaxation of
	// weight β = ην towards the best response. u may be prev.
	//
	// In the paper, Equation (68) contains (Aν + ν₀)·Δ, while the block update contains half of it. With the
	// half, both agree on block Q, as the text requires (dro/primaldual/methods.md, §8, 1).
	BlockStepTo(u, y, f, prev []float64, eta float64, lo, hi int)
}

// A Normed dual states the properties of its norm and its set Y that determine the constants of Assumption 1, Equations
// (3) to (6).
type Normed interface {
	// NormScale returns the largest κ with ‖·‖_Y ≥ κ‖·‖₂ on n weights.
	NormScale(n int) float64

	// WeightCap returns the maximum value of a weight y_j, and TotalWeight the maximum of Σ y_j; both are +Inf
	// if unbounded.
	WeightCap(n int) float64
	TotalWeight(n int) float64

	// SumNorm reports whether ‖·‖_Y is ‖·‖₁, so that G = max_j H_j.
	SumNorm() bool
}

// A Primal is the regulariser φ. L2, Wasserstein and Entropy implement it. A user-defined implementation may also
// be Smooth, which allows L-BFGS to solve the problem; Started, which is required if zero is not in X; NonNegative;
// and a Geometry.
type Primal interface {
	// Modulus returns μ ≥ 0, the modulus of strong convexity of φ.
	Modulus() float64

	// Value returns φ(x).
	Value(x []float64) float64

	// ProxTo stores in dst the step of Equation (10),
	//
	//	argmin_x a⟨g, x⟩ + a φ(x) + c·Δ(x, center),   c = (A μ + μ₀)/2 > 0.
	//
	// dst may be center.
	ProxTo(dst, g, center []float64, a, c float64)

	// FenchelYoung returns φ(x) + ⟨g, x⟩ − min_x' { φ(x') + ⟨g, x'⟩ } ≥ 0, which measures how far x is from
	// minimising the regularised linear function. It is +Inf if the minimum is −Inf.
	FenchelYoung(x, g []float64) float64
}

// A Smooth is a primal with a gradient; AddGradTo adds ∇φ(x) to dst.
type Smooth interface{ AddGradTo(dst, x []float64) }

// Started is implemented by a Primal with a default starting point, which is required if zero is not in X.
// StartingPoint stores that point in x.
type Started interface{ StartingPoint(x []float64) }

// A Geometry is implemented by a Primal on a bounded set X, whose divergence is not Euclidean.
type Geometry interface {
	// CoordsTo stores the coordinates of x, the gradient of the generator at x, in u. ProxTo takes its centre
	// in these coordinates.
	CoordsTo(u, x []float64)

	// Contains returns an error that states why x is not in X, or nil if it is.
	Contains(x []float64) error
}
