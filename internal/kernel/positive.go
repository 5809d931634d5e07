package kernel

// PositivePartTo stores max(0, (src[i] − shift)/scale) in dst[i], where scale > 0. It returns the sum of dst, added
// in an order that depends only on the length, and the number of entries of src above shift. A NaN stays NaN and is
// not counted. dst and src have the same length and may be the same slice.
func PositivePartTo(dst, src []float64, shift, scale float64) (sum float64, count int) {
	if len(src) == 0 {
		return 0, 0
	}
	dst = dst[:len(src)]
	if avx2 {
		return positivePartAVX2(&dst[0], &src[0], shift, scale, len(src))
	}
	return positivePartPortable(dst, src, shift, scale)
}

// ExcessOver returns Σ_i max(0, src[i] − shift), added in an order that depends only on the length, and the number
// of entries of src above shift. A NaN makes the sum NaN and is not counted.
func ExcessOver(src []float64, shift float64) (sum float64, count int) {
	if avx2 && len(src) != 0 {
		return excessAVX2(&src[0], shift, len(src))
	}
	return excessPortable(src, shift)
}

// positivePartPortable stores max(0, (src[i] − shift)/divisor) in dst[i]. It returns the sum of dst and the number of
// entries of src above shift.
func positivePartPortable(dst, src []float64, shift, divisor float64) (sum float64, count int) {
	for i, v := range src {
		if v > shift {
			count++
		}
		p := max(0, (v-shift)/divisor)
		dst[i] = p
		sum += p
	}
	return sum, count
}

// excessPortable returns Σ_i max(0, src[i] − shift) and the number of entries of src above shift.
func excessPortable(src []float64, shift float64) (sum float64, count int) {
	for _, v := range src {
		if v > shift {
			count++
		}
		sum += max(0, v-shift)
	}
	return sum, count
}
