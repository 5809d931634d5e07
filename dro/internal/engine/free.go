package engine

import (
	"math"

	"github.com/drotrain/drotrain/internal/ranks"
)

// unbalancedGap is the relative gap below which weights other than the balanced ones are tried.
const unbalancedGap = 0.1

// certifyBalanced records the lower bound that follows from the balanced weights of w. It reports whether balancing
// cost more than the remaining gap. The optimum is then so close that other weights would give a better bound.
func (c *Certifier) certifyBalanced(w weighting) (tooCostly bool) {
	if !Balance(c.Rows, c.balanced, w.y, c.Slope) {
		return false // far from the optimum, where all slopes have the same sign
	}
	c.GradTo(c.bound, c.balanced)
	c.bound[c.D-1] = 0 // exact for weights whose rounded values are the balanced ones
	p := c.Prove(c.balanced, nil, 8*c.Rounding.sums)
	left := c.recordLowerWith(c.balanced, &p)
	if !(left < unbalancedGap*math.Abs(c.Objective)) {
		return false
	}
	response := c.proofOf(w)
	cost := p.Linear - p.Value - (response.Linear - response.Value) // increase of the penalty
	return cost > left+16*c.Rounding.sums*math.Abs(c.Objective)
}

// interceptDerivative returns Σ_j y_j s_j and Σ_j |y_j s_j| for the slopes s with respect to the free coordinate at
// the last point evaluated.
func (c *Certifier) interceptDerivative(y []float64) (left, steep float64) {
	part := make([][2]float64, c.Rows.Shards(c.N))
	c.Rows.Run(c.N, func(s, lo, hi int) {
		for j := lo; j < hi; j++ {
			v := y[j] * c.Slope[j]
			part[s][0] += v
			part[s][1] += math.Abs(v)
		}
	})
	c.Rows.AllGatherEach(2, func(s, k int) *float64 { return &part[s][k] })
	for _, v := range part {
		left += v[0]
		steep += v[1]
	}
	return left, steep
}

// isBalanced reports whether there are weights, each within the relative error of y, for which the derivative with
// respect to the intercept is exactly zero.
func (c *Certifier) isBalanced(y []float64, relative float64) bool {
	left, steep := c.interceptDerivative(y)
	return math.Abs(left)+c.Rounding.sums*steep <= relative*(1-1e-6)*steep
}

// A cut is a linear lower bound of ⟨y, f⟩, given by its value and gradient at the point x with free coordinate b.
type cut struct {
	b, value, rounding float64
	g, err             []float64
	slope, slopeError  float64 // derivative with respect to b, and a bound of its error
}

// cutAt returns the cut of weights y, with relative errors of at most off, at the last point x that e evaluated.
func (c *Certifier) cutAt(e *Evaluator, y []float64, off float64, x []float64) cut {
	w := Proof{Sums: c.sumLosses(y, e.Value), Off: off}
	t := cut{b: x[c.D-1], value: w.Linear, g: make([]float64, c.D), err: make([]float64, c.D)}
	e.GradTo(t.g, y)
	c.Rounding.gradientRounding(t.err, &w, 0)
	t.rounding = 2*(c.Rounding.sums+off)*w.Size + c.Rounding.LowerRounding(&w.Sums, c.Rounding.MarginError(x))
	t.slope, t.slopeError = t.g[c.D-1], t.err[c.D-1]
	return t
}

// sign returns the sign of the slope, or 0 if rounding may determine the sign.
func (t *cut) sign() int {
	switch {
	case t.slope > 2*t.slopeError:
		return 1
	case t.slope < -2*t.slopeError:
		return -1
	}
	return 0
}

// combineShiftedCuts finds values b₁, b₂ of the free coordinate, near the last point x evaluated, at which the
// derivatives r₁, r₂ of ⟨y, f⟩ have opposite signs that rounding does not affect. The combination of the two cuts
// of f with weights θ, 1 − θ such that θr₁ + (1−θ)r₂ = 0 does not depend on the free coordinate. It returns the
// value of the combination at x and a bound of the rounding error, and stores the gradient of the combination in
// c.bound and the error of the gradient in c.Err. It takes one pass for every point tried, plus half a pass. ok is
// false if no sign change was found.
func (c *Certifier) combineShiftedCuts(y []float64, off float64) (value, rounding float64, ok bool) {
	tries, growth := 7, 3.0 // steps grow by factors of 3, 9, 81, …, and by 1e30 in total
	if c.shifted == nil {
		c.shifted = &Evaluator{Problem: c.Problem, N: c.N, D: c.D, Rows: c.Rows, Value: c.Vector(c.N),
			Slope: c.Vector(len(c.Slope)), space: c.space, Partials: c.Partials, Budget: math.Inf(1)}
	}
	at := append([]float64(nil), c.X...)
	origin := c.cutAt(c.Evaluator, y, off, c.X)
	if origin.slope == 0 && origin.slopeError == 0 { // the oracle is not Rounded
		copy(c.bound, origin.g)
		copy(c.Err, origin.err)
		return origin.value, origin.rounding, true
	}
	var ends [2]*cut // cuts that decrease and that increase with the free coordinate
	place := func(t *cut) {
		switch t.sign() {
		case -1:
			ends[0] = t
		case 1:
			ends[1] = t
		}
	}
	place(&origin)
	curvature := c.freeCurvature(y)
	var steps [2]float64 // steps to the end with a negative derivative and to the one with a positive derivative
	steps[1] = max(math.Abs(origin.slope), 4*origin.slopeError) / curvature
	steps[0] = -steps[1]
	if left, steep := c.interceptDerivative(y); !(math.Abs(left) < (1-1e-6)*steep) {
		tries = 1 // all slopes have the same sign, since x is far from the optimum or no optimum exists
	}
	for range tries {
		side := 1
		if ends[1] != nil {
			side = 0
		}
		at[c.D-1] = origin.b + steps[side]
		c.Spend(1) // for the shifted evaluator, which has no budget of its own
		c.shifted.Eval(at)
		far := c.cutAt(c.shifted, y, off, at)
		place(&far)
		if ends[0] != nil && ends[1] != nil {
			value, rounding = c.combineCuts(ends[0], ends[1], origin.b)
			return value, rounding, !math.IsNaN(value)
		}
		steps[side] *= growth
		growth *= growth
	}
	return 0, 0, false
}

// combineCuts returns the convex combination, at b, of two cuts whose slopes with respect to the intercept have
// opposite signs, with weights for which the combined slope is zero, and a bound of its rounding error. The weights
// are accurate to 4·slopeError/(r₂ − r₁).
func (c *Certifier) combineCuts(down, up *cut, b float64) (value, rounding float64) {
	between := up.slope - down.slope
	theta := up.slope / between
	doubt := 4 * (max(down.slopeError, up.slopeError)/between + UnitRoundoff)
	first, second := down.value-down.slope*(down.b-b), up.value-up.slope*(up.b-b)
	value = theta*first + (1-theta)*second
	rounding = doubt*math.Abs(first-second) +
		theta*(down.rounding+math.Abs(down.b-b)*down.slopeError) + (1-theta)*(up.rounding+math.Abs(up.b-b)*up.slopeError) +
		8*UnitRoundoff*(math.Abs(down.value)+math.Abs(up.value)+math.Abs(down.slope*(down.b-b))+math.Abs(up.slope*(up.b-b)))
	for i := range c.bound {
		c.bound[i] = theta*down.g[i] + (1-theta)*up.g[i]
		c.Err[i] = theta*down.err[i] + (1-theta)*up.err[i] + doubt*math.Abs(down.g[i]-up.g[i]) +
			8*UnitRoundoff*(math.Abs(down.g[i])+math.Abs(up.g[i]))
	}
	c.bound[c.D-1], c.Err[c.D-1] = 0, 0
	return value, rounding
}

// freeCurvature returns half the second derivative of ⟨y, f⟩ with respect to the free coordinate at the last point
// evaluated, so that a Newton step with it overshoots. The result has a lower limit that keeps the step within the
// scale of the problem. For an oracle without second derivatives it is 1. No sample is read.
func (c *Certifier) freeCurvature(y []float64) float64 {
	const minCurvature = 1e-2 // limits a step to a hundred times the slope
	o, ok := c.Problem.Oracle.(LinearModel)
	if !ok {
		return 1
	}
	lo, hi := c.Rows.LocalRange(c.N)
	o.CurvatureTo(c.shifted.Value, c.Slope, lo, hi)
	return math.Max(c.weightedLoss(y, c.shifted.Value)/2, minCurvature)
}

// Balance stores in dst the weights y scaled by one factor where the slope is positive and another where it is
// negative, such that ⟨dst, slope⟩ = 0 and Σ dst = 1: feasible weights whose gradient in the free coordinate
// vanishes. Near an optimum ⟨y, slope⟩ ≈ 0, both factors are near 1, and the weights lower the bound only by a term
// of second order. It returns false if all slopes have the same sign. The factors are exact to a few times the γ of a
// sum over samples.
func Balance(rows *ranks.Rows, dst, y, slope []float64) bool {
	part := make([][5]float64, rows.Shards(len(y)))
	rows.Run(len(y), func(s, lo, hi int) {
		var up, down, massUp, massDown, massZero float64
		for j := lo; j < hi; j++ { // without branches, which would be unpredictable
			w, s := y[j], slope[j]
			if s == 0 {
				massZero += w
				continue
			}
			v, signed := w*s, math.Copysign(w, s)
			up += (math.Abs(v) + v) / 2
			down += (math.Abs(v) - v) / 2
			massUp += (w + signed) / 2
			massDown += (w - signed) / 2
		}
		part[s] = [5]float64{up, down, massUp, massDown, massZero}
	})
	rows.AllGatherEach(5, func(s, k int) *float64 { return &part[s][k] })
	var t [5]float64
	for s := range part {
		for k, v := range part[s] {
			t[k] += v
		}
	}
	up, down := t[0], t[1]
	if !(up > 0 && down > 0) {
		return false
	}
	a, b := 2*down/(up+down), 2*up/(up+down)
	total := a*t[2] + b*t[3] + t[4]
	bySign, z := [2]float64{a / total, b / total}, 1/total
	rows.Run(len(y), func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			if s := slope[j]; s == 0 {
				dst[j] = z * y[j]
			} else {
				dst[j] = bySign[math.Float64bits(s)>>63] * y[j]
			}
		}
	})
	return true
}
