package saddle

import (
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/sampling"
	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/kernel"
	"gonum.org/v1/gonum/floats"
)

// A Certificate bounds the optimal objective: dro.Certificate explains how, docs/math.md §11 the rounding.
type Certificate struct {
	Upper, Lower float64

	// Scale is the size of the objective at the first point evaluated. Relative gaps of optima
	// near 0 are measured against a part of Scale, so that they do not depend on the unit of the losses.
	Scale float64
}

// Gap returns Upper − Lower, a bound on the suboptimality of the point returned; +Inf
// while Lower is unknown. It is negative where the bounds contradict each other.
func (c Certificate) Gap() float64 { return c.Upper - c.Lower }

// Consistent reports that the bounds do not contradict each other. Bounds that do are
// those of an oracle whose rounding is larger than it says, or a mistake.
func (c Certificate) Consistent() bool { return c.Lower <= c.Upper }

// Relative returns Gap divided by the magnitude of Upper, +Inf while a bound is unknown or the
// bounds contradict each other.
func (c Certificate) Relative() float64 {
	if !c.Consistent() || math.IsInf(c.Gap(), 1) {
		return math.Inf(1)
	}
	return c.Gap() / c.Magnitude(c.Upper)
}

// Magnitude returns the divisor of a relative gap at this objective: the size of the objective,
// but at least 1e-12 of Scale, so that an optimum of 0 can be certified.
func (c Certificate) Magnitude(objective float64) float64 {
	const (
		share = 1e-12
		least = 1 << 60 * Underflow // an objective of 0 at every point is certified
	)
	return max(least, share*c.Scale, math.Abs(objective))
}

// A Certifier evaluates points and keeps the best of what they prove.
type Certifier struct {
	*Evaluator
	free bool // the last coordinate is unpenalised

	intercepts int // the number of last coordinates that are unpenalised, where they are several

	X, Y, G  []float64  // the last point evaluated (d), its best response (n) and Σ_j y_j ∇f_j (d)
	bound    []float64  // d: gradient at other weights
	Err      []float64  // d: bounds of the rounding of a gradient
	balanced []float64  // n: weights with ⟨y, slope⟩ = 0; allocated when free
	shifted  *Evaluator // at other values of the free coordinate; allocated by bracket

	Objective, Risk, Tau float64 // at the last point
	tried                bool    // Certify was called there

	Rounding roundingModel
	ridge    []float64  // d: the diagonal of ∇²φ; nil: φ is no ridge
	unit     bool       // weights sum to one
	Weights  weightSums // of the best response at the last point
	Margin   float64    // bounds what the margins there are off by
	Top      float64    // bounds the losses there

	Best              Certificate
	BestX             []float64
	BestObjective     float64 // at BestX, as computed
	bestRisk, bestTau float64

	responses responseCheck // of a dual that is not of this library

	scratchSpace []float64 // n; allocated by scratch
	Shortfall    float64   // by how much the curvature of CertifyAtDecrement fell short, so far; 0: not tried
}

// NewCertifier returns a certifier that has evaluated nothing.
func NewCertifier(p *Problem) *Certifier {
	e := NewEvaluator(p)
	c := &Certifier{
		Evaluator: e, free: FreeCount(p.Primal) == 1,
		X: make([]float64, e.D), Y: e.Vector(e.N), G: make([]float64, e.D),
		bound: make([]float64, e.D), Err: make([]float64, e.D), BestX: make([]float64, e.D),
		Rounding: newRoundingModel(p.Oracle, p.Dual), ridge: RidgeOf(p.Primal, e.D), unit: RegionOf(p.Dual) != Elsewhere,
		Best: Certificate{Upper: math.Inf(1), Lower: math.Inf(-1)}, BestObjective: math.Inf(1),
	}
	if c.free {
		c.balanced = e.Vector(e.N)
	}
	if k := FreeCount(p.Primal); k > 1 {
		c.intercepts = k
	}
	if o, ok := p.Oracle.(NonNegative); ok && o.NonNegative() && zeroIsLowerBound(p) {
		c.Best.Lower = 0
	}
	return c
}

// zeroIsLowerBound reports whether φ ≥ 0 and some y ≥ 0 in Y has ψ(y) = 0, so that losses ≥ 0 make 0 a
// lower bound of the objective.
func zeroIsLowerBound(p *Problem) bool {
	phi, signed := p.Primal.(NonNegative)
	return signed && phi.NonNegative() && RegionOf(p.Dual) != Elsewhere
}

// KeepsPromise reports a wrong best response of the points so far, or an oracle that says that its losses are ≥ 0, and has one below at the
// point last evaluated: one that embeds another, say, and changes what it computes alone.
func (c *Certifier) KeepsPromise() error {
	if c.responses.err != nil {
		return c.responses.err
	}
	o, ok := c.Problem.Oracle.(NonNegative)
	if !ok || !o.NonNegative() || !c.touched {
		return nil
	}
	below := c.Rows.Max(c.N, func(lo, hi int) float64 {
		most := math.Inf(-1)
		for _, v := range c.Value[lo:hi] {
			most = max(most, -v)
		}
		return most
	})
	if below > 1e-9*(1+math.Abs(c.Top)) { // more than rounding
		return fmt.Errorf("dro: the oracle says that its losses are ≥ 0 (NonNegative), and one of them is %v: an oracle that embeds another and changes EvalTo must have its own NonNegative", -below)
	}
	return nil
}

// Evaluate computes the objective P(x), the best response y and its gradient
// g = Σ_j y_j ∇f_j(x), and records the upper bound: one pass. It returns P(x),
// +Inf when it is not finite.
func (c *Certifier) Evaluate(x []float64) float64 {
	c.tried = false
	copy(c.X, x)
	c.Risk, c.Tau = c.Respond(c.G, c.Y, c.X)
	phi := c.Problem.Primal.Value(c.X)
	c.Objective = c.Risk + phi
	if math.IsNaN(c.Objective) || math.IsInf(c.Objective, 0) || !isFinite(c.X) || c.lossesMayOverflow() { // losses may fall to the end of the numbers
		c.Objective = math.Inf(1)
		vec.Fill(c.G, math.NaN())
		return c.Objective
	}
	c.Margin = c.Rounding.marginError(c.X)
	if c.Known && c.Rounding.largest != nil {
		c.Top, c.Weights = c.responded.Top, c.weightSumsOf(c.Y, c.Mass, c.Linear)
	} else {
		top := c.Rows.Scalars(c.N)
		c.Rows.Run(c.N, func(s, lo, hi int) { top[s] = kernel.Max(c.Value[lo:hi]) })
		c.Weights = c.sumWeights(c.Y, c.Value, top)
		c.Top = slices.Max(top)
	}
	if !c.Rounding.precise {
		c.checkResponse()
	}
	c.Objective = c.Risk + phi
	if c.Best.Scale == 0 {
		c.Best.Scale = math.Abs(c.Objective)
	}
	c.recordUpper(phi)
	return c.Objective
}

// recordUpper keeps the objective at the point last evaluated, more the bounds of its rounding, if it is
// the best upper bound. phi is φ there.
func (c *Certifier) recordUpper(phi float64) {
	rounding := c.RiskRounding() + c.UpperRounding() + c.PointRounding(phi)
	upper := c.Objective + rounding + 8*UnitRoundoff*(math.Abs(c.Risk)+math.Abs(phi)+rounding) + Underflow
	if math.IsNaN(upper) { // of margins that may have overflowed, and slopes of 0
		upper = math.Inf(1)
	}
	if upper < c.Best.Lower {
		upper = c.reconcile(upper, c.Best.Lower)
	}
	if upper < c.Best.Upper || math.IsInf(c.Best.Upper, 1) && c.Objective < c.BestObjective {
		c.BestObjective, c.bestRisk, c.bestTau = c.Objective, c.Risk, c.Tau
		c.Best.Upper = upper
		copy(c.BestX, c.X)
	}
}

// lossesMayOverflow reports whether differences of the losses may overflow. Losses of a Rounded oracle
// are not below 0, so that their differences cannot.
func (c *Certifier) lossesMayOverflow() bool {
	return c.Rounding.largest == nil && c.Rows.Max(c.N, func(lo, hi int) float64 { return floats.Norm(c.Value[lo:hi], math.Inf(1)) }) > math.MaxFloat64/2
}

// isFinite reports whether all entries of x are finite.
func isFinite(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return v-v != 0 })
}

// Certify records the lower bound min_x' L(x', y) ≥ L(x, y) − FenchelYoung(x, g)
// at the point x last evaluated and its best response y: no work, or half a pass
// or more when there is a free coordinate, once a point.
func (c *Certifier) Certify() {
	if !c.tried {
		c.tried = true
		c.CertifyWith(c.Y)
	}
}

// CertifyWith works like Certify for any feasible weights y: half a pass.
//
// A free coordinate b needs ∂L/∂b = 0. Where Y is the whole simplex the weights
// are balanced until it holds (balance); elsewhere, or where moving the weights
// costs more than it gains (a large ν), y stays as it is and two cuts on either
// side of the minimum over b are combined (bracket). Either costs passes, and is skipped if the
// lower bound that the gradient at x promises is no better than the best one.
func (c *Certifier) CertifyWith(y []float64) {
	if math.IsInf(c.Objective, 1) || (c.free || c.intercepts > 0) && &y[0] == &c.Y[0] && !(c.Objective-c.fenchelYoung() > c.Best.Lower) {
		return
	}
	switch {
	case c.intercepts > 0:
		c.certifyIntercepts(y)
	case !c.free && &y[0] == &c.Y[0]:
		c.ResponseGradientRounding(c.Err)
		c.recordLower(c.Risk, c.RiskRounding()+c.Rounding.LowerRounding(c.Weights, c.Margin), c.G, c.Err)
	case !c.free:
		c.GradTo(c.bound, y)
		c.recordLowerWith(y, c.sumWeights(y, c.Value), 0)
	case RegionOf(c.Problem.Dual) == Whole && !c.certifyBalanced(y):
	case c.balances(y, 8*c.Rounding.sums):
		c.GradTo(c.bound, y)
		c.bound[c.D-1] = 0
		w := c.sumWeights(y, c.Value)
		w.Off += 8 * c.Rounding.sums
		c.recordLowerWith(y, w, 8*c.Rounding.sums)
	default:
		w := c.sumWeights(y, c.Value)
		if linear, rounding, ok := c.combineShiftedCuts(y, w); ok {
			psi, implied := c.penaltyBound(y)
			c.recordLower(linear-psi, rounding+c.ownRounding(w, psi, 0)+implied, c.bound, c.Err)
		}
	}
}

// fenchelYoung returns the Fenchel-Young term of the best response at the point last evaluated,
// that of a free coordinate left out and rounding not looked at.
func (c *Certifier) fenchelYoung() float64 {
	if copy(c.bound, c.G); c.free {
		c.bound[c.D-1] = 0
	}
	clear(c.bound[c.D-c.intercepts:])
	return c.Problem.Primal.FenchelYoung(c.X, c.bound)
}

// AdoptWeights replaces the best response at the point last evaluated by weights y, feasible up to
// rounding, with penalty ψ(y) = psi, for lower bounds: half a pass.
func (c *Certifier) AdoptWeights(y []float64, psi float64) {
	c.whole, c.tried = false, false
	lo, hi := c.Rows.LocalRange(c.N)
	copy(c.Y[lo:hi], y[lo:hi])
	c.GradTo(c.G, c.Y)
	c.responded = responded{DirectRounding: math.NaN(), Psi: psi, Infeasibility: c.infeasibility(y), adopted: true}
	c.Weights = c.sumWeights(c.Y, c.Value)
	c.Weights.Off += 8 * UnitRoundoff // of sums that were made to be one
	c.Risk = c.weightedLoss(c.Y, c.Value) - psi
}

// respondsWithY reports that the weights adopted are a best response at the best point within
// the gap.
func (c *Certifier) respondsWithY() bool {
	return c.Weights.Off <= 1e-9 && c.bestRisk-c.Risk <= c.Best.Gap()
}

// CertifyAdopted records the bound of the weights adopted. A free coordinate must have no
// derivative there but by the rounding of weights that balance it exactly.
func (c *Certifier) CertifyAdopted() {
	relative := 0.0
	copy(c.bound, c.G)
	if c.free {
		if relative = 8 * c.Rounding.sums; !c.balances(c.Y, relative) {
			return
		}
		c.bound[c.D-1] = 0
	}
	w := c.Weights
	w.Off += relative
	c.Rounding.gradientRounding(c.Err, w, relative)
	c.recordLower(c.Risk, c.ownRounding(w, c.Psi, relative)+c.Rounding.LowerRounding(w, c.Margin), c.bound, c.Err)
}

// penaltyBound returns ψ(y) or an upper bound of ψ(y). If the bound is derived from the risk, implied is
// the rounding of the risk.
func (c *Certifier) penaltyBound(y []float64) (psi, implied float64) {
	if d, ok := c.Problem.Dual.(Adversary); ok && d.ImpliesPenalty() && &y[0] == &c.Y[0] {
		return c.weightedLoss(y, c.Value) - c.Risk, c.RiskRounding()
	}
	return c.Problem.Dual.Value(y), 0
}

// ResponseGradientRounding stores bounds of the rounding of c.G in dst. For KL the weights returned
// and the weights in the gradient differ by the rounding of their exponents:
// uΣ y_j(16 + 4|log(y_j/max y)|), and Σ y_j log²(y_j/max y) ≤ log²n + 2 log n + 2.
func (c *Certifier) ResponseGradientRounding(dst []float64) {
	relative := UnitRoundoff * (32 + 8*math.Log(float64(c.N)))
	c.Rounding.gradientRounding(dst, c.Weights, relative)
}

// recordLowerWith records the bound of weights y, of gradient c.bound but for further relative
// errors of the weights.
func (c *Certifier) recordLowerWith(y []float64, w weightSums, relative float64) (left float64) {
	psi := c.Problem.Dual.Value(y)
	c.Rounding.gradientRounding(c.Err, w, relative)
	return c.recordLower(c.weightedLoss(y, c.Value)-psi, c.ownRounding(w, psi, relative)+c.Rounding.LowerRounding(w, c.Margin), c.bound, c.Err)
}

// recordLower keeps inner − rounding + φ(x) − FenchelYoung(x, g) if it is the best lower bound, for a
// gradient g off by at most err. It returns the Fenchel-Young term.
func (c *Certifier) recordLower(inner, rounding float64, g, err []float64) (left float64) {
	phi := c.Problem.Primal.Value(c.X)
	left = c.FenchelYoung(c.X, g, err)
	c.KeepLower(inner, phi, left, rounding+c.PointRounding(phi))
	return left
}

// KeepLower keeps inner + phi − left − rounding, less the rounding of this sum, if it is the best lower
// bound.
func (c *Certifier) KeepLower(inner, phi, left, rounding float64) {
	rounding += 8*UnitRoundoff*(math.Abs(inner)+math.Abs(phi)+left+rounding) + Underflow
	lower := inner + phi - left - rounding
	if lower > c.Best.Upper {
		lower = c.reconcile(lower, c.Best.Upper)
	}
	if lower > c.Best.Lower { // false for NaN
		c.Best.Lower = lower
	}
}

// weightedLoss returns ⟨y, f⟩.
func (c *Certifier) weightedLoss(y, f []float64) float64 {
	return c.Rows.Sum(c.N, func(lo, hi int) float64 { return kernel.Dot(y[lo:hi], f[lo:hi]) })
}

// Scratch returns n numbers for any use.
func (c *Certifier) Scratch() []float64 {
	if c.scratchSpace == nil {
		c.scratchSpace = c.Vector(c.N)
	}
	return c.scratchSpace
}

// EffectiveShare returns the effective number of samples that the adversary rests on, as a
// share of all.
func (c *Certifier) EffectiveShare() float64 {
	return sampling.ShardedStripes(c.Rows, c.N).EffectiveNumber(c.Y) / float64(c.N)
}
