package dro

import (
	"math"

	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/shard"
	"gonum.org/v1/gonum/floats"
)

// What rounding can have done to a bound, from above (math: §11). unit is the unit
// roundoff u of double precision, γ_k = ku/(1 − ku): a sum of k products in any order,
// fused or not, is off by γ_k times the sum of their sizes at most.
const unit = 0x1p-53

// gammaOf returns γ_k and a little more, for the arithmetic on bounds.
func gammaOf(k int) float64 {
	ku := float64(k) * unit
	if ku >= 0.5 {
		return math.Inf(1)
	}
	return (1 + 1e-6) * ku / (1 - ku)
}

const (
	lossRounding = 0x1p-49  // of a loss and its tangent, relative to the loss: Rounded
	underflow    = 0x1p-990 // more than what all that underflows in a sum can add up to
)

// Rounded is the ability of an Oracle of losses f_j(x) = ℓ_j(z_jᵀx) ≥ 0, with scalar
// slopes, to say how exactly they are computed. Without it a certificate is one up to
// the rounding of the oracle's values and gradients.
type Rounded interface {
	// Rounding returns the number of products that a margin sums at most, for every
	// column i a number largest[i] ≥ |z_ji| for all j, and smoothness = sup ℓ_j″. No
	// largest means that nothing can be said. What EvalTo stores at a margin m, as it
	// computed it, is such that
	//
	//	|value − ℓ(m)| ≤ 2⁻⁴⁹ value,   ℓ(a) ≥ (1 − 2⁻⁴⁹)·value + slope·(a − m)  for all a.
	Rounding() (terms int, largest []float64, smoothness float64)
}

// An exactness is what is known of a problem's rounding.
type exactness struct {
	sums    float64   // γ of a sum over samples
	margins float64   // γ of a margin
	point   float64   // γ of a sum over parameters
	largest []float64 // of Rounded; nil: the oracle is taken at its word
	smooth  float64   // of Rounded
}

func newExactness(o Oracle) exactness {
	const more = 64 // operations on a term besides being added
	n, d, _ := o.Dims()
	count := shard.Count(n)
	e := exactness{sums: gammaOf(n/count + count + more), point: gammaOf(d + more)}
	if r, ok := ability[Rounded](o); ok {
		var terms int
		terms, e.largest, e.smooth = r.Rounding()
		e.margins = gammaOf(terms + 2)
	}
	return e
}

// margin bounds |m − z_jᵀx| for the margins m as they are computed at x.
func (e *exactness) margin(x []float64) float64 {
	if e.largest == nil {
		return 0
	}
	size := 0.0
	for i, v := range x {
		size += e.largest[i] * math.Abs(v)
	}
	return e.margins*(1+e.point)*size + underflow
}

// A weighing is what weights y, and the losses f they are on, have to do with rounding.
type weighing struct {
	off   float64 // bounds |Σy − 1| where weights sum to one
	mean  float64 // bounds Σ_j y_j |f_j|
	slope float64 // bounds Σ_j y_j |slope_j|; 0 if the oracle is taken at its word
}

// sumsToOne reports that Y is a part of the simplex.
func sumsToOne(d Dual) bool {
	switch d.(type) {
	case wholeSimplex, fixedWeights, partOfSimplex:
		return true
	}
	return false
}

// weigh returns what there is to know of the weights y ≥ 0 at losses f. The losses that
// Rounded is about have slope² ≤ 2·smooth·f.
func (c *certifier) weigh(y, f []float64) weighing {
	var mass, linear [shard.Limit]float64
	shard.Run(c.n, func(s, lo, hi int) {
		mass[s] = kernel.Sum(y[lo:hi])
		if c.exact.largest != nil {
			linear[s] = kernel.Dot(y[lo:hi], f[lo:hi])
			return
		}
		for j := lo; j < hi; j++ {
			linear[s] += math.Abs(y[j] * f[j])
		}
	})
	count := shard.Count(c.n)
	total := sum(mass[:count])
	w := weighing{mean: (1 + 2*c.exact.sums) * sum(linear[:count])}
	if c.unit {
		w.off = math.Abs(total-1) + c.exact.sums*total
	}
	if c.exact.largest != nil {
		w.slope = (1 + 1e-9) * math.Sqrt(2*c.exact.smooth*w.mean*total)
	}
	return w
}

// steepest bounds the |slope_j| of losses up to top.
func (e *exactness) steepest(top float64) float64 {
	if e.largest == nil {
		return 0
	}
	return (1 + 1e-9) * math.Sqrt(2*e.smooth*top)
}

// falls bounds by how much ⟨y, f(x)⟩ can be below ⟨y, f⟩, weights y and losses f as
// computed with margins off by margin.
func (e *exactness) falls(w weighing, margin float64) float64 {
	return lossRounding*w.mean + (1+1e-9)*w.slope*margin + underflow
}

// rises bounds by how much R(f(x)) can be above R(f), for the losses f as computed, top
// the largest, and w of the best response to them. With δ_j ≥ f_j(x) − f_j and ψ strongly
// convex with modulus ν in the norm ‖·‖₁, or in ‖·‖₂ with νn, R is smooth: R(f + δ) ≤
// R(f) + ⟨y, δ⟩ + max δ²/(2ν), and R(f + δ) ≤ R(f) + max δ on the simplex.
func (c *certifier) rises(w weighing, margin, top float64) float64 {
	e := &c.exact
	curved := e.smooth * margin * margin / 2 * (1 + w.off)
	mean := e.falls(w, margin) + curved
	if _, fixed := c.p.Dual.(fixedWeights); fixed {
		return mean
	}
	most := lossRounding*top + (1+1e-9)*e.steepest(top)*margin + curved + underflow
	nu := c.p.Dual.Modulus()
	second := (1 + 1e-9) * most / nu * most / 2
	switch {
	case c.unit && nu > 0:
		return min(most, mean+(w.off+2*e.sums*(1+c.cancelled))*most+second)
	case c.unit:
		return most
	case nu > 0:
		return mean + float64(c.n)*second
	}
	if o, ok := c.p.Dual.(Normed); ok {
		return o.TotalWeight(c.n) * most
	}
	return mean
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
func (c *certifier) ownRounding(w weighing, psi, relative float64) float64 {
	nu := max(c.price, c.p.Dual.Modulus())
	r := c.exact.sums + w.off + relative
	return r*(w.mean+penaltySize(psi, nu)) + 4*nu*r*r + underflow
}

// riskRounding bounds |risk − R(f)|, and |risk − ⟨y', f⟩ + ψ(y')| for y' = y/Σy, of the
// response last computed.
func (c *certifier) riskRounding() float64 {
	_, whole := c.p.Dual.(wholeSimplex)
	switch nu := c.p.Dual.Modulus(); {
	case whole && nu == 0:
		return 0 // the largest loss, as it is
	case !math.IsNaN(c.own):
		return c.own
	case !math.IsNaN(c.psi):
		return c.ownRounding(c.weights, c.psi, 0) + c.second
	}
	rounding := c.ownRounding(c.weights, c.penalty(c.y), 0)
	if nu := c.p.Dual.Modulus(); c.unit && nu > 0 { // a threshold is found to the rounding of the losses
		off := 6 * unit * (nu + math.Abs(c.top) + math.Abs(c.tau))
		rounding += min(2*off, off/nu*off/2)
	}
	return rounding
}

// gradientRounding stores in dst bounds of |g_i − Σ_j y'_j slope_j z_ji|, for g the sum
// over weights y as computed, y' = y/Σy and the slopes as they are; relative bounds
// further relative errors of the weights, cancelled what its terms exceed them by, in
// sum, and steepest the slopes.
func (e *exactness) gradientRounding(dst []float64, w weighing, relative, cancelled, steepest float64) {
	if e.largest == nil {
		clear(dst)
		return
	}
	size := (1+1e-9)*((e.sums+w.off+relative)*w.slope+2*e.sums*cancelled*steepest) + underflow
	for i, z := range e.largest {
		dst[i] = size * z
	}
}

// fenchelYoung bounds FenchelYoung(x, g') for every g' within err of g, but equal to it in
// a coordinate without a penalty. It is 1/μ-smooth in g', with a gradient of √(2FY/μ) at
// most: FY(g') ≤ (√FY + ‖err‖/√(2μ))². Of a φ without a modulus whose X is not known it is
// that of g.
func (c *certifier) fenchelYoung(x, g, err []float64) float64 {
	if c.ridge == nil {
		left, mu := (1+c.exact.point)*c.p.Primal.FenchelYoung(x, g), c.p.Primal.Modulus()
		size := floats.Norm(err, 2)
		if c.free {
			size = floats.Norm(err[:c.d-1], 2)
		}
		if mu > 0 {
			r := math.Sqrt(left) + (1+1e-9)*size/math.Sqrt(2*mu)
			return (1 + 8*unit) * r * r
		}
		if _, simplex := c.p.Primal.(bounded); simplex {
			left += 2 * size
		}
		return left
	}
	s := 0.0
	for i, mu := range c.ridge {
		if c.free && i == c.d-1 {
			if g[i] != 0 {
				return math.Inf(1)
			}
			continue
		}
		r := math.Abs(g[i]+mu*x[i]) + err[i] + 4*unit*(math.Abs(g[i])+mu*math.Abs(x[i]))
		if r > 0 {
			s += r / mu * r // +Inf for μ = 0
		}
	}
	return (1 + c.exact.point) * s / 2
}

// pointRounding bounds the rounding of φ(x) = phi.
func (c *certifier) pointRounding(phi float64) float64 {
	if c.ridge != nil {
		return c.exact.point * math.Abs(phi)
	}
	return c.exact.point * (math.Abs(phi) + penaltySize(phi, c.p.Primal.Modulus()))
}
