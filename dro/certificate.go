package dro

import (
	"math"

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
// which for φ = (μ/2)‖·‖² is L(x, y) − ‖∇_x L(x, y)‖²/(2μ). The bounds hold in
// exact arithmetic; both are moved outwards by an allowance for rounding.
type Certificate struct {
	Upper, Lower float64
}

// Gap returns Upper − Lower ≥ 0, a bound on the suboptimality of the point
// returned; +Inf while Lower is unknown.
func (c Certificate) Gap() float64 { return c.Upper - c.Lower }

// Relative returns Gap/max(1e-12, |Upper|), +Inf while a bound is unknown.
func (c Certificate) Relative() float64 {
	if math.IsInf(c.Gap(), 1) {
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
	balanced []float64  // n: weights with ⟨y, slope⟩ = 0; allocated when free
	cut      *evaluator // at other values of the free coordinate; allocated by bracket

	objective, risk, tau float64 // at the last point

	best              Certificate
	bestX             []float64
	bestObjective     float64 // the best Upper without its allowance for rounding
	bestRisk, bestTau float64

	spare  []float64 // n; allocated by scratch
	excess float64   // by how much the curvature of certifyAt fell short, so far; 0: not tried
}

func newCertifier(p *Problem) *certifier {
	e := newEvaluator(p)
	c := &certifier{
		evaluator: e, free: freeLast(p.Primal),
		x: make([]float64, e.d), y: make([]float64, e.n), g: make([]float64, e.d),
		bound: make([]float64, e.d), bestX: make([]float64, e.d),
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
	if c.objective < c.bestObjective {
		c.bestObjective, c.bestRisk, c.bestTau = c.objective, c.risk, c.tau
		c.best.Upper = c.objective + c.allowance(math.Abs(c.risk)+math.Abs(phi))
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
		c.record(c.risk, math.Abs(c.risk), c.g)
	case !c.free:
		c.gradTo(c.bound, y)
		c.recordWith(y, c.linear(y, c.value), c.bound)
	default:
		if whole && !c.certifyBalanced(y) {
			return
		}
		if linear, size, ok := c.bracket(c.bound, y); ok {
			psi := c.penalty(y)
			c.record(linear-psi, size+math.Abs(psi), c.bound)
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

// certifyBalanced records the bound of the balanced weights. It reports whether
// moving the weights there cost more than what is left of the gap, close enough
// to the optimum for that to matter: other weights would then prove more.
func (c *certifier) certifyBalanced(y []float64) (dear bool) {
	const near = 0.1
	if !balance(c.balanced, y, c.slope) {
		return false // far from the optimum: all slopes have one sign
	}
	c.gradTo(c.bound, c.balanced)
	c.bound[c.d-1] = 0 // by the balance, up to rounding
	left := c.recordWith(c.balanced, c.linear(c.balanced, c.value), c.bound)
	cost := c.p.Dual.Value(c.balanced) - c.p.Dual.Value(y)
	return cost > left+c.allowance(math.Abs(c.objective)) && left < near*math.Abs(c.objective)
}

// recordWith records the bound of weights y, ⟨y, f(x)⟩ = linear and gradient g.
func (c *certifier) recordWith(y []float64, linear float64, g []float64) (left float64) {
	psi := c.p.Dual.Value(y)
	return c.record(linear-psi, math.Abs(linear)+math.Abs(psi), g)
}

// record keeps inner + φ(x) − FenchelYoung(x, g) if it is the best lower bound,
// less an allowance for sums of the given size. It returns the Fenchel-Young term.
func (c *certifier) record(inner, size float64, g []float64) (left float64) {
	phi := c.p.Primal.Value(c.x)
	left = c.p.Primal.FenchelYoung(c.x, g)
	if lower := inner + phi - left - c.allowance(size+math.Abs(phi)); lower > c.best.Lower { // false for NaN
		c.best.Lower = lower
	}
	return left
}

// linear returns ⟨y, f⟩.
func (c *certifier) linear(y, f []float64) float64 {
	return shard.Sum(c.n, func(lo, hi int) float64 {
		s := 0.0
		for j := lo; j < hi; j++ {
			s += y[j] * f[j]
		}
		return s
	})
}

// wholeSimplex is implemented by duals whose Y is the simplex without further
// bounds, on which weights may be rescaled and normalised at will.
type wholeSimplex interface{ wholeSimplex() }

func (KL) wholeSimplex()        {}
func (ChiSquare) wholeSimplex() {}

// bracket finds values b₁, b₂ of the free coordinate with derivatives r₁, r₂ of
// ⟨y, f⟩ of opposite signs, near the x last evaluated. The mixture of the two
// cuts of f with weights θ, 1 − θ such that θr₁ + (1−θ)r₂ = 0 does not depend on
// the free coordinate: it returns its value at x, the size of the terms that make
// it up, and its gradient in g. One pass for every point tried and half of one;
// false if no sign change was found.
func (c *certifier) bracket(g, y []float64) (value, size float64, ok bool) {
	const tries = 60
	if c.cut == nil {
		c.cut = &evaluator{p: c.p, n: c.n, d: c.d, value: make([]float64, c.n), slope: make([]float64, len(c.slope)), part: c.part}
	}
	defer func() { c.passes += c.cut.passes; c.cut.passes = 0 }()
	k := c.d - 1
	at := append([]float64(nil), c.x...)
	near := make([]float64, c.d)
	c.gradTo(near, y)
	nearValue, nearB := c.linear(y, c.value), at[k]
	if near[k] == 0 {
		copy(g, near)
		return nearValue, math.Abs(nearValue), true
	}
	step := -near[k] / c.freeCurvature(y)
	for range tries {
		at[k] = nearB + step
		c.cut.eval(at)
		c.cut.gradTo(g, y)
		farValue := c.linear(y, c.cut.value)
		if r, s := near[k], g[k]; r*s <= 0 {
			theta := s / (s - r)
			value = theta*(nearValue-r*nearB) + (1-theta)*(farValue-s*at[k])
			size = theta*(math.Abs(nearValue)+math.Abs(r*nearB)) + (1-theta)*(math.Abs(farValue)+math.Abs(s*at[k]))
			for i := range g {
				g[i] = theta*near[i] + (1-theta)*g[i]
			}
			g[k] = 0 // by the choice of θ, up to rounding
			return value, size, true
		}
		copy(near, g)
		nearValue, nearB = farValue, at[k]
		step *= 2
	}
	return 0, 0, false
}

// freeCurvature returns the second derivative of ⟨y, f⟩ in the free coordinate at
// the x last evaluated, a little less so that a Newton step with it overshoots,
// but not so little that the step leaves the scale of the problem; 1 for an
// oracle that does not tell. It touches no sample.
func (c *certifier) freeCurvature(y []float64) float64 {
	const overshoot, least = 1.1, 1e-2
	o, ok := ability[Curved](c.p.Oracle)
	if !ok {
		return 1
	}
	o.CurvatureTo(c.cut.value, c.slope, 0, c.n)
	return math.Max(c.linear(y, c.cut.value)/overshoot, least)
}

// allowance bounds the rounding error of sums of n terms of total size.
func (c *certifier) allowance(size float64) float64 {
	const eps = 0x1p-52
	return eps * (16 + math.Sqrt(float64(c.n)/float64(shard.Count(c.n)))) * size
}

// balance stores in dst the weights y scaled by one factor where the slope is
// positive and another where it is negative, such that ⟨dst, slope⟩ = 0 and
// Σ dst = 1: feasible weights whose gradient in the free coordinate vanishes.
// Near an optimum ⟨y, slope⟩ ≈ 0, both factors are near 1 and the loss is of
// second order. It reports false when all slopes have one sign.
func balance(dst, y, slope []float64) bool {
	var up, down, massUp, massDown, massZero float64
	for j, w := range y {
		switch s := slope[j]; {
		case s > 0:
			up += w * s
			massUp += w
		case s < 0:
			down -= w * s
			massDown += w
		default:
			massZero += w
		}
	}
	if !(up > 0 && down > 0) {
		return false
	}
	a, b := 2*down/(up+down), 2*up/(up+down)
	total := a*massUp + b*massDown + massZero
	a, b, z := a/total, b/total, 1/total
	for j, w := range y {
		switch s := slope[j]; {
		case s > 0:
			dst[j] = a * w
		case s < 0:
			dst[j] = b * w
		default:
			dst[j] = z * w
		}
	}
	return true
}
