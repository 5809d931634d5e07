package interval

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// NormalQuantile returns the z for which P(|Z| ≤ z) = confidence, where Z is a standard normal variable.
func NormalQuantile(confidence float64) float64 { return math.Sqrt2 * math.Erfinv(confidence) }

// StudentQuantile returns the u for which P(|T| ≤ u) = confidence, where T has Student's distribution with the
// given degrees of freedom.
func StudentQuantile(confidence, freedom float64) float64 {
	if freedom > 1000 { // Abramowitz and Stegun 1964, 26.7.5
		z := NormalQuantile(confidence)
		q := z * z
		return z * (1 + (q+1)/(4*freedom) + ((5*q+16)*q+3)/(96*freedom*freedom) +
			(((3*q+19)*q+17)*q-15)/(384*math.Pow(freedom, 3)) +
			((((79*q+776)*q+1482)*q-1920)*q-945)/(92160*math.Pow(freedom, 4)))
	}
	// 1/(1 + u²/f) has a beta distribution
	x := mathext.InvRegIncBeta(freedom/2, 0.5, 1-confidence)
	return math.Sqrt(freedom * (1 - x) / x)
}

// Simultaneous returns the confidence that each of n independent intervals must have so that all hold
// simultaneously with the given confidence (Šidák 1967). If n is less than 1, it returns the given confidence.
func Simultaneous(confidence, n float64) float64 {
	return math.Pow(confidence, 1/max(1, n))
}

// Widening returns the factor by which n intervals with the given confidence must be widened so that all hold
// simultaneously. The factor is the ratio of two quantiles of Student's distribution or, if freedom is +Inf, of the
// normal distribution.
func Widening(confidence, n, freedom float64) float64 {
	together := Simultaneous(confidence, n)
	if math.IsInf(freedom, 1) {
		return NormalQuantile(together) / NormalQuantile(confidence)
	}
	return StudentQuantile(together, freedom) / StudentQuantile(confidence, freedom)
}

// Quantile returns the q-quantile of x by linear interpolation between order statistics ("type 7" in R, the default
// in NumPy). x must be ascending and must not be empty.
func Quantile(x []float64, q float64) float64 {
	h := q * float64(len(x)-1)
	k := int(math.Floor(h))
	if k+1 >= len(x) {
		return x[len(x)-1]
	}
	return x[k] + (h-float64(k))*(x[k+1]-x[k])
}

// quantileOfAny returns the q-quantile of x, which may have any order and is not changed.
func quantileOfAny(x []float64, q float64) float64 {
	t := slices.Clone(x)
	slices.Sort(t)
	return Quantile(t, q)
}
