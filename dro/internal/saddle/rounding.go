package saddle

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/shard"
	"gonum.org/v1/gonum/floats"
)

// What rounding can have done to a bound, from above (math: §11). unit is the unit
// roundoff u of double precision, γ_k = ku/(1 − ku): a sum of k products in any order,
// fused or not, is off by γ_k times the sum of their sizes at most.
const UnitRoundoff = 0x1p-53

// Gamma returns γ_k and a little more, for the arithmetic on bounds.
func Gamma(k int) float64 {
	ku := float64(k) * UnitRoundoff
	if ku >= 0.5 {
		return math.Inf(1)
	}
	return (1 + 1e-6) * ku / (1 - ku)
}

// SumGamma returns γ of a sum over n samples, shard by shard, of terms that a few operations made.
func SumGamma(rows *ranks.Rows, n int) float64 {
	const more = 64 // operations on a term in addition to being added
	shards := rows.Shards(n)
	return Gamma(n/shards + shards + more)
}

const (
	LossRounding = 0x1p-49  // of a loss and its tangent, relative to the loss: Rounded
	Underflow    = 0x1p-990 // more than what all that underflows in a sum can add up to

	unknownRounding = 0x1p-40 // of losses that nothing is said of, relative to the largest so far
)

// A roundingModel holds the constants that bound the rounding of a problem.
type roundingModel struct {
	sums    float64   // γ of a sum over samples
	margins float64   // γ of a margin
	point   float64   // γ of a sum over parameters
	largest []float64 // of Rounded; nil: the oracle is not Rounded
	smooth  float64   // of Rounded
	precise bool      // the dual is an Adversary, or Precise
	met     float64   // of an oracle that is not Rounded: the largest |f_j| of the points so far
}

func newRoundingModel(o Oracle, d Dual) roundingModel {
	const more = 64 // operations on a term in addition to being added
	n, k, _ := o.Dims()
	e := roundingModel{sums: SumGamma(RowsOf(o), n), point: Gamma(k + more)}
	if e.precise = Has[Adversary](d); !e.precise {
		p, ok := d.(Precise)
		e.precise = ok && p.IsPrecise()
	}
	if r, ok := o.(Rounded); ok {
		var terms int
		terms, e.largest, e.smooth = r.Rounding()
		e.margins = Gamma(terms + 2)
	}
	return e
}

// marginError bounds |m − z_jᵀx| for the margins m as they are computed at x.
func (e *roundingModel) marginError(x []float64) float64 {
	if e.largest == nil {
		return 0
	}
	size := 0.0
	for i, v := range x {
		size += e.largest[i] * math.Abs(v)
	}
	return e.margins*(1+e.point)*size + Underflow
}

// IsEmptyColumn reports that column i is known to be of zeros.
func (e *roundingModel) IsEmptyColumn(i int) bool { return e.largest != nil && e.largest[i] == 0 }

// weightSums are the sums over weights y and losses f that bound the rounding of ⟨y, f⟩.
type weightSums struct {
	Off   float64 // bounds |Σy − 1| where weights sum to one
	mean  float64 // bounds Σ_j y_j |f_j|
	slope float64 // bounds Σ_j y_j |slope_j|; 0 if the oracle is not Rounded
	total float64 // Σ_j |y_j|
}

// infeasibility returns the largest relative change of a weight when reference weights are mixed in to
// bring y into Y.
func (c *Certifier) infeasibility(y []float64) float64 {
	if &y[0] == &c.Y[0] {
		return c.Infeasibility
	}
	if d, ok := c.Problem.Dual.(Adversary); ok {
		return d.Infeasibility(y)
	}
	return 0
}

// sumWeights returns the sums of weights y ≥ 0 at losses f that bounds of rounding need. Losses of a
// Rounded oracle have slope² ≤ 2·smooth·f. with are numbers of every shard, shared in the same call.
func (c *Certifier) sumWeights(y, f []float64, with ...[]float64) weightSums {
	mass, linear := c.Rows.Scalars(c.N), c.Rows.Scalars(c.N)
	c.Rows.Run(c.N, func(s, lo, hi int) {
		mass[s] = kernel.Sum(y[lo:hi])
		if c.Rounding.largest != nil {
			linear[s] = kernel.Dot(y[lo:hi], f[lo:hi])
			return
		}
		mass[s] = 0 // weights may be negative
		for j := lo; j < hi; j++ {
			mass[s] += math.Abs(y[j])
			linear[s] += math.Abs(y[j] * f[j])
		}
	})
	c.Rows.Share(append(with, mass, linear)...)
	if c.Rounding.largest == nil {
		c.Rounding.met = max(c.Rounding.met, c.Rows.Max(c.N, func(lo, hi int) float64 { return floats.Norm(f[lo:hi], math.Inf(1)) }))
	}
	return c.weightSumsOf(y, vec.Sum(mass), vec.Sum(linear))
}

// weightSumsOf returns the weightSums of weights y with Σ y = total and Σ_j y_j |f_j| = linear.
func (c *Certifier) weightSumsOf(y []float64, total, linear float64) weightSums {
	w := weightSums{mean: (1 + 2*c.Rounding.sums) * linear, total: total}
	if c.unit {
		w.Off = math.Abs(total-1) + c.Rounding.sums*total + c.infeasibility(y)
	}
	if c.Rounding.largest != nil {
		w.slope = (1 + 1e-9) * math.Sqrt(2*c.Rounding.smooth*w.mean*total)
	}
	return w
}

// largestSlope bounds the |slope_j| of losses up to top.
func (e *roundingModel) largestSlope(top float64) float64 {
	if e.largest == nil {
		return 0
	}
	return (1 + 1e-9) * math.Sqrt(2*e.smooth*top)
}

// LowerRounding bounds by how much ⟨y, f(x)⟩ can be below ⟨y, f⟩, weights y and losses f as
// computed with margins off by margin.
func (e *roundingModel) LowerRounding(w weightSums, margin float64) float64 {
	return LossRounding*w.mean + (1+1e-9)*w.slope*margin + Underflow
}

// MinimumRounding bounds by how much the minimum over x' of ⟨y, f(x')⟩ + φ(x') can be below
// that of the losses whose margins are shifted by what they are off by at x, margin at
// most, less the rounding of the losses there. With k = √(2 sup ℓ″) and slopes of k√ℓ at
// most, a loss rises by a shift of e by no more than k√ℓ·e, ℓ the loss after it; and at the
// minimum ⟨y, f⟩ is at most what it is at x and φ(x).
func (e *roundingModel) MinimumRounding(w weightSums, margin, phi float64) float64 {
	k := (1 + 1e-9) * math.Sqrt(2*e.smooth) * margin
	return LossRounding*w.mean + k*(1+w.Off)*(math.Sqrt(w.mean+phi)+3*k) + Underflow
}

// UpperRounding bounds by how much R(f(x)) can be above the risk of the losses as computed, at the
// point last evaluated.
func (c *Certifier) UpperRounding() float64 { return c.lossRounding(c.Weights, c.Margin, c.Top) }

// lossRounding bounds R(f(x)) − R(f) for the losses f as computed, top the largest and w the sums of
// the best response to them. Only an oracle that is not Rounded has top < 0. With δ_j ≥ f_j(x) − f_j
// and ψ strongly convex with modulus ν in the norm ‖·‖₁, or in ‖·‖₂ with νn, R is smooth: R(f + δ) ≤
// R(f) + ⟨y, δ⟩ + max δ²/(2ν), and R(f + δ) ≤ R(f) + max δ on the simplex. Where weights are each
// for itself, of a modulus ν·scale² in ‖·‖₂, it is R(f) + ⟨y, δ⟩ + ‖δ‖²/(2ν scale²), and
// R(f) + max δ·Σ max y.
func (c *Certifier) lossRounding(w weightSums, margin, top float64) float64 {
	e := &c.Rounding
	curved := e.smooth * margin * margin / 2 * (1 + w.Off)
	mean := e.LowerRounding(w, margin) + curved
	if RegionOf(c.Problem.Dual) == Point {
		return mean
	}
	most := LossRounding*max(0, top) + (1+1e-9)*e.largestSlope(top)*margin + curved + Underflow
	nu := c.Problem.Dual.Modulus()
	second := (1 + 1e-9) * most / nu * most / 2
	switch {
	case c.unit && nu > 0:
		return min(most, mean+(w.Off+2*e.sums+c.thresholdRounding(nu)/nu)*most+second)
	case c.unit:
		return most
	}
	o, normed := c.Problem.Dual.(Normed)
	switch {
	case !normed || !e.precise:
		if nu > 0 {
			return mean + float64(c.N)*second
		}
		return max(mean, w.total*most)
	case nu > 0 && second > 0:
		scale := o.NormScale(c.N)
		return min(mean+float64(c.N)*(second/scale/scale), o.TotalWeight(c.N)*most)
	case nu > 0:
		return mean
	}
	return o.TotalWeight(c.N) * most
}

// LossesAboveTo stores in dst numbers that the losses at the point last evaluated, without
// rounding, are not above.
func (c *Certifier) LossesAboveTo(dst []float64) {
	e := &c.Rounding
	curved := e.smooth*c.Margin*c.Margin/2 + Underflow
	k := len(c.Slope) / c.N
	shard.Run(c.N, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			dst[j] = c.Value[j]
			if e.largest != nil {
				dst[j] += (1 + 1e-9) * (LossRounding*math.Abs(c.Value[j]) + floats.Norm(c.Slope[j*k:(j+1)*k], 1)*c.Margin + curved)
			}
		}
	})
}

// PenaltyAbove bounds ψ of d at y/Σy, for weights y ≥ 0 of sum one but for rounding, from
// above: KL, χ² and the like.
func (c *Certifier) PenaltyAbove(d Dual, y []float64) float64 {
	psi, nu := d.Value(y), d.Modulus()
	mass := shard.Sum(c.N, func(lo, hi int) float64 { return kernel.Sum(y[lo:hi]) })
	r := (1 + mass) * (c.Rounding.sums + math.Abs(mass-1))
	return psi + (1+1e-9)*(r*penaltySize(psi, nu)+4*nu*r*r) + c.imprecisionBound(nu, mass) + Underflow
}

// imprecisionBound bounds the further error of the penalty and the risk of a dual that is not Precise;
// 0 for any other.
func (c *Certifier) imprecisionBound(nu, mass float64) float64 {
	if c.Rounding.precise {
		return 0
	}
	return c.Rounding.sums * (1 + mass) * (nu + math.Abs(c.Top))
}

// reconcile returns the lower or upper bound to keep beside the other one. For an oracle that is not
// Rounded, a bound beyond the other one by no more than the possible rounding of its losses is set
// equal to it.
func (c *Certifier) reconcile(bound, other float64) float64 {
	if c.Rounding.largest == nil && math.Abs(bound-other) <= unknownRounding*c.Rounding.met {
		return other
	}
	return bound
}

// penaltySize bounds the terms whose rounding is that of a penalty of value psi, for KL
// and χ²: Σ y|log ny| ≤ KL + √(2KL), mean|ny − 1| ≤ √(2χ²) and the like.
func penaltySize(psi, nu float64) float64 {
	psi = math.Abs(psi)
	return 2*psi + 3*math.Sqrt(2*nu*psi)
}

// ownRounding bounds |⟨y', f⟩ − ψ(y') − (linear − psi)| for the weights y' = y/Σy and
// sums as computed; where relative bounds further relative errors of the weights, for
// those weights.
func (c *Certifier) ownRounding(w weightSums, psi, relative float64) float64 {
	nu := max(c.Multiplier, c.Problem.Dual.Modulus())
	r := c.Rounding.sums + w.Off + relative
	return r*(w.mean+penaltySize(psi, nu)) + 4*nu*r*r + c.imprecisionBound(nu, w.total) + Underflow
}

// RiskRounding bounds |risk − R(f)|, and |risk − ⟨y', f⟩ + ψ(y')| for y' = y/Σy, of the
// response last computed. One argument serves all duals on the simplex (math: §11). The risk is the
// Lagrangian ⟨y, f⟩ − νD(y) + (ν − Nu)·Radius of the weights y = w·a, a the exact maximiser at the
// multipliers ν and τ for losses within δ of f (thresholdRounding): whatever ν and τ are, the
// Lagrangian less τ(Σy − 1) is above R of these losses. R moves by ⟨y, δ⟩ + max δ²/(2ν) between the two
// sets of losses, the first of which y takes back, and scaling y to a sum of one costs
// (ν/2 + ψ)(Σy − 1)², both of second order.
func (c *Certifier) RiskRounding() float64 {
	if RegionOf(c.Problem.Dual) == Whole && c.Problem.Dual.Modulus() == 0 && !c.adopted {
		return 0 // the largest loss, as it is
	}
	psi, nu := c.Psi, max(c.Multiplier, c.Problem.Dual.Modulus())
	if math.IsNaN(psi) {
		psi = c.Problem.Dual.Value(c.Y)
	}
	rounding := c.DirectRounding
	if math.IsNaN(rounding) {
		rounding = c.ownRounding(c.Weights, psi, 0)
	}
	rounding += c.ResponseRounding
	if c.unit && nu > 0 {
		off := c.thresholdRounding(nu)
		rounding += min(2*off, off/nu*off/2) + (nu/2+psi)*c.Weights.Off*c.Weights.Off
	}
	return rounding
}

// thresholdRounding bounds by how much the losses that the weights are the exact response to, at a
// multiplier nu and some threshold, are off the losses as computed, where there is weight: quotients by
// nu and differences are, by some units of roundoff, and exponentials of at most 745.
func (c *Certifier) thresholdRounding(nu float64) float64 {
	return 8 * UnitRoundoff * (1000*nu + math.Abs(c.Top) + math.Abs(c.Tau))
}

// gradientRounding stores in dst bounds of |g_i − Σ_j y'_j slope_j z_ji|, for g the sum
// over weights y as computed, y' = y/Σy and the slopes as they are; relative bounds
// further relative errors of the weights.
func (e *roundingModel) gradientRounding(dst []float64, w weightSums, relative float64) {
	if e.largest == nil {
		clear(dst)
		return
	}
	size := (1+1e-9)*(e.sums+w.Off+relative)*w.slope + Underflow
	for i, z := range e.largest {
		dst[i] = size * z
	}
}

// FenchelYoung bounds FenchelYoung(x, g') for every g' within err of g, but equal to it in
// a coordinate without a penalty. It is 1/μ-smooth in g', with a gradient of √(2FY/μ) at
// most: FY(g') ≤ (√FY + ‖err‖/√(2μ))². Of a φ without a modulus whose X is not known it is
// that of g.
func (c *Certifier) FenchelYoung(x, g, err []float64) float64 {
	if c.ridge == nil {
		left, mu := (1+c.Rounding.point)*c.Problem.Primal.FenchelYoung(x, g), c.Problem.Primal.Modulus()
		size := floats.Norm(err, 2)
		if c.free {
			size = floats.Norm(err[:c.D-1], 2)
		}
		if mu > 0 {
			r := math.Sqrt(left) + (1+1e-9)*size/math.Sqrt(2*mu)
			return (1 + 8*UnitRoundoff) * r * r
		}
		if Has[Geometry](c.Problem.Primal) {
			left += 2 * size
		}
		return left
	}
	s := 0.0
	for i, mu := range c.ridge {
		if i >= c.D-c.intercepts { // certifyIntercepts
			continue
		}
		if c.free && i == c.D-1 {
			if g[i] != 0 {
				return math.Inf(1)
			}
			continue
		}
		r := math.Abs(g[i]+mu*x[i]) + err[i] + 4*UnitRoundoff*(math.Abs(g[i])+mu*math.Abs(x[i]))
		if r != 0 {
			s += r / max(mu, 0) * r // +Inf for μ = 0, of either sign
		}
	}
	if math.IsNaN(s) { // of gradients that overflowed
		return math.Inf(1)
	}
	return (1 + c.Rounding.point) * s / 2
}

// PointRounding bounds the rounding of φ(x) = phi.
func (c *Certifier) PointRounding(phi float64) float64 {
	if c.ridge != nil {
		return c.Rounding.point * math.Abs(phi)
	}
	return c.Rounding.point * (math.Abs(phi) + penaltySize(phi, c.Problem.Primal.Modulus()))
}
