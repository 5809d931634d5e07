// Package losstest checks a loss of one's own against the contract of losses.Loss,
// as testing/fstest does a file system. It may import losses; tests import it.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md;
// a patch version does not.
package losstest

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/losses"
)

// steps is the width of the differences that slopes and curvatures are held against.
const step = 1e-5

// Test returns the first promise of losses.Loss that l breaks at the given margins
// and targets, nil if it breaks none: ℓ ≥ 0, the tangent below ℓ (convexity), slope
// and curvature against differences, the curvature's lower bound over its radius, the
// constants. Choose margins where the slope is differentiable; differences are not
// compared within 10⁻⁵ of each other.
func Test(l losses.Loss, margins, targets []float64) error {
	for _, t := range targets {
		for _, m := range margins {
			if err := testAt(l, m, t, margins); err != nil {
				return fmt.Errorf("%s at margin %v, target %v: %w", l.Name(), m, t, err)
			}
		}
	}
	return nil
}

// A point is what a loss says of one margin.
type point struct{ value, slope, curvature float64 }

// evaluateAt returns the loss, slope and curvature at one margin.
func evaluateAt(l losses.Loss, m, t float64) point {
	v, s, c, target := []float64{0}, []float64{m}, []float64{0}, []float64{t}
	l.EvalTo(v, s, s, target) // in place: the contract allows it
	l.CurvatureTo(c, s, target)
	return point{v[0], s[0], c[0]}
}

// testAt returns the first promise that l breaks at margin m with target t, nil if it breaks none.
func testAt(l losses.Loss, m, t float64, margins []float64) error {
	p, above, below := evaluateAt(l, m, t), evaluateAt(l, m+step, t), evaluateAt(l, m-step, t)
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
	if lip := l.Lipschitz(); math.Abs(p.slope) > lip*(1+1e-12) {
		return fmt.Errorf("the slope is %v, beyond the Lipschitz constant %v", p.slope, lip)
	}
	if smooth := l.Smoothness(); p.curvature > smooth*(1+1e-12) {
		return fmt.Errorf("the curvature is %v, beyond the smoothness %v", p.curvature, smooth)
	}
	bound := []float64{0}
	radius, decay := l.CurvatureLowerBoundTo(bound, []float64{p.slope}, []float64{t})
	if !(bound[0] >= 0) || !(radius > 0) || !(decay >= 0) {
		return fmt.Errorf("CurvatureLowerBoundTo stores %v within %v, decay %v: they must be at least 0, and the radius above it", bound[0], radius, decay)
	}
	for _, other := range margins {
		q := evaluateAt(l, other, t)
		if tangent := p.value + p.slope*(other-m); q.value < tangent-1e-12*(1+math.Abs(tangent)) {
			return fmt.Errorf("the tangent is %v at margin %v, above the loss %v: it is not convex, or the slope is wrong", tangent, other, q.value)
		}
		if away := math.Abs(other - m); away <= radius {
			if least := bound[0] * math.Exp(-decay*away); q.curvature < least*(1-1e-9) {
				return fmt.Errorf("the curvature is %v at margin %v, below %v, the bound that CurvatureLowerBoundTo gives", q.curvature, other, least)
			}
		}
	}
	return nil
}
