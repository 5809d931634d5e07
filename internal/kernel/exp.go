package kernel

import "math"

// ExpTo stores exp((src[i] − shift)/scale) in dst[i], within two units in the last place, and returns the sum of
// dst, added in an order that depends only on the length. The quotient may have any magnitude: exp(−Inf) is 0,
// results below the smallest normal number are rounded to subnormal numbers, results that overflow are +Inf, and
// NaN stays NaN. dst and src have the same length and may be the same slice.
func ExpTo(dst, src []float64, shift, scale float64) (sum float64) {
	if len(src) == 0 {
		return 0
	}
	dst = dst[:len(src)]
	if avx2 {
		return expAVX2(&dst[0], &src[0], shift, scale, len(src))
	}
	return expPortable(dst, src, shift, scale)
}

// expPortable stores exp((src[i] − shift)/divisor) in dst[i] and returns the sum of dst.
func expPortable(dst, src []float64, shift, divisor float64) (sum float64) {
	for i, v := range src {
		e := expOf((v - shift) / divisor)
		dst[i] = e
		sum += e
	}
	return sum
}

// expOf returns math.Exp(x). On amd64 (Go 1.26), math.Exp already returns +Inf from 709.44 on, which expOf avoids.
func expOf(x float64) float64 {
	if x > 709 {
		return math.E * math.Exp(x-1)
	}
	return math.Exp(x)
}
