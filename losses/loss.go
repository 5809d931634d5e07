// Package losses provides scalar losses ℓ(m; t) of a margin m and a target t, and oracles of the losses f_j(x) =
// ℓ(z_jᵀx; t_j) of the rows z_j of a design matrix.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md; a patch version
// does not.
package losses

import (
	"math"

	"github.com/drotrain/drotrain/internal/kernel"
)

// A Loss is a convex, non-negative function ℓ(m; t) of the margin m = zᵀx and
// the target t, differentiable in m. All methods are safe for concurrent use.
type Loss interface {
	// Name is the loss's name on the command line.
	Name() string

	// Meaning describes margins, targets and values: which targets are valid, how a margin is converted to a
	// prediction, and the unit of the loss.
	Meaning() Meaning

	// EvalTo stores ℓ(m; t) in value and ∂ℓ/∂m in slope, entry by entry. The four slices have the same length;
	// slope and margin may be the same slice. The relative error of the value is at most 2⁻⁴⁹, and the line
	// with this slope through the point (m, value) exceeds ℓ by at most 2⁻⁴⁹·value. Certificates rely on this
	// if Smoothness is finite; otherwise they hold up to the rounding of the values.
	EvalTo(value, slope, margin, target []float64)

	// CurvatureTo stores ∂²ℓ/∂m² (a generalised second derivative where the slope
	// is not differentiable) at the margins at which EvalTo stored these slopes. The slices have the same
	// length; curvature and slope may be the same slice.
	CurvatureTo(curvature, slope, target []float64)

	// CurvatureLowerBoundTo stores in curvature, for the margin with each slope, a number κ ≥ 0 such that
	// ∂²ℓ/∂m² ≥ κ·e^{−decay·a} at all margins at a distance of a ≤ radius; radius may be +Inf. The bound must
	// hold despite rounding. κ = 0 is always valid; otherwise κ should be within 10 % of its value without
	// rounding. The slices have the same meaning as in CurvatureTo.
	CurvatureLowerBoundTo(curvature, slope, target []float64) (radius, decay float64)

	// Lipschitz returns sup |∂ℓ/∂m|, which may be +Inf.
	Lipschitz() float64

	// Smoothness returns sup ∂²ℓ/∂m², which may be +Inf.
	Smoothness() float64
}

// Majorised is implemented by losses that have a quadratic upper bound, which limits the length of steps.
type Majorised interface {
	Loss

	// MajorantTo stores in curvature, for the margin m with each value and slope, a number κ such that ℓ(a) ≤
	// ℓ(m) + ℓ'(m)(a − m) + κ(a − m)²/2 for all a. The slices have the same meaning as in CurvatureTo.
	MajorantTo(curvature, value, slope, target []float64)
}

// Growing is implemented by losses of residuals m − t that grow at least linearly on both sides.
type Growing interface {
	Loss

	// Growth returns a > 0 and b such that ℓ(m; t) ≥ a|m − t| − b.
	Growth() (slope, offset float64)
}

var (
	_ Growing = Huber{}
	_ Growing = Quantile{}

	_ Majorised = Logistic{}
	_ Majorised = Huber{}
	_ Majorised = Quantile{}

	_ Loss = Logistic{}
	_ Loss = Squared{}
	_ Loss = Huber{}
	_ Loss = Poisson{}
	_ Loss = Quantile{}
)

// Logistic is ℓ(m; t) = log(1 + exp(−t·m)) for targets t = ±1, in nats. Its methods panic if the slices differ in
// length.
type Logistic struct{}

// Name implements Loss.
func (Logistic) Name() string { return "logistic" }

// Meaning implements Loss.
func (Logistic) Meaning() Meaning {
	return Meaning{Classes: true, Link: Logit, Unit: "nats",
		About: "−log of the predicted probability of the actual class"}
}

// ConstantMargin returns the log-odds of the positive class, given the mean of the targets.
func (Logistic) ConstantMargin(mean float64) float64 { return math.Log((1 + mean) / (1 - mean)) }

// Lipschitz implements Loss.
func (Logistic) Lipschitz() float64 { return 1 }

// Smoothness implements Loss.
func (Logistic) Smoothness() float64 { return 0.25 }

// EvalTo implements Loss. It does not overflow for any margin.
func (Logistic) EvalTo(value, slope, margin, target []float64) {
	kernel.LogisticTo(value, slope, margin, target)
}

// CurvatureTo implements Loss.
func (Logistic) CurvatureTo(curvature, slope, _ []float64) {
	for i, s := range slope {
		p := math.Abs(s) // the probability of the other class
		curvature[i] = p * (1 - p)
	}
}

// CurvatureLowerBoundTo implements Loss. The bound is ℓ″ minus a bound of its rounding error, or 0 if |slope| is so
// close to 1 that rounding dominates. The decay is 1, since |ℓ‴| ≤ ℓ″.
func (Logistic) CurvatureLowerBoundTo(curvature, slope, _ []float64) (radius, decay float64) {
	const (
		rounding = 10 * 0x1p-53 // error of p(1 − p), relative to p, if the slope is exact to 6u
		share    = 1.0 / 20     // maximum ratio of this error to the curvature
	)
	for i, s := range slope {
		p := math.Abs(s)
		curvature[i] = 0
		if rest := 1 - p; rounding <= share*rest {
			curvature[i] = p * (rest - rounding)
		}
	}
	return math.Inf(1), 1
}

// MajorantTo implements Majorised with the bound of Jaakkola and Jordan (2000): (p − ½)/a, where p = |slope| and
// a = −t·m = log p + ℓ.
func (Logistic) MajorantTo(curvature, value, slope, _ []float64) {
	const lowest = -745 // the least a for which p is not rounded to 0
	for i, s := range slope {
		p := math.Abs(s)
		curvature[i] = 0.25
		if a := max(lowest, math.Log(p)+value[i]); math.Abs(p-0.5) > 1e-4 { // ¼ − a²/48 near a = 0
			curvature[i] = (p - 0.5) / a
		}
	}
}

// probability returns P(t = +1) = 1/(1 + exp(−m)) under the logistic model.
func probability(m float64) float64 {
	if m >= 0 {
		return 1 / (1 + math.Exp(-m))
	}
	e := math.Exp(m)
	return e / (1 + e)
}

// Squared is ℓ(m; t) = ½(m − t)², in squared units of the target. Its methods panic if the slices differ in length.
type Squared struct{}

// Name implements Loss.
func (Squared) Name() string { return "squared" }

// Meaning implements Loss.
func (Squared) Meaning() Meaning {
	return Meaning{Scalable: true, Power: 2, About: "half the squared error"}
}

// ConstantMargin returns the mean.
func (Squared) ConstantMargin(mean float64) float64 { return mean }

// Lipschitz implements Loss. It returns +Inf, since the slope is unbounded.
func (Squared) Lipschitz() float64 { return math.Inf(1) }

// Smoothness implements Loss.
func (Squared) Smoothness() float64 { return 1 }

// EvalTo implements Loss.
func (Squared) EvalTo(value, slope, margin, target []float64) {
	for i, m := range margin {
		r := m - target[i]
		value[i] = 0.5 * r * r
		slope[i] = r
	}
}

// CurvatureTo implements Loss.
func (Squared) CurvatureTo(curvature, _, _ []float64) {
	for i := range curvature {
		curvature[i] = 1
	}
}

// CurvatureLowerBoundTo implements Loss. The bound is 1 for every sample.
func (l Squared) CurvatureLowerBoundTo(curvature, slope, _ []float64) (radius, decay float64) {
	l.CurvatureTo(curvature, slope, nil)
	return math.Inf(1), 0
}

// Huber is ℓ(m; t) = ½r² if |r| ≤ δ, and δ(|r| − δ/2) otherwise, where r = m − t. Its methods panic if the slices
// differ in length.
type Huber struct {
	Delta float64 // δ > 0, in units of the target
}

// Name implements Loss.
func (Huber) Name() string { return "huber" }

// Meaning implements Loss.
func (h Huber) Meaning() Meaning {
	return Meaning{Scalable: true, Power: 2,
		About: "half the squared error, and beyond δ a multiple of the absolute error"}
}

// Lipschitz implements Loss.
func (h Huber) Lipschitz() float64 { return h.Delta }

// Smoothness implements Loss.
func (Huber) Smoothness() float64 { return 1 }

// EvalTo implements Loss.
func (h Huber) EvalTo(value, slope, margin, target []float64) {
	for i, m := range margin {
		r := m - target[i]
		s := max(-h.Delta, min(h.Delta, r)) // without branches that depend on the data
		value[i] = s * (r - s/2)
		slope[i] = s
	}
}

// CurvatureTo implements Loss. The curvature is 1 if |r| < δ, and 0 otherwise.
func (h Huber) CurvatureTo(curvature, slope, _ []float64) {
	for i, s := range slope {
		if math.Abs(s) < h.Delta {
			curvature[i] = 1
		} else {
			curvature[i] = 0
		}
	}
}

// Growth implements Growing: ℓ is at least its linear part, from which it differs by (|r| − δ)²/2.
func (h Huber) Growth() (slope, offset float64) { return h.Delta, h.Delta * h.Delta / 2 }

// MajorantTo implements Majorised. The bound is 1 if |r| ≤ δ, and δ/|r| otherwise.
func (h Huber) MajorantTo(curvature, value, slope, _ []float64) {
	for i, s := range slope {
		curvature[i] = 1
		if math.Abs(s) >= h.Delta {
			curvature[i] = h.Delta / max(h.Delta, value[i]/h.Delta+h.Delta/2)
		}
	}
}

// CurvatureLowerBoundTo implements Loss. The bound is 1 if |r| stays below δ within a distance of δ/8, and 0
// otherwise.
func (h Huber) CurvatureLowerBoundTo(curvature, slope, _ []float64) (radius, decay float64) {
	radius = h.Delta / 8
	for i, s := range slope {
		if math.Abs(s) <= h.Delta-radius {
			curvature[i] = 1
		} else {
			curvature[i] = 0
		}
	}
	return (1 - 1e-12) * radius, 0 // the bound allows for the rounding of the residual
}
