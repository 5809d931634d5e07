// Package kernel holds the loops that touch the design matrix: margins (X·x)
// and weighted row sums (Xᵀw), over row-major float64 rows.
//
// Each loop walks four distant rows at once, i, i+m/4, i+m/2 and i+3m/4 of its
// m rows: four sequential streams use the memory better than one.
package kernel

// MarginsTo stores X[i]·x in dst[i] for the rows i in [lo, hi) of the row-major
// matrix X with d columns.
func MarginsTo(dst, X []float64, d int, x []float64, lo, hi int) {
	x = x[:d]
	q := (hi - lo) / 4
	for i := lo; i < lo+q; i++ {
		i1, i2, i3 := i+q, i+2*q, i+3*q
		r0 := X[i*d : i*d+d][:len(x)]
		r1 := X[i1*d : i1*d+d][:len(x)]
		r2 := X[i2*d : i2*d+d][:len(x)]
		r3 := X[i3*d : i3*d+d][:len(x)]
		var s0, s1, s2, s3 float64
		for j, v := range x {
			s0 += r0[j] * v
			s1 += r1[j] * v
			s2 += r2[j] * v
			s3 += r3[j] * v
		}
		dst[i], dst[i1], dst[i2], dst[i3] = s0, s1, s2, s3
	}
	for i := lo + 4*q; i < hi; i++ {
		r := X[i*d : i*d+d][:len(x)]
		s := 0.0
		for j, v := range x {
			s += r[j] * v
		}
		dst[i] = s
	}
}

// AddRowsTo adds Σ_i u[i]·v[i]·X[i] over the rows i in [lo, hi) to dst, of
// length d. u and v are indexed by row, like X.
func AddRowsTo(dst, X []float64, d int, u, v []float64, lo, hi int) {
	dst = dst[:d]
	q := (hi - lo) / 4
	for i := lo; i < lo+q; i++ {
		i1, i2, i3 := i+q, i+2*q, i+3*q
		w0, w1, w2, w3 := u[i]*v[i], u[i1]*v[i1], u[i2]*v[i2], u[i3]*v[i3]
		if w0 == 0 && w1 == 0 && w2 == 0 && w3 == 0 {
			continue
		}
		r0 := X[i*d : i*d+d][:len(dst)]
		r1 := X[i1*d : i1*d+d][:len(dst)]
		r2 := X[i2*d : i2*d+d][:len(dst)]
		r3 := X[i3*d : i3*d+d][:len(dst)]
		for j := range dst {
			dst[j] += (w0*r0[j] + w1*r1[j]) + (w2*r2[j] + w3*r3[j])
		}
	}
	for i := lo + 4*q; i < hi; i++ {
		w := u[i] * v[i]
		if w == 0 {
			continue
		}
		r := X[i*d : i*d+d][:len(dst)]
		for j := range dst {
			dst[j] += w * r[j]
		}
	}
}

// AddChangeTo adds Σ_i (u[i]v[i] − p[i]q[i])·X[i] over the rows i in [lo, hi) to
// dst, of length d.
func AddChangeTo(dst, X []float64, d int, u, v, p, q []float64, lo, hi int) {
	dst = dst[:d]
	i := lo
	for ; i+2 <= hi; i += 2 {
		w0, w1 := u[i]*v[i]-p[i]*q[i], u[i+1]*v[i+1]-p[i+1]*q[i+1]
		if w0 == 0 && w1 == 0 {
			continue
		}
		r0 := X[i*d : i*d+d][:len(dst)]
		r1 := X[(i+1)*d : (i+1)*d+d][:len(dst)]
		for j := range dst {
			dst[j] += w0*r0[j] + w1*r1[j]
		}
	}
	for ; i < hi; i++ {
		w := u[i]*v[i] - p[i]*q[i]
		r := X[i*d : i*d+d][:len(dst)]
		for j := range dst {
			dst[j] += w * r[j]
		}
	}
}

// AddGramTo adds Σ_i w[i]·X[i]X[i]ᵀ over the rows [lo, hi) to the upper
// triangle of the row-major d×d matrix dst.
func AddGramTo(dst, X []float64, d int, w []float64, lo, hi int) {
	i := lo
	for ; i+2 <= hi; i += 2 {
		w0, w1 := w[i], w[i+1]
		if w0 == 0 && w1 == 0 {
			continue
		}
		r0 := X[i*d : i*d+d]
		r1 := X[(i+1)*d : (i+1)*d+d]
		for a := range d {
			u0, u1 := w0*r0[a], w1*r1[a]
			if u0 == 0 && u1 == 0 {
				continue // one-hot columns are mostly zero
			}
			t := dst[a*d+a : a*d+d]
			p0, p1 := r0[a:][:len(t)], r1[a:][:len(t)]
			for b := range t {
				t[b] += u0*p0[b] + u1*p1[b]
			}
		}
	}
	for ; i < hi; i++ {
		r := X[i*d : i*d+d]
		for a := range d {
			u := w[i] * r[a]
			if u == 0 {
				continue
			}
			t := dst[a*d+a : a*d+d]
			p := r[a:][:len(t)]
			for b := range t {
				t[b] += u * p[b]
			}
		}
	}
}
