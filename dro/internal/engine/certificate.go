package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/internal/kernel"
	"gonum.org/v1/gonum/floats"
)

// A point is a point at which the losses were evaluated, with its best response, objective, risk bounds and proof.
type point struct {
	X         []float64 // d
	Response            // the best response, or weights that were adopted instead
	G         []float64 // d numbers: Σ_j y_j ∇f_j for its weights y
	Objective float64

	tried, bounded bool        // tried: Certify was called; bounded: the upper bound is known
	risk           *riskBounds // nil if not computed
	proof          *Proof      // proof of the weights; nil if not computed
}

// A Certifier evaluates points and keeps the best bounds found.
type Certifier struct {
	*Evaluator
	point // the point last evaluated

	free       bool // whether the last coordinate is unpenalised
	intercepts int  // number of last coordinates that are unpenalised if there are several, otherwise 0

	bound    []float64  // of length d: gradient at other weights
	Err      []float64  // d bounds of the rounding error of a gradient
	balanced []float64  // n weights with ⟨y, slope⟩ = 0; allocated when needed
	shifted  *Evaluator // evaluator at other values of the free coordinate; allocated when needed

	Rounding roundingModel
	ridge    []float64 // d numbers: the diagonal of ∇²φ; nil if φ is not a Ridge

	KeepsDual bool      // whether Dual is kept
	Dual      []float64 // n weights of Best.Lower; nil if unknown

	isAnsweredByDual bool // the weights of the result are Dual

	RelativeGap   float64 // required relative gap; 0: unknown
	Best          saddle.Certificate
	BestX         []float64 // point with the smallest computed objective
	BestObjective float64   // objective at the best point
	upper         struct {  // the point of Best.Upper
		x                    []float64
		objective, risk, tau float64
	}

	responses responseCheck // checks the best responses of a user-defined dual

	scratchSpace []float64 // of length n; allocated by ScratchSpace

	Redundant   []bool // d flags: columns that can be omitted without changing the minimum; nil if unknown
	IsDeficient bool   // columns without a penalty are linearly dependent up to rounding

	Shortfall float64 // factor by which the curvature of CertifyAtDecrement has been too small; 0 if not tried
}

// IsRedundant reports whether the minimum is known not to change if coordinate i is omitted.
func (c *Certifier) IsRedundant(i int) bool {
	return c.Rounding.IsEmptyColumn(i) || c.Redundant != nil && c.Redundant[i]
}

// NewCertifier returns a certifier that has not evaluated any point.
func NewCertifier(p *saddle.Problem) *Certifier {
	e := NewEvaluator(p)
	c := &Certifier{
		Evaluator: e, free: FreeCount(p.Primal) == 1,
		point: point{X: make([]float64, e.D), Response: Response{Y: e.Vector(e.N)}, G: make([]float64, e.D)},
		bound: make([]float64, e.D), Err: make([]float64, e.D), BestX: make([]float64, e.D),
		Rounding: newRoundingModel(p.Oracle, p.Dual), ridge: RidgeOf(p.Primal, e.D),
		Best: saddle.Certificate{Upper: math.Inf(1), Lower: math.Inf(-1)}, BestObjective: math.Inf(1),
	}
	c.upper.x, c.upper.objective = make([]float64, e.D), math.Inf(1)
	if c.free {
		c.balanced = e.Vector(e.N)
	}
	if k := FreeCount(p.Primal); k > 1 {
		c.intercepts = k
	}
	if o, ok := p.Oracle.(saddle.NonNegative); ok && o.NonNegative() && isZeroLowerBound(p) {
		c.Best.Lower = 0
	}
	return c
}

// isZeroLowerBound reports whether φ ≥ 0 and some y ≥ 0 in Y has ψ(y) = 0, so that losses ≥ 0 make 0 a
// lower bound of the objective.
func isZeroLowerBound(p *saddle.Problem) bool {
	phi, signed := p.Primal.(saddle.NonNegative)
	return signed && phi.NonNegative() && RegionOf(p.Dual) != Elsewhere
}

// CheckPromises returns an error if a best response was wrong, if an oracle returned NaN, or if an oracle that states
// that its losses are ≥ 0 has a negative loss at the point last evaluated. An oracle that embeds another one and
// changes its results may have such a loss.
func (c *Certifier) CheckPromises() error {
	if c.responses.err != nil {
		return c.responses.err
	}
	o, ok := c.Problem.Oracle.(saddle.NonNegative)
	if !ok || !o.NonNegative() || !c.touched {
		return nil
	}
	below := c.Rows.Max(c.N, func(lo, hi int) float64 { return -floats.Min(c.Value[lo:hi]) })
	if below > 1e-9 && below > 1e-9*(1+math.Abs(c.largestLoss())) { // the difference exceeds rounding
		return fmt.Errorf("dro: the oracle's NonNegative method states that losses are ≥ 0, but one loss is %v: an oracle "+
			"that embeds another oracle and changes EvalTo needs its own NonNegative method", -below)
	}
	return nil
}

// Evaluate computes the objective P(x), the best response y and its gradient g = Σ_j y_j ∇f_j(x), in one pass. It
// returns P(x), or +Inf if P(x) is not finite or the losses are so large that their differences may overflow. If this
// may complete the certificate, it also computes the upper bound.
func (c *Certifier) Evaluate(x []float64) float64 {
	copy(c.X, x)
	c.point = point{X: c.X, G: c.G, Response: c.Respond(c.G, c.Y, c.X, c.Multipliers)}
	c.Objective = c.Risk + c.Problem.Primal.Value(c.X)
	// losses may be −Inf
	if math.IsNaN(c.Objective) || math.IsInf(c.Objective, 0) || !isFinite(c.X) || c.lossesMayOverflow() {
		c.checkNumbers()
		c.Objective = math.Inf(1)
		Fill(c.G, math.NaN())
		return c.Objective
	}
	if !isFinite(c.G) {
		c.checkNumbers()
	}
	if !c.Rounding.precise {
		c.checkResponse()
	}
	if c.Best.Scale == 0 {
		c.Best.Scale = math.Abs(c.Objective)
	}
	if c.Objective < c.BestObjective {
		c.BestObjective = c.Objective
		copy(c.BestX, c.X)
	}
	c.certifyUpperIfClose(c.Best.Lower)
	return c.Objective
}

// certifyUpperIfClose computes the upper bound at the last point evaluated if, ignoring rounding, it would certify the
// required gap together with the given lower bound.
func (c *Certifier) certifyUpperIfClose(lower float64) {
	if c.Objective-lower <= c.RelativeGap*c.Best.Magnitude(c.Objective) {
		c.CertifyUpper()
	}
}

// CertifyUpper records the upper bound at the last point evaluated, at most once for each point, unless a point with
// a smaller objective has one already. It takes no pass, but requires the losses at that point, which a method may
// have overwritten.
func (c *Certifier) CertifyUpper() {
	if c.bounded || !c.whole || math.IsInf(c.Objective, 1) {
		return
	}
	if c.bounded = true; c.Objective > c.upper.objective && !math.IsInf(c.Best.Upper, 1) {
		return // a better point has a certificate
	}
	risk, phi := c.riskAbove(), c.Problem.Primal.Value(c.X)
	rounding := c.PointRounding(phi)
	upper := risk + phi + rounding + 8*UnitRoundoff*(math.Abs(risk)+math.Abs(phi)+rounding) + Underflow
	if math.IsNaN(upper) { // margins overflowed, or slopes are 0
		upper = math.Inf(1)
	}
	if upper < c.Best.Lower {
		upper = c.reconcile(upper, c.Best.Lower)
	}
	if u := &c.upper; upper < c.Best.Upper || math.IsInf(c.Best.Upper, 1) && c.Objective < u.objective {
		c.Best.Upper = upper
		copy(u.x, c.X)
		u.objective, u.risk, u.tau = c.Objective, c.Risk, c.Tau
	}
}

// lossesMayOverflow reports whether differences of the losses may overflow, which is impossible for a Rounded
// oracle, whose losses are ≥ 0.
func (c *Certifier) lossesMayOverflow() bool {
	if c.Rounding.largest != nil {
		return false
	}
	largest := c.largestAbsoluteLoss()
	c.Rounding.met = max(c.Rounding.met, largest)
	return largest > math.MaxFloat64/2
}

// isFinite reports whether all entries of x are finite.
func isFinite(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return v-v != 0 })
}

// Certify records the lower bound min_x' L(x', y) ≥ L(x, y) − FenchelYoung(x, g) at the last point x evaluated,
// with its best response y, at most once for each point. It takes no pass, or at least half a pass if there is a
// free coordinate. It does nothing if the gradient indicates that the bound would not improve the best one.
func (c *Certifier) Certify() {
	if c.tried {
		return
	}
	if c.tried = true; c.Objective-c.fenchelYoung() > c.Best.Lower {
		c.certify(weighting{c.Y, c.Groups, true})
	}
}

// CertifyWith works like Certify, but for any feasible weights y, and whatever the gradient indicates. It takes half
// a pass, or more if there is a free coordinate.
func (c *Certifier) CertifyWith(y []float64) { c.certify(weighting{y: y}) }

// A weighting is a vector of weights of the samples that may prove a lower bound.
type weighting struct {
	// groups holds the weights over groups that y results from; nil if there are none or they are unknown
	y, groups []float64
	isOwn     bool // y belongs to the last point evaluated, whose gradient and proof are known
}

// certify records the lower bound that follows from w at the last point evaluated.
//
// A free coordinate b needs ∂L/∂b = 0. If Y is the whole simplex, the weights are balanced until this holds
// (Balance). For other Y, or if moving the weights costs more than it gains (a large ν), y is not changed, and two
// cuts on either side of the minimum over b are combined (combineShiftedCuts).
func (c *Certifier) certify(w weighting) {
	if math.IsInf(c.Objective, 1) {
		return
	}
	switch {
	case c.intercepts > 0:
		c.certifyIntercepts(w)
	case !c.free && w.isOwn:
		c.ResponseGradientRounding(c.Err)
		c.recordLower(w.y, c.ProveResponse(), c.G)
	case !c.free:
		p := c.proofOf(w)
		c.GradTo(c.bound, w.y)
		c.recordLowerWith(w.y, &p)
	case RegionOf(c.Problem.Dual) == Whole && !c.certifyBalanced(w):
	case c.isBalanced(w.y, 8*c.Rounding.sums):
		p := c.Prove(w.y, w.groups, 8*c.Rounding.sums)
		c.GradTo(c.bound, w.y)
		c.bound[c.D-1] = 0
		c.recordLowerWith(w.y, &p)
	default:
		p := c.Prove(w.y, w.groups, 0) // more accurate in the penalty than proofOf
		if linear, rounding, ok := c.combineShiftedCuts(w.y, p.Off); ok {
			c.KeepLower(w.y, linear-p.penaltyBound(c.Rounding.sums), c.FenchelYoung(c.X, c.bound, c.Err), rounding)
		}
	}
}

// fenchelYoung returns the Fenchel-Young term of the best response at the last point evaluated, ignoring free
// coordinates and rounding.
func (c *Certifier) fenchelYoung() float64 {
	if copy(c.bound, c.G); c.free {
		c.bound[c.D-1] = 0
	}
	clear(c.bound[c.D-c.intercepts:])
	return c.Problem.Primal.FenchelYoung(c.X, c.bound)
}

// AdoptWeights replaces the best response at the last point evaluated by weights y, which must be feasible up to
// rounding, for lower bounds. It takes half a pass. groups holds the corresponding weights over groups; nil means
// that there are none or they are unknown.
func (c *Certifier) AdoptWeights(y, groups []float64) {
	lo, hi := c.Rows.LocalRange(c.N)
	copy(c.Y[lo:hi], y[lo:hi])
	c.GradTo(c.G, c.Y)
	c.adopted, c.Groups = true, groups
	c.tried, c.proof = false, nil
}

// isAdoptedResponseBest reports whether the adopted weights are a best response at the best point, within the gap.
func (c *Certifier) isAdoptedResponseBest() bool {
	p := c.ProveResponse()
	return p.Off <= 1e-9 && c.upper.risk-p.Value <= c.Best.Gap()
}

// RecordAdoptedBound records the lower bound that follows from the adopted weights. It records nothing unless the
// derivative in a free coordinate is zero to within the rounding of the weights.
func (c *Certifier) RecordAdoptedBound() {
	relative := 0.0
	copy(c.bound, c.G)
	if c.free {
		if relative = 8 * c.Rounding.sums; !c.isBalanced(c.Y, relative) {
			return
		}
		c.bound[c.D-1] = 0
	}
	p := c.Prove(c.Y, c.Groups, relative)
	c.recordLowerWith(c.Y, &p)
}

// ResponseGradientRounding stores in dst bounds of the rounding errors of c.G. For KL, the returned weights differ
// from those in the gradient by the rounding of their exponents. The error is at most uΣ y_j(16 + 4|log(y_j/max
// y)|), and Σ y_j log²(y_j/max y) ≤ log²n + 2 log n + 2.
func (c *Certifier) ResponseGradientRounding(dst []float64) {
	relative := UnitRoundoff * (32 + 8*math.Log(float64(c.N)))
	c.Rounding.gradientRounding(dst, c.ProveResponse(), relative)
}

// recordLowerWith records the lower bound that follows from weights y with proof p and gradient c.bound.
func (c *Certifier) recordLowerWith(y []float64, p *Proof) (left float64) {
	c.Rounding.gradientRounding(c.Err, p, 0)
	return c.recordLower(y, p, c.bound)
}

// recordLower records the lower bound L(x, y) − FenchelYoung(x, g) if it improves the best one, for weights y with
// proof p and gradient g, whose error is at most c.Err. It returns the Fenchel-Young term.
func (c *Certifier) recordLower(y []float64, p *Proof, g []float64) (left float64) {
	left = c.FenchelYoung(c.X, g, c.Err)
	c.KeepLower(y, p.Value, left, c.Rounding.LowerRounding(&p.Sums, c.Rounding.MarginError(c.X)))
	return left
}

// KeepLower records the lower bound value + φ(x) − decrease − rounding of weights y, minus the rounding of φ and of
// this sum, if it improves the best one. x is the last point evaluated, value is a lower bound of ⟨y, f(x)⟩ − ψ(y),
// and decrease bounds how far L(·, y) can fall below its value at x.
func (c *Certifier) KeepLower(y []float64, value, decrease, rounding float64) {
	phi := c.Problem.Primal.Value(c.X)
	c.RaiseLower(y, value+phi, decrease+rounding+c.PointRounding(phi)+8*UnitRoundoff*(math.Abs(value)+math.Abs(phi)))
}

// RaiseLower records the lower bound value − reduction of weights y, minus the rounding of this difference, if it
// improves the best one. y is nil if the weights are unknown.
func (c *Certifier) RaiseLower(y []float64, value, reduction float64) {
	lower := value - reduction - 8*UnitRoundoff*(math.Abs(value)+reduction) - Underflow
	if !(lower > c.Best.Lower) { // also true if lower is NaN
		return
	}
	if c.certifyUpperIfClose(lower); lower > c.Best.Upper {
		lower = c.reconcile(lower, c.Best.Upper)
	}
	c.Best.Lower = max(c.Best.Lower, lower)
	c.keepDual(y)
}

// AdoptLowerBound records the lower bound of the certifier of a different problem if it improves the best one. The
// optimum of that problem must not exceed the optimum of this one.
func (c *Certifier) AdoptLowerBound(other *Certifier) {
	if other.Best.Lower > c.Best.Lower {
		c.Best.Lower = other.Best.Lower
		c.keepDual(other.Dual)
	}
}

// keepDual copies the weights of the best lower bound if Options.KeepDual requests them; y is nil if they are
// unknown.
func (c *Certifier) keepDual(y []float64) {
	switch {
	case !c.KeepsDual:
	case y == nil:
		c.Dual = nil
	default:
		if c.Dual == nil {
			c.Dual = make([]float64, c.N)
		}
		copy(c.Dual, y)
	}
}

// weightedLoss returns ⟨y, f⟩.
func (c *Certifier) weightedLoss(y, f []float64) float64 {
	return c.Rows.Sum(c.N, func(lo, hi int) float64 { return kernel.Dot(y[lo:hi], f[lo:hi]) })
}

// ScratchSpace returns a vector of length n for temporary use.
func (c *Certifier) ScratchSpace() []float64 {
	if c.scratchSpace == nil {
		c.scratchSpace = c.Vector(c.N)
	}
	return c.scratchSpace
}

// EffectiveShare returns the effective number of samples under the adversary's weights, as a proportion of all
// samples.
func (c *Certifier) EffectiveShare() float64 {
	return ShardedStripes(c.Rows, c.N).EffectiveNumber(c.Y) / float64(c.N)
}
