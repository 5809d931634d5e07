package kernel

// MarginsTo stores X[i]·x in dst[i] for the rows i in [lo, hi) of the row-major matrix X with d columns. dst[i]
// depends only on row i and x, not on lo and hi.
func MarginsTo(dst, X []float64, d int, x []float64, lo, hi int) {
	if !checkRows(len(X), d, lo, hi) {
		return
	}
	x, dst = x[:d], dst[:hi]
	if avx2 && d != 0 {
		margins64AVX2(&dst[lo], &X[lo*d], d, &x[0], hi-lo)
		return
	}
	margins(dst, X, x, lo, hi)
}

// Margins32To works like [MarginsTo] for rows stored in single precision; products and sums are in double
// precision.
func Margins32To(dst []float64, X []float32, d int, x []float64, lo, hi int) {
	if !checkRows(len(X), d, lo, hi) {
		return
	}
	x, dst = x[:d], dst[:hi]
	if avx2 && d != 0 {
		margins32AVX2(&dst[lo], &X[lo*d], d, &x[0], hi-lo)
		return
	}
	margins(dst, X, x, lo, hi)
}

// margins implements MarginsTo in portable Go.
func margins[T float32 | float64](dst []float64, X []T, x []float64, lo, hi int) {
	d, q := len(x), (hi-lo)/4
	for i := lo; i < lo+q; i++ {
		i1, i2, i3 := i+q, i+2*q, i+3*q
		r0 := X[i*d : i*d+d][:len(x)]
		r1 := X[i1*d : i1*d+d][:len(x)]
		r2 := X[i2*d : i2*d+d][:len(x)]
		r3 := X[i3*d : i3*d+d][:len(x)]
		var s0, s1, s2, s3 float64
		for j, v := range x {
			s0 += float64(r0[j]) * v
			s1 += float64(r1[j]) * v
			s2 += float64(r2[j]) * v
			s3 += float64(r3[j]) * v
		}
		dst[i], dst[i1], dst[i2], dst[i3] = s0, s1, s2, s3
	}
	for i := lo + 4*q; i < hi; i++ {
		r := X[i*d : i*d+d][:len(x)]
		s := 0.0
		for j, v := range x {
			s += float64(r[j]) * v
		}
		dst[i] = s
	}
}
