package losses

import (
	"fmt"
	"math"
	"slices"
)

// differenceStep is the width of the differences that slopes and curvatures are compared with.
const differenceStep = 1e-5

// Check returns the first promise of Loss that l breaks at the given margins and targets, or nil if it breaks
// none: ℓ ≥ 0, the tangent below ℓ (convexity), slope and curvature against differences, the lower bound of the
// curvature within its radius, and the constants. Differences are not reliable within 10⁻⁵ of a margin where the
// slope is not differentiable.
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
	l.EvalTo(v, s, s, target) // in place: the contract allows it
	l.CurvatureTo(c, s, target)
	return lossPoint{v[0], s[0], c[0]}
}

// overflows reports whether the loss is too large to be compared.
func (p lossPoint) overflows() bool {
	return math.IsInf(p.value, 1) || p.value > 1e100 || math.Abs(p.slope) > 1e100
}

// checkAt returns the first promise that l breaks at margin m with target t, or nil.
func checkAt(l Loss, m, t float64, margins []float64) error {
	step := differenceStep * max(1, math.Abs(m)/1e3)
	p, above, below := evaluateAt(l, m, t), evaluateAt(l, m+step, t), evaluateAt(l, m-step, t)
	if p.overflows() || above.overflows() || below.overflows() {
		return nil
	}
	scale := 1 + math.Abs(p.value) + math.Abs(p.slope) + math.Abs(p.curvature)
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-5*scale }
	switch d := (above.value - below.value) / (2 * step); {
	case !(p.value >= 0):
		return fmt.Errorf("the loss is %v: it must be at least 0", p.value)
	case !near(d, p.slope):
		return fmt.Errorf("the slope is %v, a difference of losses %v", p.slope, d)
	}
	if d := (above.slope - below.slope) / (2 * step); !near(d, p.curvature) {
		return fmt.Errorf("the curvature is %v, a difference of slopes %v", p.curvature, d)
	}
	if lip := l.Lipschitz(); !(math.Abs(p.slope) <= lip*(1+1e-12)) {
		return fmt.Errorf("the slope is %v, beyond the Lipschitz constant %v", p.slope, lip)
	}
	if smooth := l.Smoothness(); !(p.curvature <= smooth*(1+1e-12)) {
		return fmt.Errorf("the curvature is %v, beyond the smoothness %v", p.curvature, smooth)
	}
	bound := []float64{0}
	radius, decay := l.CurvatureLowerBoundTo(bound, []float64{p.slope}, []float64{t})
	if !(bound[0] >= 0) || !(radius > 0) || !(decay >= 0) {
		return fmt.Errorf("CurvatureLowerBoundTo stores %v within %v, decay %v: they must be at least 0, and the radius above it", bound[0], radius, decay)
	}
	for _, other := range margins {
		q := evaluateAt(l, other, t)
		if q.overflows() {
			continue
		}
		if tangent := p.value + p.slope*(other-m); !(q.value >= tangent-1e-12*(1+math.Abs(tangent))) {
			return fmt.Errorf("the tangent is %v at margin %v, above the loss %v: it is not convex, or the slope is wrong", tangent, other, q.value)
		}
		if away := math.Abs(other - m); away <= radius {
			// A curvature computed from the slope underflows where the slope does.
			const underflow = 1e-30
			if low := bound[0] * math.Exp(-decay*away); q.curvature < low*(1-1e-9)-underflow {
				return fmt.Errorf("the curvature is %v at margin %v, below %v, the bound that CurvatureLowerBoundTo gives", q.curvature, other, low)
			}
		}
	}
	return nil
}

// checkForeign returns an error if a loss that is not of this package breaks its contract for a few of the given
// targets. It takes some microseconds.
func checkForeign(l Loss, targets []float64) error {
	switch l.(type) {
	case nil:
		return fmt.Errorf("losses: the loss is nil")
	case Logistic, Squared, Huber, Poisson, Quantile:
		return nil
	}
	meaning := l.Meaning()
	if err := meaning.check(); err != nil {
		return fmt.Errorf("losses: the meaning of %s: %w", l.Name(), err)
	}
	for _, t := range slices.Compact(slices.Sorted(slices.Values(targets))) {
		if !meaning.Accepts(t) {
			continue
		}
		// No round numbers, at which slopes often jump.
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
	return nil
}

// someOf returns up to eight of the targets, the smallest and the largest among them, and the index of each.
func someOf(targets []float64) map[float64]int {
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
