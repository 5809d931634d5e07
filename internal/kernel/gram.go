package kernel

// AddGramTo adds Σ_i w[i]·X[i]X[i]ᵀ over the rows [lo, hi) of the row-major
// matrix X with d columns to the upper triangle of the row-major d×d matrix dst;
// the entries below the diagonal are neither read nor written. Weights may be
// negative; rows of weight zero may be left out. w is indexed by row, like X.
func AddGramTo(dst, X []float64, d int, w []float64, lo, hi int) {
	if !checkRows(len(X), d, lo, hi) || d == 0 {
		return
	}
	addGram(dst[:d*d], X, d, w[:hi], lo, hi)
}

// AddGram32To is [AddGramTo] over rows stored in single precision; products and
// sums are double.
func AddGram32To(dst []float64, X []float32, d int, w []float64, lo, hi int) {
	if !checkRows(len(X), d, lo, hi) || d == 0 {
		return
	}
	addGram(dst[:d*d], X, d, w[:hi], lo, hi)
}

// addGram is the portable loop: two rows at a time, zeros of a row skipped.
func addGram[T float32 | float64](dst []float64, X []T, d int, w []float64, lo, hi int) {
	i := lo
	for ; i+2 <= hi; i += 2 {
		w0, w1 := w[i], w[i+1]
		if w0 == 0 && w1 == 0 {
			continue
		}
		r0 := X[i*d : i*d+d]
		r1 := X[(i+1)*d : (i+1)*d+d]
		for a := range d {
			u0, u1 := w0*float64(r0[a]), w1*float64(r1[a])
			if u0 == 0 && u1 == 0 {
				continue // one-hot columns are mostly zero
			}
			t := dst[a*d+a : a*d+d]
			p0, p1 := r0[a:][:len(t)], r1[a:][:len(t)]
			for b := range t {
				t[b] += u0*float64(p0[b]) + u1*float64(p1[b])
			}
		}
	}
	for ; i < hi; i++ {
		r := X[i*d : i*d+d]
		for a := range d {
			u := w[i] * float64(r[a])
			if u == 0 {
				continue
			}
			t := dst[a*d+a : a*d+d]
			p := r[a:][:len(t)]
			for b := range t {
				t[b] += u * float64(p[b])
			}
		}
	}
}
