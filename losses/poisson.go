package losses

import "math"

// Poisson is half the deviance of a count t ≥ 0 with mean e^m, in nats: ℓ(m; t) = e^m − t·m + t·log t − t. The part
// without m makes the loss 0 where the mean is the count. Without it all counts would have the same loss at rate 1,
// which the adversary of a robust model would then prefer. Its methods panic if the slices differ in length.
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

// ConstantMargin returns the logarithm of the mean.
func (Poisson) ConstantMargin(mean float64) float64 { return math.Log(mean) }

// Lipschitz implements Loss: the loss has no such constant.
func (Poisson) Lipschitz() float64 { return math.Inf(1) }

// Smoothness implements Loss: the loss has no such constant.
func (Poisson) Smoothness() float64 { return math.Inf(1) }

// EvalTo implements Loss. With u = m − log t it is t·(e^u − 1 − u), without cancellation. A subnormal t, whose
// logarithm the standard library gets wrong, counts as 0.
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
	if !(math.Abs(u) <= 0.5) { // also NaN
		return math.Expm1(u) - u
	}
	sum, term := 0.0, u*u/2
	for k := 3.0; sum+term != sum; k++ {
		sum += term
		term *= u / k
	}
	return sum
}

// CurvatureTo implements Loss: e^m, which is the slope plus the target.
func (Poisson) CurvatureTo(curvature, slope, target []float64) {
	for i, s := range slope {
		curvature[i] = max(0, s+target[i])
	}
}

// CurvatureLowerBoundTo implements Loss: ℓ″ minus a bound of its rounding, with a decay of 1 because ℓ‴ = ℓ″.
func (Poisson) CurvatureLowerBoundTo(curvature, slope, target []float64) (radius, decay float64) {
	const rounding = 16 * 0x1p-53 // of the slope, relative to |slope| + t
	for i, s := range slope {
		t := target[i]
		curvature[i] = max(0, s+t-rounding*(math.Abs(s)+t))
	}
	return math.Inf(1), 1
}
