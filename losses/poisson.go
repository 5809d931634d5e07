package losses

import "math"

// Poisson is half the deviance of a count t ≥ 0 with mean e^m, in nats: ℓ(m; t) = e^m − t·m + t·log t − t. The
// terms without m make the loss 0 if the mean equals the count. Without them all counts would have the same loss at
// rate 1, and the adversary of a robust model would prefer that rate. Its methods panic if the slices differ in
// length.
type Poisson struct{}

// Name implements Loss.
func (Poisson) Name() string { return "poisson" }

// Meaning implements Loss.
func (Poisson) Meaning() Meaning {
	return Meaning{
		Link: Log, Valid: func(t float64) bool { return t >= 0 }, Targets: "a count, 0 or more",
		Unit: "nats", About: "half the deviance of a Poisson count",
	}
}

// ConstantMargin returns the logarithm of the mean of the targets.
func (Poisson) ConstantMargin(mean float64) float64 { return math.Log(mean) }

// Lipschitz implements Loss. It returns +Inf, since the slope is unbounded.
func (Poisson) Lipschitz() float64 { return math.Inf(1) }

// Smoothness implements Loss. It returns +Inf, since the curvature is unbounded.
func (Poisson) Smoothness() float64 { return math.Inf(1) }

// EvalTo implements Loss. With u = m − log t, the loss is t·(e^u − 1 − u), which avoids cancellation. A subnormal t
// is treated as 0, since the standard library computes its logarithm incorrectly.
func (Poisson) EvalTo(value, slope, margin, target []float64) {
	for i, m := range margin {
		t := target[i]
		if t < 0x1p-1022 {
			value[i] = math.Exp(m)
			slope[i] = value[i]
			continue
		}
		u := m - math.Log(t)
		slope[i] = t * math.Expm1(u)
		value[i] = t * expm2(u)
	}
}

// expm2 returns e^u − 1 − u.
func expm2(u float64) float64 {
	if !(math.Abs(u) <= 0.5) { // also true if u is NaN
		return math.Expm1(u) - u
	}
	sum, term := 0.0, u*u/2
	for k := 3.0; sum+term != sum; k++ {
		sum += term
		term *= u / k
	}
	return sum
}

// CurvatureTo implements Loss. The curvature is e^m, which is the sum of slope and target.
func (Poisson) CurvatureTo(curvature, slope, target []float64) {
	for i, s := range slope {
		curvature[i] = max(0, s+target[i])
	}
}

// CurvatureLowerBoundTo implements Loss. The bound is ℓ″ minus a bound of its rounding error. The decay is 1, since
// ℓ‴ = ℓ″.
func (Poisson) CurvatureLowerBoundTo(curvature, slope, target []float64) (radius, decay float64) {
	const rounding = 16 * 0x1p-53 // error of the slope, relative to |slope| + t
	for i, s := range slope {
		t := target[i]
		curvature[i] = max(0, s+t-rounding*(math.Abs(s)+t))
	}
	return math.Inf(1), 1
}
