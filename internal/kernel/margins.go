package kernel

// MarginsTo stores X[i]·x in dst[i] for the rows i in [lo, hi) of the row-major matrix X with d columns. dst[i]
// depends only on row i and x, not on lo and hi.
func MarginsTo(dst, X []float64, d int, x []float64, lo, hi int) { marginsTo(dst, X, d, x, lo, hi) }

// Margins32To works like [MarginsTo] for rows stored in single precision; products and sums are in double
// precision.
func Margins32To(dst []float64, X []float32, d int, x []float64, lo, hi int) {
	marginsTo(dst, X, d, x, lo, hi)
}

// marginsTo implements MarginsTo.
func marginsTo[T float32 | float64](dst []float64, X []T, d int, x []float64, lo, hi int) {
	if !checkRows(len(X), d, lo, hi) {
		return
	}
	x, dst = x[:d], dst[:hi]
	if !avx2 || d == 0 {
		margins(dst, X, x, lo, hi)
		return
	}
	q, rest := (hi-lo)/4, (hi-lo)%4
	if q != 0 {
		fourMargins(&dst[lo], &X[lo*d], d, &x[0], q, q)
	}
	switch {
	case rest != 0 && q != 0: // the last four rows, some of them again
		fourMargins(&dst[hi-4], &X[(hi-4)*d], d, &x[0], 1, 1)
	case rest != 0: // each row four times
		fourMargins(&dst[lo], &X[lo*d], d, &x[0], rest, 0)
	}
}

// fourMargins calls the assembly for the type of the rows.
func fourMargins[T float32 | float64](dst *float64, X *T, d int, x *float64, n, apart int) {
	switch X := any(X).(type) {
	case *float64:
		margins64AVX2(dst, X, d, x, n, apart)
	case *float32:
		margins32AVX2(dst, X, d, x, n, apart)
	}
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
