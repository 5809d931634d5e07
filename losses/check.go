package losses

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// differenceStep is the step of the finite differences that check slopes and curvatures, at margins up to 1000.
const differenceStep = 1e-5

// Check returns an error about the first requirement of Loss that l violates at the given margins and targets, or
// nil if it violates none. It checks that ℓ ≥ 0, that tangents lie below ℓ (convexity), that slopes and curvatures
// agree with finite differences, and that Lipschitz, Smoothness, CurvatureLowerBoundTo and Growth return valid bounds.
// It does not check Majorised. It skips margins at which the loss or its slope exceeds 10¹⁰⁰. Finite differences are
// unreliable within 10⁻⁵ of a margin at which the slope is not differentiable.
func Check(l Loss, margins, targets []float64) error {
	for _, t := range targets {
		for _, m := range margins {
			if err := checkAt(l, m, t, margins); err != nil {
				return fmt.Errorf("%s at margin %v, target %v: %w", l.Name(), m, t, err)
			}
		}
	}
	return nil
}

// A lossPoint holds the value, slope and curvature of a loss at a margin.
type lossPoint struct{ value, slope, curvature float64 }

// evaluateAt returns value, slope and curvature at a margin.
func evaluateAt(l Loss, m, t float64) lossPoint {
	v, s, c, target := []float64{0}, []float64{m}, []float64{0}, []float64{t}
	l.EvalTo(v, s, s, target) // slope and margin are the same slice, as the contract allows
	l.CurvatureTo(c, s, target)
	return lossPoint{v[0], s[0], c[0]}
}

// overflows reports whether the loss or its slope is too large for comparisons.
func (p lossPoint) overflows() bool {
	return math.IsInf(p.value, 1) || p.value > 1e100 || math.Abs(p.slope) > 1e100
}

// checkAt returns an error about the first requirement that l violates at margin m with target t, or nil.
func checkAt(l Loss, m, t float64, margins []float64) error {
	step := differenceStep * max(1, math.Abs(m)/1e3)
	p, above, below := evaluateAt(l, m, t), evaluateAt(l, m+step, t), evaluateAt(l, m-step, t)
	if math.IsInf(p.slope, 0) && math.Abs(p.value) <= math.MaxFloat64 {
		return fmt.Errorf("the slope is %v, but the loss is %v", p.slope, p.value)
	}
	if p.overflows() || above.overflows() || below.overflows() {
		return nil
	}
	scale := 1 + math.Abs(p.value) + math.Abs(p.slope) + math.Abs(p.curvature)
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-5*scale }
	switch d := (above.value - below.value) / (2 * step); {
	case !(p.value >= 0):
		return fmt.Errorf("the loss is %v; it must be at least 0", p.value)
	case !near(d, p.slope):
		return fmt.Errorf("the slope is %v, but finite differences of the loss give %v", p.slope, d)
	}
	if d := (above.slope - below.slope) / (2 * step); !near(d, p.curvature) {
		return fmt.Errorf("the curvature is %v, but finite differences of the slope give %v", p.curvature, d)
	}
	if lip := l.Lipschitz(); !(math.Abs(p.slope) <= lip*(1+1e-12)) {
		return fmt.Errorf("the slope is %v, larger in absolute value than the Lipschitz constant %v", p.slope, lip)
	}
	if smooth := l.Smoothness(); !(p.curvature <= smooth*(1+1e-12)) {
		return fmt.Errorf("the curvature is %v, larger than the smoothness constant %v", p.curvature, smooth)
	}
	if g, ok := l.(Growing); ok {
		if a, b := g.Growth(); a > 0 && !(p.value >= a*math.Abs(m-t)-b-1e-12*(1+a*math.Abs(m-t)+math.Abs(b))) {
			return fmt.Errorf("the loss is %v, but Growth states that it is at least %v·|margin − target| − %v", p.value, a, b)
		}
	}
	bound := []float64{0}
	radius, decay := l.CurvatureLowerBoundTo(bound, []float64{p.slope}, []float64{t})
	if !(bound[0] >= 0) || !(radius > 0) || !(decay >= 0) {
		return fmt.Errorf("CurvatureLowerBoundTo returns the bound %v, the radius %v and the decay %v: the bound and the "+
			"decay must be at least 0, and the radius must be above 0", bound[0], radius, decay)
	}
	for _, other := range margins {
		q := evaluateAt(l, other, t)
		if q.overflows() {
			continue
		}
		if tangent := p.value + p.slope*(other-m); !(q.value >= tangent-1e-12*(1+math.Abs(tangent))) {
			return fmt.Errorf("the tangent has the value %v at margin %v, where the loss has the smaller value %v: the "+
				"loss is not convex, or the slope is wrong", tangent, other, q.value)
		}
		if away := math.Abs(other - m); away <= radius {
			// A curvature that is computed from the slope underflows if the slope does.
			const underflow = 1e-30
			if low := bound[0] * math.Exp(-decay*away); q.curvature < low*(1-1e-9)-underflow {
				return fmt.Errorf("the curvature is %v at margin %v, below the bound %v of CurvatureLowerBoundTo", q.curvature,
					other, low)
			}
		}
	}
	return nil
}

// checkForeign returns an error if a loss that is not defined in this package breaks its contract at one of the given
// targets. It omits targets that the loss does not accept, and checks a few margins for each of the others.
func checkForeign(l Loss, targets []float64) error {
	if isOwn(l) {
		return nil
	}
	meaning := l.Meaning()
	if err := meaning.check(); err != nil {
		return fmt.Errorf("losses: Meaning of the loss %s is invalid: %w", l.Name(), err)
	}
	targets = slices.Compact(slices.Sorted(slices.Values(targets)))
	targets = slices.DeleteFunc(targets, func(t float64) bool { return !meaning.Accepts(t) })
	for _, t := range targets {
		// The margins are not round numbers, since slopes often jump at those.
		margins := []float64{-3.1073, -1.3719, -0.5303, -0.0717, 0.0931, 0.7177, 1.9139, 3.3307}
		if at := meaning.Link.MarginOf(t); !meaning.Classes && !math.IsNaN(at) && !math.IsInf(at, 0) {
			for _, away := range []float64{-2.7183, -0.4143, 0.0321, 0.6133, 2.2361} {
				margins = append(margins, at+away)
			}
		}
		if err := Check(l, margins, []float64{t}); err != nil {
			return fmt.Errorf("losses: the loss breaks its contract, so that no bound would hold: %w", err)
		}
	}
	return checkForeignLink(l, targets)
}

// checkForeignLink returns an error if the link of a loss that is not defined in this package contradicts the loss
// for these targets.
func checkForeignLink(l Loss, targets []float64) error {
	meaning, check := l.Meaning(), checkLink
	if isOwn(l) {
		return nil
	} else if meaning.Classes {
		check = checkProbability
	}
	if err := check(l, meaning.Link, targets); err != nil {
		return fmt.Errorf("losses: the link of %s contradicts the loss: %w", l.Name(), err)
	}
	return nil
}

// isOwn reports whether a loss is defined in this package.
func isOwn(l Loss) bool {
	switch l.(type) {
	case Logistic, Squared, Huber, Poisson, Quantile:
		return true
	}
	return false
}

// minimiserOf returns the margin at which the loss for a target is smallest; ok is false if there is none of
// moderate size.
func minimiserOf(l Loss, t float64) (margin float64, ok bool) {
	low, high := -1.0, 1.0
	for evaluateAt(l, low, t).slope >= 0 {
		if low *= 2; low < -1e6 {
			return 0, false
		}
	}
	for evaluateAt(l, high, t).slope <= 0 {
		if high *= 2; high > 1e6 {
			return 0, false
		}
	}
	for range 60 {
		if margin = (low + high) / 2; evaluateAt(l, margin, t).slope < 0 {
			low = margin
		} else {
			high = margin
		}
	}
	return (low + high) / 2, true
}

// checkLink returns an error if the loss for a target is not smallest at the margin that the link assigns to the
// target, so that a fitted margin would be converted to a wrong prediction. A constant offset is allowed, since
// smoothed losses are smallest near their target.
func checkLink(l Loss, link Link, targets []float64) error {
	var offset, first float64
	found := false
	for _, t := range targets {
		want := link.MarginOf(t)
		margin, ok := minimiserOf(l, t)
		if !ok || math.IsNaN(want) || math.IsInf(want, 0) {
			continue
		}
		if !found {
			offset, first, found = margin-want, t, true
			continue
		}
		if away := margin - want - offset; !(math.Abs(away) <= 0.02*(1+math.Abs(want-link.MarginOf(first)))) {
			return fmt.Errorf("the loss is smallest at margin %.4g for target %.4g and at margin %.4g for target %.4g, "+
				"where the link %s has margins %.4g and %.4g: use the link of this loss, such as Log for counts",
				offset+link.MarginOf(first), first, margin, t, cmp.Or(link.Name, "Identity"), link.MarginOf(first), want)
		}
	}
	return nil
}

// checkProbability returns an error if the expected loss is not smallest at the margin that the link assigns to the
// probability of the positive class, so that predictions would not be probabilities. It ignores the targets, which are
// classes.
func checkProbability(l Loss, link Link, _ []float64) error {
	for _, p := range []float64{0.2, 0.5, 0.7} {
		m := link.MarginOf(p)
		positive, negative := evaluateAt(l, m, 1).slope, evaluateAt(l, m, -1).slope
		if best := negative / (negative - positive); !(math.Abs(best-p) <= 0.02) {
			return fmt.Errorf("the link assigns the margin %.4g to the probability %.4g, but this margin minimises the "+
				"expected loss for the probability %.4g", m, p, best)
		}
	}
	return nil
}

// sampleTargets maps up to eight of the targets, including the smallest and the largest, to an index of each.
func sampleTargets(targets []float64) map[float64]int {
	const count = 6
	out := map[float64]int{}
	low, high := 0, 0
	for i, t := range targets {
		if t < targets[low] {
			low = i
		}
		if t > targets[high] {
			high = i
		}
	}
	for k := range count {
		i := k * (len(targets) - 1) / (count - 1)
		out[targets[i]] = i
	}
	out[targets[low]], out[targets[high]] = low, high
	return out
}
