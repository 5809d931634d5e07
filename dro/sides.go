package dro

import (
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/internal/ranks"
)

// A Divergence measures how far weights y are from reference weights w.
type Divergence = side.Divergence

// The values of Divergence.
const (
	KullbackLeibler = side.KullbackLeibler // Σ y_j log(y_j/w_j)
	PearsonChi2     = side.PearsonChi2     // ½ Σ (y_j − w_j)²/w_j
)

// A Ball is the adversary near reference weights w:
//
//	Y = {y ∈ Δ : D(y‖w) ≤ Radius},   ψ(y) = Nu·D(y‖w).
//
// Its robust risk is R(f) = min_{ν ≥ Nu} (ν − Nu)·Radius + R_ν(f), R_ν that of the
// penalty ν·D alone, jointly convex in f and ν; the minimising ν makes the best
// response. With an infinite radius it is the penalised adversary around w, and with
// Nu = 0 the ball alone, the risk of which has a gradient unless the ball reaches a
// vertex of largest loss. NewBall and NewPenalty are the two.
type Ball = side.Ball

// NewBall returns the adversary of all weights within radius of w, nil for equal.
func NewBall(d Divergence, radius float64, w []float64) Ball { return side.NewBall(d, radius, w) }

// NewPenalty returns the adversary that pays nu for every unit of divergence from w,
// nil for equal: KL and ChiSquare with sample weights.
func NewPenalty(d Divergence, nu float64, w []float64) Ball { return side.NewPenalty(d, nu, w) }

// Bilinear is the oracle of a bilinear coupling, f(x) = A x + b: matrix games
// with both sides on a simplex, and linear constraints.
type Bilinear = side.Bilinear

// NewBilinear returns the oracle of A x + b for the row-major n×d matrix a; b
// may be nil for zero. The slices are kept. With maxNorm the Lipschitz constants
// are max_i |A_ji|, for an x on the simplex in the entropy geometry (the norm of
// X is ‖·‖₁), instead of ‖A_j‖₂.
func NewBilinear(n int, d int, a []float64, b []float64, maxNorm bool) (*Bilinear, error) {
	return side.NewBilinear(n, d, a, b, maxNorm)
}

// Box is the dual-separable set Lower ≤ y_j ≤ Upper with ψ(y) = (ν/2)‖y‖² and
// the Euclidean geometry Δ(y, z) = ½‖y − z‖². With Lower = 0 it holds the
// multipliers of functional constraints f_j(x) ≤ 0 (ex. fcm), Upper being the
// bound on them (an exact penalty); Upper = +Inf is the orthant.
type Box = side.Box

// CappedChiSquare is the capped simplex {0 ≤ y_j ≤ 1/(αn), Σ y_j = 1} with the
// penalty and geometry of ChiSquare. With ν = 0 the robust risk is the
// conditional value at risk CVaR_α, the mean of the worst α-fraction of the
// losses: α = 1 is the average, α → 0 the maximum. ν > 0 smooths it.
type CappedChiSquare = side.CappedChiSquare

// CappedKL is the capped simplex with the penalty and geometry of KL.
type CappedKL = side.CappedKL

// CVaR returns the dual of CVaR_α: the capped simplex without a penalty.
func CVaR(alpha float64) CappedChiSquare { return side.CVaR(alpha) }

// ChiSquare is the simplex with the χ² penalty
//
//	ψ(y) = (ν n/2) Σ_j (y_j − 1/n)² = (ν/2)·mean((n y_j − 1)²)
//
// and the Euclidean geometry Δ(y, z) = (n/2)‖y − z‖², relative to which ψ is
// ν-strongly convex. Nu = 0 is the unpenalised maximum over the simplex.
//
// Others scale the same penalty differently: ½ν'‖y − 1/n‖² has ν' = n·ν (DRAGO,
// deshift), ν'·n‖y − 1/n‖² has ν' = ν/2 (Prospect, drlearn).
type ChiSquare = side.ChiSquare

// Protected is the adversary of CVaR around reference weights w:
//
//	Y = {y ∈ Δ : y_j ≤ w_j/Share},   ψ(y) = (Nu/2)·Σ (y_j − w_j)²/w_j.
//
// With Nu = 0 its risk is the largest mean loss of any subgroup that is a share of
// Share of the reference weight, or more. It is CVaR with weights.
type Protected = side.Protected

// Entropy is the primal side x ∈ Δ_d, φ(x) = μ Σ x_i log(d x_i), in the geometry
// of relative entropy: mixed strategies, portfolios, mixtures of models.
type Entropy = side.Entropy

// Fixed is the adversary whose weights are given: Y = {w/Σw}, ψ = 0. Minimising
// its risk is weighted empirical risk minimisation: by group frequencies, by
// survey weights. On a prefix of the samples it uses the prefix of the weights.
type Fixed = side.Fixed

// NewFixed returns the dual of the weights w ≥ 0, one per sample, not all zero;
// they need not sum to one. The slice is kept.
func NewFixed(w []float64) (Fixed, error) { return side.NewFixed(w) }

// NewFixedOver is [NewFixed] over samples that lie with several ranks.
func NewFixedOver(rows *ranks.Rows, w []float64) (Fixed, error) { return side.NewFixedOver(rows, w) }

// Groups is the adversary over groups of samples. With f_g the mean loss of group g
// under the weights of its samples, and q weights over the groups,
//
//	R(f) = max_q Σ_g q_g (f_g + c_g) − ψ(q),
//
// ψ and the set of q those of a Ball around a prior. An unbounded ball with Nu = 0 is
// plain group DRO: the largest group mean. A sample may be in several groups. On the
// samples q is y = Σ_g q_g a_g, a_g the weights within group g: as any Dual.
type Groups = side.Groups

// NewGroups returns the adversary that pays what near says for weights over groups.
// of[k][j] is the group of sample j by the kth way of grouping, numbered from 0 in each,
// −1 for none; the groups of all ways are numbered through. w are the weights of the
// samples, nil for equal. Groups without weight are an error. The slices of near and w
// are kept.
func NewGroups(near Ball, w []float64, of ...[]int) (*Groups, error) {
	return side.NewGroups(near, w, of...)
}

// NewGroupsOver is [NewGroups] over samples that lie with several ranks: a collective call.
func NewGroupsOver(rows *ranks.Rows, near Ball, w []float64, of ...[]int) (*Groups, error) {
	return side.NewGroupsOver(rows, near, w, of...)
}

// KL is the simplex with the Kullback-Leibler penalty
//
//	ψ(y) = ν Σ_j y_j log(n y_j) = ν·KL(y ‖ 1/n),
//
// ν-strongly convex in ‖·‖₁, and the geometry of relative entropy. Nu = 0 is
// the unpenalised maximum over the simplex in the same geometry.
type KL = side.KL

// L2 is the ridge regulariser φ(x) = (μ/2)‖x‖², in the Euclidean geometry
// Δ(x, z) = ½‖x − z‖². With Intercept the last coordinate is left unpenalised.
type L2 = side.L2

// OrthantKL is the separable form of KL: the weights 0 ≤ y_j ≤ Cap with the
// generalised penalty ψ_j(y) = ν(y log(n y) − y + 1/n).
type OrthantKL = side.OrthantKL

// OrthantChiSquare is the separable form of ChiSquare: the weights 0 ≤ y_j ≤ Cap
// with ψ_j(y) = (ν n/2)(y − 1/n)².
type OrthantChiSquare = side.OrthantChiSquare

// Uniform is the adversary without a choice: Y = {1/n}, ψ = 0. Its robust risk
// is the average loss, so minimising it is empirical risk minimisation.
type Uniform = side.Uniform
