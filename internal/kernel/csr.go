package kernel

// A CSR is a sparse matrix in compressed rows: the entries of row i are Value[k] in the columns Column[k], for k in
// [Start[i], Start[i+1]). The columns of a row are strictly ascending and in [0, D). Start has one entry more than
// there are rows.
//
// As in the dense loops, vectors are indexed by row regardless of the range [lo, hi), rows of weight zero are
// skipped, and results depend only on the arguments.
type CSR struct {
	D      int
	Start  []int
	Column []int32
	Value  []float64
}

// row returns the columns and values of row i, which have the same length.
func (m *CSR) row(i int) ([]int32, []float64) {
	a, b := m.Start[i], m.Start[i+1]
	c := m.Column[a:b]
	return c, m.Value[a:b][:len(c)]
}

// MarginsTo stores X[i]·x in dst[i] for the rows i in [lo, hi).
func (m *CSR) MarginsTo(dst, x []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		c, v := m.row(i)
		s := 0.0
		for k, j := range c {
			s += v[k] * x[j]
		}
		dst[i] = s
	}
}

// AddRowsTo adds Σ_i u[i]·v[i]·X[i] over the rows [lo, hi) to dst, of length D.
func (m *CSR) AddRowsTo(dst, u, v []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		m.addRowTo(dst, i, u[i]*v[i])
	}
}

// addRowTo adds w·X[i] to dst.
func (m *CSR) addRowTo(dst []float64, i int, w float64) {
	if w == 0 {
		return
	}
	c, v := m.row(i)
	for k, j := range c {
		dst[j] += w * v[k]
	}
}

// AddGramTo adds Σ_i w[i]·X[i]X[i]ᵀ over the rows [lo, hi) to the upper triangle of the row-major D×D matrix dst.
// It processes the pairs of entries of a row, for four entries at a time together with all entries to their right.
func (m *CSR) AddGramTo(dst, w []float64, lo, hi int) {
	d := m.D
	for i := lo; i < hi; i++ {
		if w[i] == 0 {
			continue // the row adds nothing
		}
		c, v := m.row(i)
		for len(c) >= 4 && len(v) >= 4 {
			j0, j1, j2, j3 := int(c[0]), int(c[1]), int(c[2]), int(c[3])
			v0, v1, v2, v3 := v[0], v[1], v[2], v[3]
			u0, u1, u2, u3 := w[i]*v0, w[i]*v1, w[i]*v2, w[i]*v3
			t0 := dst[j0*d : (j0+1)*d]
			t1 := dst[j1*d:][:len(t0)]
			t2 := dst[j2*d:][:len(t0)]
			t3 := dst[j3*d:][:len(t0)]
			t0[j0] += u0 * v0
			t0[j1] += u0 * v1
			t0[j2] += u0 * v2
			t0[j3] += u0 * v3
			t1[j1] += u1 * v1
			t1[j2] += u1 * v2
			t1[j3] += u1 * v3
			t2[j2] += u2 * v2
			t2[j3] += u2 * v3
			t3[j3] += u3 * v3
			c, v = c[4:], v[4:]
			v = v[:len(c)]
			for b, k := range c {
				t0[k] += u0 * v[b]
				t1[k] += u1 * v[b]
				t2[k] += u2 * v[b]
				t3[k] += u3 * v[b]
			}
		}
		for a, j := range c {
			u := w[i] * v[a]
			t := dst[int(j)*d : (int(j)+1)*d]
			for b := a; b < len(c); b++ {
				t[c[b]] += u * v[b]
			}
		}
	}
}

// AddSquaresTo adds Σ_i w[i]·X[i][k]² over the rows [lo, hi) to dst[k].
func (m *CSR) AddSquaresTo(dst, w []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		if w[i] == 0 {
			continue // the row adds nothing
		}
		c, v := m.row(i)
		for k, j := range c {
			dst[j] += w[i] * v[k] * v[k]
		}
	}
}

// SquaredNormsTo stores Σ_k scale[k]·X[i][k]² in dst[i] for the rows i in [lo, hi).
func (m *CSR) SquaredNormsTo(dst, scale []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		c, v := m.row(i)
		s := 0.0
		for k, j := range c {
			s += scale[j] * v[k] * v[k]
		}
		dst[i] = s
	}
}
