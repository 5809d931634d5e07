package kernel

// AddRowsTo adds Σ_i u[i]·v[i]·X[i] over the rows i in [lo, hi) of the row-major
// matrix X with d columns to dst, of length d. u and v are indexed by row, like
// X. Rows of weight zero may be left out.
func AddRowsTo(dst, X []float64, d int, u, v []float64, lo, hi int) {
	addRowsTo(dst, X, d, u, v, lo, hi)
}

// AddRows32To works like [AddRowsTo] for rows stored in single precision; products and sums are in double
// precision.
func AddRows32To(dst []float64, X []float32, d int, u, v []float64, lo, hi int) {
	addRowsTo(dst, X, d, u, v, lo, hi)
}

// addRowsTo implements AddRowsTo.
func addRowsTo[T float32 | float64](dst []float64, X []T, d int, u, v []float64, lo, hi int) {
	if !checkRows(len(X), d, lo, hi) || d == 0 {
		return
	}
	dst, u, v = dst[:d], u[:hi], v[:hi]
	if !avx2 {
		addRows(dst, X, u, v, lo, hi)
		return
	}
	q, rest := (hi-lo)/4, (hi-lo)%4
	if q != 0 {
		addFourRows(&dst[0], &X[lo*d], d, &u[lo], &v[lo], q, q)
	}
	if rest != 0 { // each of them, and three times the same row with weight 0
		var w, one [4 * 3]float64
		lo = hi - rest
		for k := range rest {
			w[k], one[k] = u[lo+k]*v[lo+k], 1
		}
		addFourRows(&dst[0], &X[lo*d], d, &w[0], &one[0], rest, 0)
	}
}

// addFourRows calls the assembly for the type of the rows.
func addFourRows[T float32 | float64](dst *float64, X *T, d int, u, v *float64, n, apart int) {
	switch X := any(X).(type) {
	case *float64:
		addRows64AVX2(dst, X, d, u, v, n, apart)
	case *float32:
		addRows32AVX2(dst, X, d, u, v, n, apart)
	}
}

// addRows implements AddRowsTo in portable Go.
func addRows[T float32 | float64](dst []float64, X []T, u, v []float64, lo, hi int) {
	q := (hi - lo) / 4
	for i := lo; i < lo+q; i++ {
		i1, i2, i3 := i+q, i+2*q, i+3*q
		add4(dst, X, i, q, u[i]*v[i], u[i1]*v[i1], u[i2]*v[i2], u[i3]*v[i3])
	}
	for i := lo + 4*q; i < hi; i++ {
		add1(dst, X, i, u[i]*v[i])
	}
}

// add4 adds w0·X[i] + w1·X[i+q] + w2·X[i+2q] + w3·X[i+3q] to dst.
func add4[T float32 | float64](dst []float64, X []T, i, q int, w0, w1, w2, w3 float64) {
	if w0 == 0 && w1 == 0 && w2 == 0 && w3 == 0 {
		return
	}
	d := len(dst)
	i1, i2, i3 := i+q, i+2*q, i+3*q
	r0 := X[i*d : i*d+d][:len(dst)]
	r1 := X[i1*d : i1*d+d][:len(dst)]
	r2 := X[i2*d : i2*d+d][:len(dst)]
	r3 := X[i3*d : i3*d+d][:len(dst)]
	for j := range dst {
		dst[j] += (w0*float64(r0[j]) + w1*float64(r1[j])) + (w2*float64(r2[j]) + w3*float64(r3[j]))
	}
}

// add1 adds w·X[i] to dst.
func add1[T float32 | float64](dst []float64, X []T, i int, w float64) {
	if w == 0 {
		return
	}
	d := len(dst)
	r := X[i*d : i*d+d][:len(dst)]
	for j := range dst {
		dst[j] += w * float64(r[j])
	}
}
