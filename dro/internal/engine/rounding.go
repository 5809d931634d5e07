package engine

import (
	"math"

	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/ranks"
	"gonum.org/v1/gonum/floats"
)

// The functions below bound the effect of rounding on the bounds of a certificate (math: §11). Let u be the unit
// roundoff of double precision and γ_k = ku/(1 − ku). The error of a sum of k products, in any order and with or
// without fused operations, is at most γ_k times the sum of their absolute values.

// UnitRoundoff is the unit roundoff u of double precision.
const UnitRoundoff = 0x1p-53

// Gamma returns γ_k, slightly enlarged to account for the arithmetic with bounds.
func Gamma(k int) float64 {
	ku := float64(k) * UnitRoundoff
	if ku >= 0.5 {
		return math.Inf(1)
	}
	return (1 + 1e-6) * ku / (1 - ku)
}

// SumGamma returns γ for a sum over n samples, added shard by shard, including a few operations for each term.
func SumGamma(rows *ranks.Rows, n int) float64 {
	const more = 64 // number of operations for a term in addition to the addition
	shards := rows.Shards(n)
	return Gamma(n/shards + shards + more)
}

const (
	LossRounding = 0x1p-49  // relative rounding error of a loss and of its tangent, as specified by Rounded
	Underflow    = 0x1p-990 // upper bound of the total error of all underflows in a sum

	// assumed rounding error of losses that are not Rounded, relative to the largest loss so far
	unknownRounding = 0x1p-40
)

// A roundingModel holds the constants that bound the rounding errors of a problem.
type roundingModel struct {
	sums    float64   // γ of a sum over samples
	margins float64   // relative rounding error γ of a margin
	point   float64   // γ of a sum over parameters
	largest []float64 // largest absolute entries of the columns, from Rounded; nil if the oracle is not Rounded
	smooth  float64   // supremum of ℓ″, from Rounded
	precise bool      // the dual is an Adversary, or Precise
	met     float64   // largest |f_j| at the points so far, if the oracle is not Rounded
}

func newRoundingModel(o saddle.Oracle, d saddle.Dual) roundingModel {
	const more = 64 // number of operations for a term in addition to the addition
	n, k, _ := o.Dims()
	e := roundingModel{sums: SumGamma(RowsOf(o), n), point: Gamma(k + more)}
	if e.precise = Implements[Adversary](d); !e.precise {
		p, ok := d.(saddle.Precise)
		e.precise = ok && p.IsPrecise()
	}
	if r, ok := o.(saddle.Rounded); ok {
		var terms int
		terms, e.largest, e.smooth = r.Rounding()
		e.margins = Gamma(terms + 2)
	}
	return e
}

// MarginError bounds |m − z_jᵀx| for the computed margins m at x.
func (e *roundingModel) MarginError(x []float64) float64 {
	if e.largest == nil {
		return 0
	}
	size := 0.0
	for i, v := range x {
		size += e.largest[i] * math.Abs(v)
	}
	return e.margins*(1+e.point)*size + Underflow
}

// IsEmptyColumn reports whether all entries of column i are known to be zero.
func (e *roundingModel) IsEmptyColumn(i int) bool { return e.largest != nil && e.largest[i] == 0 }

// Sums holds computed sums for weights y at losses f.
type Sums struct {
	Linear, Size, Mass float64 // ⟨y, f⟩, Σ_j |y_j f_j| and Σ_j |y_j|
	Top                float64 // the largest loss
}

// A Proof holds the bound that weights y prove at computed losses f: some feasible weights y' close to y satisfy
// ⟨y', f⟩ − ψ(y') ≥ Value.
type Proof struct {
	Sums  // sums that do not involve Top
	Value float64
	Off   float64 // upper bound of |y'_j/y_j − 1|
}

// Prove returns the proof of weights y at the losses of the last point evaluated. relative bounds additional
// relative errors of the weights. groups holds the weights over groups that y results from; nil means that there
// are none or they are unknown.
func (c *Certifier) Prove(y, groups []float64, relative float64) Proof {
	if a, ok := c.Problem.Dual.(Adversary); ok {
		return a.ValueBelow(y, c.Value, groups, relative)
	}
	p, psi := Proof{Sums: c.sumLosses(y, c.Value), Off: relative}, c.Problem.Dual.Value(y)
	p.Value = p.Linear - psi - c.ownRounding(psi, &p.Sums, relative)
	return p
}

// ProveResponse returns the proof of the best response, or of the adopted weights, at the last point evaluated.
func (c *Certifier) ProveResponse() *Proof {
	if c.proof == nil {
		var p Proof
		if b := c.boundRisk(); !c.adopted && b.below > math.Inf(-1) {
			const exponents = 4 * 750 // exponents are at most 750; see ResponseGradientRounding
			p = Proof{Sums: b.sums, Value: b.below, Off: exponents*UnitRoundoff + 2*c.Rounding.sums}
		} else {
			p = c.Prove(c.Y, c.Groups, 0)
		}
		c.proof = &p
	}
	return c.proof
}

// A riskBounds holds an Adversary's bounds of the risk at computed losses.
type riskBounds struct {
	below, above float64
	sums         Sums
}

// boundRisk returns an Adversary's bounds of the risk at the last point evaluated. They are computed at most once
// for each point.
func (c *Certifier) boundRisk() *riskBounds {
	if c.risk == nil {
		c.risk = &riskBounds{below: math.Inf(-1), above: math.Inf(1)}
		if a, ok := c.Problem.Dual.(Adversary); ok {
			c.risk.below, c.risk.above, c.risk.sums = a.RiskBounds(c.Value, c.Multipliers)
		}
	}
	return c.risk
}

// proofOf returns the proof of the weights w at the last point evaluated.
func (c *Certifier) proofOf(w weighting) Proof {
	if w.isOwn {
		return *c.ProveResponse()
	}
	return c.Prove(w.y, nil, 0)
}

// penaltyBound returns an upper bound of ψ(y').
func (p *Proof) penaltyBound(sums float64) float64 { return p.Linear + 2*(sums+p.Off)*p.Size - p.Value }

// ownRounding bounds the rounding errors of ⟨y, f⟩ − ψ(y) and of the risk for a dual that is not an Adversary,
// given psi = ψ(y) and the sums of y. The bound is larger if the dual is not Precise.
func (c *Certifier) ownRounding(psi float64, sums *Sums, relative float64) float64 {
	nu := c.Problem.Dual.Modulus()
	rounding := PenaltyRounding(sums.Size, psi, nu, c.Rounding.sums+relative)
	if !c.Rounding.precise {
		rounding += c.imprecisionBound(sums.Mass, c.largestAbsoluteLoss())
	}
	return rounding
}

// imprecisionBound bounds the additional error of the penalty and the risk of a dual that is not Precise, for
// weights with sum mass and losses of the given size.
func (c *Certifier) imprecisionBound(mass, size float64) float64 {
	return c.Rounding.sums * (1 + mass) * (c.Problem.Dual.Modulus() + size)
}

// penaltySize bounds the sum of the absolute values of the terms of a penalty with value psi, for KL and χ², by
// inequalities such as Σ y|log ny| ≤ KL + √(2KL) and mean|ny − 1| ≤ √(2χ²).
func penaltySize(psi, nu float64) float64 {
	psi = math.Abs(psi)
	return 2*psi + 3*math.Sqrt(2*nu*psi)
}

// PenaltyRounding bounds the rounding errors of Σ y|f| ≤ size and of a penalty psi with modulus nu, for weights
// whose relative errors, including those of their sums, are at most r (math: §11).
func PenaltyRounding(size, psi, nu, r float64) float64 {
	return r*(size+penaltySize(psi, nu)) + 4*nu*r*r + Underflow
}

// sumLosses returns the sums for weights y at losses f, except the largest loss.
func (c *Certifier) sumLosses(y, f []float64) (p Sums) {
	parts := [3][]float64{c.Rows.Scalars(c.N), c.Rows.Scalars(c.N), c.Rows.Scalars(c.N)}
	c.Rows.Run(c.N, func(s, lo, hi int) {
		parts[0][s], parts[2][s] = kernel.Dot(y[lo:hi], f[lo:hi]), floats.Norm(y[lo:hi], 1)
		if parts[1][s] = parts[0][s]; c.Rounding.largest == nil { // weights and losses may be negative
			parts[1][s] = 0
			for j := lo; j < hi; j++ {
				parts[1][s] += math.Abs(y[j] * f[j])
			}
		}
	})
	c.Rows.AllGather(parts[:]...)
	p.Linear, p.Size, p.Mass = Sum(parts[0]), Sum(parts[1]), Sum(parts[2])
	return p
}

// slopeBound bounds Σ_j |y_j slope_j| for a Rounded oracle, for which slope² ≤ 2·smooth·f. It returns 0 for other
// oracles.
func (e *roundingModel) slopeBound(p *Sums) float64 {
	if e.largest == nil {
		return 0
	}
	return (1 + 1e-6) * math.Sqrt(2*e.smooth*p.Size*p.Mass)
}

// largestAbsoluteLoss returns the largest f_j at the last point evaluated.
func (c *Certifier) largestLoss() float64 {
	return c.Rows.Max(c.N, func(lo, hi int) float64 { return kernel.Max(c.Value[lo:hi]) })
}

// largestAbsoluteLoss returns the largest |f_j| at the last point evaluated.
func (c *Certifier) largestAbsoluteLoss() float64 {
	return c.Rows.Max(c.N, func(lo, hi int) float64 { return floats.Norm(c.Value[lo:hi], math.Inf(1)) })
}

// LowerRounding bounds the amount by which ⟨y, f(x)⟩ can be below ⟨y, f⟩ for computed weights y and losses f whose
// margins have an error of at most margin.
func (e *roundingModel) LowerRounding(w *Sums, margin float64) float64 {
	return 2*LossRounding*w.Size + e.slopeBound(w)*margin + Underflow
}

// MinimumRounding bounds the amount by which the minimum over x' of ⟨y, f(x')⟩ + φ(x') can be below that for losses
// whose margins are shifted by their errors at x. It includes the rounding of the losses at x. With k = √(2 sup
// ℓ″), slopes are at most k√ℓ, so that a shift of e raises a loss by at most k√ℓ·e, where ℓ is the loss after the
// shift. At the minimum, ⟨y, f⟩ is at most its value at x plus φ(x).
func (e *roundingModel) MinimumRounding(w *Proof, x []float64, phi float64) float64 {
	k := (1 + 1e-6) * math.Sqrt(2*e.smooth) * e.MarginError(x)
	return 2*LossRounding*w.Size + k*(1+w.Off)*(math.Sqrt(w.Size+phi)+3*k) + Underflow
}

// LossesAboveTo stores in dst upper bounds of the exact losses at the last point evaluated.
func (c *Certifier) LossesAboveTo(dst []float64) {
	e := &c.Rounding
	margin := e.MarginError(c.X)
	curved := e.smooth*margin*margin/2 + Underflow
	k := len(c.Slope) / c.N
	c.Rows.Run(c.N, func(_, lo, hi int) {
		copy(dst[lo:hi], c.Value[lo:hi])
		if e.largest == nil {
			return
		}
		for j := lo; j < hi; j++ {
			slope := math.Abs(c.Slope[j*k])
			for _, v := range c.Slope[j*k+1 : (j+1)*k] {
				slope += math.Abs(v)
			}
			dst[j] += (1 + 1e-9) * (LossRounding*math.Abs(c.Value[j]) + slope*margin + curved)
		}
	})
}

// riskAbove returns an upper bound of R(f(x)) at the last point evaluated, given its multipliers and the computed
// losses f.
func (c *Certifier) riskAbove() float64 {
	d := c.Problem.Dual
	if Implements[Adversary](d) {
		b := c.boundRisk()
		rise, most := c.lossRounding(&b.sums)
		if above := b.above + rise; above < b.sums.Top+most {
			return above
		}
		return b.sums.Top + most // R(f) is at most the largest loss
	}
	y, f := c.Vector(c.N), c.ScratchSpace()
	defer c.Release(y)
	c.LossesAboveTo(f)
	risk, _ := d.BestResponseTo(y, f)
	sums := c.sumLosses(y, f)
	return risk + c.ownRounding(d.Value(y), &sums, 0)
}

// lossRounding bounds the amounts by which the rounding errors of the losses, δ_j ≥ f_j(x) − f_j, raise an upper
// bound U(f) of the risk, and the largest loss. U is the bound at the multipliers τ and ν, whose weights y have the
// given sums. With the threshold τ + max δ, U increases by max δ. With the threshold τ, it increases by ⟨y, δ⟩
// plus, if δ ≤ ν, at most (1 + Σ y) max δ²/ν.
func (c *Certifier) lossRounding(sums *Sums) (risk, largest float64) {
	e := &c.Rounding
	if e.largest == nil {
		return 0, 0
	}
	margin, nu := e.MarginError(c.X), c.Nu
	curved := e.smooth * margin * margin / 2
	top := max(0, sums.Top)
	mean := e.LowerRounding(sums, margin) + (1+1e-6)*curved*sums.Mass
	most := 2*LossRounding*top + (1+1e-6)*math.Sqrt(2*e.smooth*top)*margin + curved + Underflow
	switch {
	case RegionOf(c.Problem.Dual) == Point:
		return mean, most
	case most <= nu:
		return min(most, mean+(1+sums.Mass)*most/nu*most), most
	}
	return most, most
}

// reconcile returns the bound to record, given the other bound. If the oracle is not Rounded, and the lower bound
// exceeds the upper one by no more than the possible rounding of the losses, the bound is set equal to the other.
func (c *Certifier) reconcile(bound, other float64) float64 {
	if c.Rounding.largest == nil && math.Abs(bound-other) <= unknownRounding*c.Rounding.met {
		return other
	}
	return bound
}

// gradientRounding stores bounds of |g_i − Σ_j y'_j slope_j z_ji| in dst, where g is the computed sum with weights
// y, and y' = y/Σy. relative bounds additional relative errors of the weights.
func (e *roundingModel) gradientRounding(dst []float64, w *Proof, relative float64) {
	if e.largest == nil {
		clear(dst)
		return
	}
	size := (1+1e-9)*(e.sums+w.Off+relative)*e.slopeBound(&w.Sums) + Underflow
	for i, z := range e.largest {
		dst[i] = size * z
	}
}

// FenchelYoung bounds FenchelYoung(x, g') for every g' within err of g that is equal to g in the coordinates
// without a penalty. The function is 1/μ-smooth in g' with a gradient of at most √(2FY/μ), so that FY(g') ≤ (√FY +
// ‖err‖/√(2μ))². If φ has no modulus and X is unknown, it returns the value at g.
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
		if Implements[saddle.Geometry](c.Problem.Primal) {
			left += 2 * size
		}
		return left
	}
	s := 0.0
	for i, mu := range c.ridge {
		if i >= c.D-c.intercepts { // accounted for in certifyIntercepts
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
			s += r / max(mu, 0) * r // +Inf if μ = 0, regardless of its sign
		}
	}
	if math.IsNaN(s) { // a gradient overflowed
		return math.Inf(1)
	}
	return (1 + c.Rounding.point) * s / 2
}

// PointRounding bounds the rounding error of φ(x) = phi.
func (c *Certifier) PointRounding(phi float64) float64 {
	if c.ridge != nil {
		return c.Rounding.point * math.Abs(phi)
	}
	return c.Rounding.point * (math.Abs(phi) + penaltySize(phi, c.Problem.Primal.Modulus()))
}
