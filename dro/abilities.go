package dro

import (
	"github.com/drotrain/drotrain/dro/internal/saddle"
)

// The abilities of an oracle, a dual or a primal of one's own that a method may ask for, or
// that change what is solved. A few more only save time; dro/internal/saddle/contracts.go
// has them all.

// Normed is the ability of a Dual to say how its norm and its set Y measure the
// constants of Assumption 1 (eqs. ind_lip, ind_smth, agg_lip).
type Normed = saddle.Normed

// Ranked is the ability of a Dual to weigh samples that lie with several ranks: Over returns
// it, and reports false where it cannot. The vectors of one entry a sample that it is given
// are then set where its rank has the samples, and methods that reduce them are collective
// calls. Over(nil) is the dual of samples that are all here.
type Ranked = saddle.Ranked

// Curved is the ability of an Oracle with scalar slopes to give second
// derivatives: ∇²f_j(x) = curvature_j·z_j z_jᵀ and ∇f_j = slope_j·z_j.
type Curved = saddle.Curved

// Responsive is the ability of a Dual to say how its best response moves with the losses at a fixed
// threshold τ: response[j] = ∂y_j/∂f_j at best response y, for j in [lo, hi). Both have length n.
type Responsive = saddle.Responsive

// Started is the ability of a Primal to name the point a solve starts from when
// the settings do not: needed where zero is not in X.
type Started = saddle.Started

// CurvatureBoundedBelow is the ability of an Oracle with scalar slopes to bound its curvature
// from below in a neighbourhood, which proves far more than convexity does.
type CurvatureBoundedBelow = saddle.CurvatureBoundedBelow

// Smooth is the ability of a Primal to be differentiated: AddGradTo adds ∇φ(x) to dst.
type Smooth = saddle.Smooth

// Ridge is the ability of a Primal to be ½ Σ_i D_i x_i² up to a constant.
type Ridge = saddle.Ridge

// Liftable is the ability of a Dual on the simplex to drop the constraint
// Σ y_j = 1 and become Separable.
type Liftable = saddle.Liftable

// Products is the ability of a Curved oracle to multiply without forming a matrix.
type Products = saddle.Products

// An Oracle evaluates the losses sample by sample. A slope is a compressed
// gradient of one sample: one number for a linear predictor, d in general.
// Methods are called concurrently on disjoint ranges [lo, hi).
type Oracle = saddle.Oracle

// Selectable is the ability of an Oracle to be restricted to given samples, in their order, for
// many evaluations of them: to copy their rows, say. What Select returns keeps the other abilities.
type Selectable = saddle.Selectable

// Conditioned is the ability of an Oracle to state the constants of its
// samples: H_j, the Lipschitz constant of f_j (where there is none, ‖∇f_j(x)‖ at
// the given x, to be estimated again as x moves), and M_j, that of ∇f_j.
type Conditioned = saddle.Conditioned

// A Dual is the adversary: the set Y of weights and the penalty ψ, ν-strongly
// convex relative to its own geometry (Modulus returns ν).
type Dual = saddle.Dual

// A Mirror is a Dual with a proximal step, in coordinates u natural to its
// geometry (log(n·y) for KL, n·y for χ²), in which no weight underflows.
type Mirror = saddle.Mirror

// StartedDual is the ability of a Dual to name the weights a method starts from where ν = 0: the
// best response is then a vertex of Y, infinitely far from every other point in the geometry of
// relative entropy. The paper starts in the relative interior.
type StartedDual = saddle.StartedDual

// A Primal is the regulariser φ, μ-strongly convex (Modulus returns μ).
type Primal = saddle.Primal

// Free is the ability of a Primal to leave the last coordinate unpenalised (an
// intercept). The Oracle's slopes must then be scalars, and ⟨y, slope⟩ the
// derivative of ⟨y, f⟩ in that coordinate: a column of ones in the design.
type Free = saddle.Free

// Rounded is the ability of an Oracle of losses f_j(x) = ℓ_j(z_jᵀx) ≥ 0, with scalar
// slopes, to say how exactly they are computed. Without it a certificate is one up to
// the rounding of the oracle's values and gradients.
type Rounded = saddle.Rounded

// Centrable is the ability of an Oracle whose last column is the constant 1 to state the
// same losses in terms of x′, which is x but for x′_d = x_d + Σ_i by_i x_i − constant, where
// margins cancel less. It returns nil where they do not cancel, and of an oracle that is
// not the one asked but embeds it.
type Centrable = saddle.Centrable

// Separable is the ability of a Dual with ψ(y) = Σ_j ψ_j(y_j) on a product of
// intervals (def. separable): every weight moves on its own.
type Separable = saddle.Separable

// Smoothable is the ability of a Dual to have another penalty.
type Smoothable = saddle.Smoothable

// Kinked is the ability of a Dual to be a polyhedron without a penalty, in weights on the
// samples: Y = {0 ≤ y ≤ u, Σy = 1}, ψ = 0.
type Kinked = saddle.Kinked

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
