package kernel

import "math"

// ExpTo stores exp((src[i] − shift)/scale) in dst[i], within two units in the
// last place, and returns the sum of dst, added in an order that depends on its
// length alone. The quotient may be of any size: exp(−Inf) is 0, results below
// the smallest normal number are rounded to the subnormal ones, those beyond the
// largest are +Inf; NaN stays NaN. dst and src have one length and may be the
// same slice.
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

func expPortable(dst, src []float64, shift, scale float64) (sum float64) {
	for i, v := range src {
		e := expOf((v - shift) / scale)
		dst[i] = e
		sum += e
	}
	return sum
}

// expOf returns math.Exp, which on amd64 (Go 1.26) is +Inf from 709.44 on already.
func expOf(x float64) float64 {
	if x > 709 {
		return math.E * math.Exp(x-1)
	}
	return math.Exp(x)
}
