package kernel

// AddRowsTo adds Σ_i u[i]·v[i]·X[i] over the rows i in [lo, hi) of the row-major
// matrix X with d columns to dst, of length d. u and v are indexed by row, like
// X. Rows of weight zero may be left out.
func AddRowsTo(dst, X []float64, d int, u, v []float64, lo, hi int) {
	if !checkRows(len(X), d, lo, hi) || d == 0 {
		return
	}
	dst, u, v = dst[:d], u[:hi], v[:hi]
	if avx2 {
		addRows64AVX2(&dst[0], &X[lo*d], d, &u[lo], &v[lo], hi-lo)
		return
	}
	addRows(dst, X, u, v, lo, hi)
}

// AddRows32To works like [AddRowsTo] over rows stored in single precision; products and
// sums are double.
func AddRows32To(dst []float64, X []float32, d int, u, v []float64, lo, hi int) {
	if !checkRows(len(X), d, lo, hi) || d == 0 {
		return
	}
	dst, u, v = dst[:d], u[:hi], v[:hi]
	if avx2 {
		addRows32AVX2(&dst[0], &X[lo*d], d, &u[lo], &v[lo], hi-lo)
		return
	}
	addRows(dst, X, u, v, lo, hi)
}

// AddChangeTo adds Σ_i (u[i]v[i] − p[i]q[i])·X[i] over the rows i in [lo, hi) to
// dst, of length d. The two products are rounded before they are subtracted, so
// that a row whose weight did not change adds nothing.
func AddChangeTo(dst, X []float64, d int, u, v, p, q []float64, lo, hi int) {
	if !checkRows(len(X), d, lo, hi) || d == 0 {
		return
	}
	dst, u, v, p, q = dst[:d], u[:hi], v[:hi], p[:hi], q[:hi]
	if avx2 {
		addChange64AVX2(&dst[0], &X[lo*d], d, &u[lo], &v[lo], &p[lo], &q[lo], hi-lo)
		return
	}
	addChange(dst, X, u, v, p, q, lo, hi)
}

// AddChange32To works like [AddChangeTo] over rows stored in single precision; products
// and sums are double.
func AddChange32To(dst []float64, X []float32, d int, u, v, p, q []float64, lo, hi int) {
	if !checkRows(len(X), d, lo, hi) || d == 0 {
		return
	}
	dst, u, v, p, q = dst[:d], u[:hi], v[:hi], p[:hi], q[:hi]
	if avx2 {
		addChange32AVX2(&dst[0], &X[lo*d], d, &u[lo], &v[lo], &p[lo], &q[lo], hi-lo)
		return
	}
	addChange(dst, X, u, v, p, q, lo, hi)
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

// addChange implements AddChangeTo in portable Go.
func addChange[T float32 | float64](dst []float64, X []T, u, v, p, q []float64, lo, hi int) {
	// The conversion keeps the compiler from fusing the product and the difference.
	change := func(i int) float64 { return float64(u[i]*v[i]) - float64(p[i]*q[i]) }
	m := (hi - lo) / 4
	for i := lo; i < lo+m; i++ {
		add4(dst, X, i, m, change(i), change(i+m), change(i+2*m), change(i+3*m))
	}
	for i := lo + 4*m; i < hi; i++ {
		add1(dst, X, i, change(i))
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
