package kernel

import "sync"

// AddGramTo adds Σ_i w[i]·X[i]X[i]ᵀ over the rows [lo, hi) of the row-major
// matrix X with d columns to the upper triangle of the row-major d×d matrix dst;
// the entries below the diagonal are neither read nor written. Weights may be
// negative; rows of weight zero may be left out. w is indexed by row, like X.
func AddGramTo(dst, X []float64, d int, w []float64, lo, hi int) {
	if !checkRows(len(X), d, lo, hi) || d == 0 {
		return
	}
	dst, w = dst[:d*d], w[:hi]
	if avx2 {
		gramPanels(dst, d, func(a, b *float64, i int) (read, packed int) {
			return gramPack64AVX2(a, b, &X[(lo+i)*d], d, &w[lo+i], hi-lo-i, gramRows)
		}, hi-lo)
		return
	}
	addGram(dst, X, d, w, lo, hi)
}

// AddGram32To is [AddGramTo] over rows stored in single precision; products and
// sums are double.
func AddGram32To(dst []float64, X []float32, d int, w []float64, lo, hi int) {
	if !checkRows(len(X), d, lo, hi) || d == 0 {
		return
	}
	dst, w = dst[:d*d], w[:hi]
	if avx2 {
		gramPanels(dst, d, func(a, b *float64, i int) (read, packed int) {
			return gramPack32AVX2(a, b, &X[(lo+i)*d], d, &w[lo+i], hi-lo-i, gramRows)
		}, hi-lo)
		return
	}
	addGram(dst, X, d, w, lo, hi)
}

// gramRows is the number of rows packed together: 24 KB of three panels stay in
// the first cache, and panels do not all start at one of its sets.
const gramRows = 248

// panelPool holds the packed rows of gramPanels: O(d·gramRows) numbers a caller.
var panelPool = sync.Pool{New: func() any { return new([]float64) }}

// gramPanels is the loop over blocks of rows: pack copies rows from the ith on
// into panels of four columns, weighted (a) and as they are (b); then tiles of
// the product of a and b, four rows by up to twelve columns, are added to dst.
// Tiles that touch the diagonal or the last columns go through a buffer.
func gramPanels(dst []float64, d int, pack func(a, b *float64, i int) (read, packed int), n int) {
	const panel = 4 * gramRows
	panels := (d + 3) / 4
	buffer := panelPool.Get().(*[]float64)
	defer panelPool.Put(buffer)
	if len(*buffer) < 2*panels*panel {
		*buffer = make([]float64, 2*panels*panel)
	}
	a, b := (*buffer)[:panels*panel], (*buffer)[panels*panel:2*panels*panel]
	for i := 0; i < n; {
		read, k := pack(&a[0], &b[0], i)
		i += read
		if k == 0 {
			continue
		}
		for group := 0; group < panels; group += 3 {
			end := min(group+3, panels)
			for p := range end {
				q := max(p, group)
				if p < q && 4*end <= d {
					gramTile(&a[p*panel], &b[q*panel], k, &dst[4*p*d+4*q], d, end-q)
					continue
				}
				var tile [4 * 12]float64
				gramTile(&a[p*panel], &b[q*panel], k, &tile[0], 12, end-q)
				for r := 4 * p; r < min(4*p+4, d); r++ {
					t := tile[(r-4*p)*12:]
					for c := max(r, 4*q); c < min(4*end, d); c++ {
						dst[r*d+c] += t[c-4*q]
					}
				}
			}
		}
	}
}

// gramTile adds the product of k rows of the panel at a and of wide panels at b
// to the 4 × 4·wide matrix at c, whose rows are stride apart.
func gramTile(a, b *float64, k int, c *float64, stride, wide int) {
	switch wide {
	case 3:
		gramTile12AVX2(a, b, k, gramRows, c, stride)
	case 2:
		gramTile8AVX2(a, b, k, gramRows, c, stride)
	default:
		gramTile4AVX2(a, b, k, gramRows, c, stride)
	}
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
