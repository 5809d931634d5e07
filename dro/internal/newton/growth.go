package newton

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/internal/kernel"
)

// certifyFromAllSamples computes the lower bounds for which no limit of the cost is set, at the last point evaluated:
// from the curvature of the losses of all samples and, if that does not suffice, from their growth.
func certifyFromAllSamples(r *engine.Run) {
	CertifyByCurvature(r.Cert, r.Cert.N, r.Cert.N, math.Inf(1))
	if !r.Certified() {
		certifyByGrowth(r.Cert)
	}
}

// certifyByGrowth records a lower bound from the growth of the losses at the point x last evaluated, with its weights
// y. It needs no curvature: where the losses that have weight are linear and nothing is penalised, Σ_j y_j f_j + φ =: F
// has no minimum unless its gradient g is exactly 0, but the optimum of P is not far. With weights w in Y without a
// penalty and f_j ≥ a|m_j − t_j| − b, the margins at x and at an optimum x* have
//
//	a Σ_j w_j |m_j − t_j| ≤ Σ_j w_j f_j + b ≤ U + b,  so that  Σ_j w_j |z_jᵀ(x* − x)| ≤ (U + Σ_j w_j f_j(x) + 2b)/a =: B,
//
// for an upper bound U of P(x*) − φ(x*). With H = Σ_j w_j z_j z_jᵀ, g = Σ_j w_j c_j z_j for c_j = z_jᵀH⁻¹g, and
// |c_j| ≤ ρλ, λ² = gᵀH⁻¹g, ρ = max_j ‖z_j‖_{H⁻¹}. So P(x*) ≥ F(x*) ≥ F(x) − |gᵀ(x* − x)| ≥ F(x) − ρλB. Columns that
// are combinations of others are left out of H, since P has an optimum that equals x in them.
//
// It takes a Gram matrix, and up to as many passes as there are columns.
func certifyByGrowth(c *engine.Certifier) {
	o, ok := c.Problem.Oracle.(engine.Growing)
	ridge := engine.RidgeOf(c.Problem.Primal, c.D)
	// an oracle that embeds another one and changes EvalTo still has its Growth
	if !ok || engine.IsForeign(c.Problem.Oracle) || ridge == nil || math.IsInf(c.Objective, 1) || c.D > MaxColumns {
		return
	}
	a, b := o.Growth()
	if !(a > 0) {
		return
	}
	w := unpenalisedWeights(c)
	if w == nil {
		return
	}
	defer c.Release(w)
	if c.CertifyUpper(); math.IsInf(c.Best.Upper, 1) {
		return
	}
	c.LossesAboveTo(c.ScratchSpace())
	mean := c.Rows.Sum(c.N, func(lo, hi int) float64 { return kernel.Dot(w[lo:hi], c.ScratchSpace()[lo:hi]) })
	const slack = 1 + 1e-6 // for the rounding of w, of means and of this sum
	within := slack * (max(0, c.Best.Upper) + mean + 2*b) / a

	c.Spend(1)
	unpenalised, redundant := make([]float64, c.D), func(i int) bool { return ridge[i] == 0 && c.IsRedundant(i) }
	f := newQuadraticMinorant(o, c.Rows, unpenalised, w, redundant)
	if f == nil && c.Redundant == nil {
		findRedundant(c, o, ridge)
		f = newQuadraticMinorant(o, c.Rows, unpenalised, w, redundant)
	}
	if f == nil {
		return
	}
	lambda := f.gradientNorm(responseGradient(c, ridge), c.Err)
	enough := c.RelativeGap * c.Best.Magnitude(c.Objective) / (2 * lambda * within)
	rho, shortfall := f.maxRowNorm(c, o, w, enough, math.Inf(1))
	if !(shortfall <= 1) {
		rho, _ = f.maxRowNorm(c, o, w, math.Inf(1), 0)
	}
	p := c.ProveResponse()
	// at an optimum the losses are at most U, and not what they and φ are at x
	phi := c.Problem.Primal.Value(c.X) + max(0, c.Best.Upper)
	c.KeepLower(c.Y, p.Value, slack*lambda*rho*within, c.Rounding.MinimumRounding(p, c.X, phi))
}

// unpenalisedWeights returns weights w in Y with ψ(w) ≤ 0, which are the best response to equal losses, or nil if there
// are none. The caller releases them.
func unpenalisedWeights(c *engine.Certifier) []float64 {
	dual := c.Problem.Dual
	switch region := engine.RegionOf(dual); {
	case region == engine.Elsewhere:
		return nil
	case dual.Modulus() == 0 && region != engine.Point:
		s, ok := dual.(engine.Smoothable)
		if !ok {
			return nil
		}
		dual, _ = s.Smoothed(1, c.N)
	}
	w, equal := c.Vector(c.N), c.ScratchSpace()
	c.Rows.Run(c.N, func(_, lo, hi int) { clear(equal[lo:hi]) })
	dual.BestResponseTo(w, equal)
	return w
}
