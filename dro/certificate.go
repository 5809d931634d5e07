package dro

import (
	"math"

	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/shard"
)

// A Certificate bounds the optimal objective: Lower ≤ min_x max_y L ≤ Upper, in
// loss units. Upper is the objective at the point returned; Lower is −Inf while
// nothing is known.
//
// For any x and any y in Y, convexity of f gives L(x', y) ≥ ⟨y, f(x)⟩ − ψ(y) +
// ⟨g, x' − x⟩ + φ(x') with g = Σ_j y_j ∇f_j(x), hence
//
//	min_x' L(x', y) ≥ L(x, y) − FenchelYoung(x, g),
//
// which for φ = (μ/2)‖·‖² is L(x, y) − ‖∇_x L(x, y)‖²/(2μ). Both bounds are moved
// outwards by what rounding can have done to them (math: §11), which an oracle must be
// able to tell: where it is not Rounded they are bounds up to the rounding of its values
// and gradients.
type Certificate struct {
	Upper, Lower float64
}

// Gap returns Upper − Lower, a bound on the suboptimality of the point returned; +Inf
// while Lower is unknown. It is negative where the bounds contradict each other.
func (c Certificate) Gap() float64 { return c.Upper - c.Lower }

// Consistent reports that the bounds do not contradict each other. Bounds that do are
// those of an oracle whose rounding is larger than it says, or a mistake.
func (c Certificate) Consistent() bool { return c.Lower <= c.Upper }

// Relative returns Gap/max(1e-12, |Upper|), +Inf while a bound is unknown or the bounds
// contradict each other.
func (c Certificate) Relative() float64 {
	if !c.Consistent() || math.IsInf(c.Gap(), 1) {
		return math.Inf(1)
	}
	return c.Gap() / math.Max(1e-12, math.Abs(c.Upper))
}

// A certifier evaluates points and keeps the best of what they prove.
type certifier struct {
	*evaluator
	free bool // the last coordinate is unpenalised

	x, y, g  []float64  // the last point evaluated (d), its best response (n) and Σ_j y_j ∇f_j (d)
	bound    []float64  // d: gradient at other weights
	err      []float64  // d: bounds of the rounding of a gradient
	balanced []float64  // n: weights with ⟨y, slope⟩ = 0; allocated when free
	cut      *evaluator // at other values of the free coordinate; allocated by bracket

	objective, risk, tau float64 // at the last point

	exact   exactness
	ridge   []float64 // d: the diagonal of ∇²φ; nil: φ is no ridge
	unit    bool      // weights sum to one
	weights weighing  // of the best response at the last point
	margin  float64   // bounds what the margins there are off by
	top     float64   // bounds the losses there

	best              Certificate
	bestX             []float64
	bestObjective     float64 // at bestX, as computed
	bestRisk, bestTau float64

	spare  []float64 // n; allocated by scratch
	excess float64   // by how much the curvature of certifyAt fell short, so far; 0: not tried
}

func newCertifier(p *Problem) *certifier {
	e := newEvaluator(p)
	c := &certifier{
		evaluator: e, free: freeLast(p.Primal),
		x: make([]float64, e.d), y: make([]float64, e.n), g: make([]float64, e.d),
		bound: make([]float64, e.d), err: make([]float64, e.d), bestX: make([]float64, e.d),
		exact: newExactness(p.Oracle), ridge: ridgeOf(p.Primal, e.d), unit: sumsToOne(p.Dual),
		best: Certificate{Upper: math.Inf(1), Lower: math.Inf(-1)}, bestObjective: math.Inf(1),
	}
	if c.free {
		c.balanced = make([]float64, e.n)
	}
	if o, ok := ability[NonNegative](p.Oracle); ok && o.NonNegative() && normalised(p) {
		c.best.Lower = 0
	}
	return c
}

// normalised reports that φ ≥ 0 and that some y ≥ 0 in Y has ψ(y) = 0, so that
// f ≥ 0 makes 0 a lower bound of every objective.
func normalised(p *Problem) bool {
	phi, signed := p.Primal.(NonNegativePrimal)
	psi, unpriced := p.Dual.(Unpriced)
	return signed && phi.NonNegative(p.Primal) && unpriced && psi.Unpriced(p.Dual)
}

// evaluate computes the objective P(x), the best response y and its gradient
// g = Σ_j y_j ∇f_j(x), and records the upper bound: one pass. It returns P(x),
// +Inf when it is not finite.
func (c *certifier) evaluate(x []float64) float64 {
	copy(c.x, x)
	c.risk, c.tau = c.respond(c.g, c.y, x)
	phi := c.p.Primal.Value(x)
	c.objective = c.risk + phi
	if math.IsNaN(c.objective) || math.IsInf(c.objective, 0) {
		c.objective = math.Inf(1)
		fill(c.g, math.NaN())
		return c.objective
	}
	c.weights, c.margin = c.weigh(c.y, c.value), c.exact.margin(x)
	c.weights.off += c.outside
	c.top = shard.Max(c.n, func(lo, hi int) float64 { return kernel.Max(c.value[lo:hi]) })
	rounding := c.riskRounding() + c.rises(c.weights, c.margin, c.top) + c.pointRounding(phi)
	upper := c.objective + rounding + 8*unit*(math.Abs(c.risk)+math.Abs(phi)+rounding) + underflow
	if upper < c.best.Upper || math.IsInf(c.best.Upper, 1) && c.objective < c.bestObjective {
		c.bestObjective, c.bestRisk, c.bestTau = c.objective, c.risk, c.tau
		c.best.Upper = upper
		copy(c.bestX, x)
	}
	return c.objective
}

// certify records the lower bound min_x' L(x', y) ≥ L(x, y) − FenchelYoung(x, g)
// at the point x last evaluated and its best response y: no work, or half a pass
// or more when there is a free coordinate.
func (c *certifier) certify() { c.certifyWith(c.y) }

// certifyWith is certify for other feasible weights y: half a pass.
//
// A free coordinate b needs ∂L/∂b = 0. Where Y is the whole simplex the weights
// are balanced until it holds (balance); elsewhere, or where moving the weights
// costs more than it gains (a large ν), y stays as it is and two cuts on either
// side of the minimum over b are combined (bracket).
func (c *certifier) certifyWith(y []float64) {
	if math.IsInf(c.objective, 1) {
		return
	}
	_, whole := c.p.Dual.(wholeSimplex)
	switch {
	case !c.free && &y[0] == &c.y[0]:
		c.responseGradientRounding(c.err)
		c.record(c.risk, c.riskRounding()+c.exact.falls(c.weights, c.margin), c.g, c.err)
	case !c.free:
		c.gradTo(c.bound, y)
		c.recordWith(y, c.weigh(y, c.value), 0)
	case whole && !c.certifyBalanced(y):
	default:
		w := c.weigh(y, c.value)
		if linear, rounding, ok := c.bracket(y, w); ok {
			psi := c.penalty(y)
			c.record(linear-psi, rounding+c.ownRounding(w, psi, 0), c.bound, c.err)
		}
	}
}

// penalty returns ψ(y), or an upper bound of it.
func (c *certifier) penalty(y []float64) float64 {
	if d, ok := c.p.Dual.(interface{ impliesPenalty() bool }); ok && d.impliesPenalty() && &y[0] == &c.y[0] {
		return c.linear(y, c.value) - c.risk
	}
	return c.p.Dual.Value(y)
}

// responseGradientRounding is gradientRounding of c.g. The weights that a response is
// given with and those in the gradient differ by the rounding of their exponents, for KL:
// uΣ y_j(16 + 4|log(y_j/max y)|), and Σ y_j log²(y_j/max y) ≤ log²n + 2 log n + 2.
func (c *certifier) responseGradientRounding(dst []float64) {
	relative := unit * (32 + 8*math.Log(float64(c.n)))
	c.exact.gradientRounding(dst, c.weights, relative, c.cancelled, c.exact.steepest(c.top))
}

// recordWith records the bound of weights y, of gradient c.bound but for further relative
// errors of the weights.
func (c *certifier) recordWith(y []float64, w weighing, relative float64) (left float64) {
	psi := c.p.Dual.Value(y)
	c.exact.gradientRounding(c.err, w, relative, 0, 0)
	return c.record(c.linear(y, c.value)-psi, c.ownRounding(w, psi, relative)+c.exact.falls(w, c.margin), c.bound, c.err)
}

// record keeps inner + φ(x) − FenchelYoung(x, g) if it is the best lower bound, inner
// less its rounding and g within err. It returns the Fenchel-Young term.
func (c *certifier) record(inner, rounding float64, g, err []float64) (left float64) {
	phi := c.p.Primal.Value(c.x)
	left = c.fenchelYoung(c.x, g, err)
	c.keep(inner, phi, left, rounding+c.pointRounding(phi))
	return left
}

// keep keeps inner + phi − left less the rounding of its terms and of this sum, if it is
// the best lower bound.
func (c *certifier) keep(inner, phi, left, rounding float64) {
	rounding += 8*unit*(math.Abs(inner)+math.Abs(phi)+left+rounding) + underflow
	if lower := inner + phi - left - rounding; lower > c.best.Lower { // false for NaN
		c.best.Lower = lower
	}
}

// linear returns ⟨y, f⟩.
func (c *certifier) linear(y, f []float64) float64 {
	return shard.Sum(c.n, func(lo, hi int) float64 { return kernel.Dot(y[lo:hi], f[lo:hi]) })
}

// wholeSimplex is implemented by duals whose Y is the simplex without further
// bounds, on which weights may be rescaled and normalised at will.
type wholeSimplex interface{ wholeSimplex() }

func (KL) wholeSimplex()        {}
func (ChiSquare) wholeSimplex() {}
