package eval

import "math"

// A lowerTriangle is a lower triangular matrix stored by rows.
type lowerTriangle struct {
	n int
	v []float64
}

// cholesky returns the Cholesky factor of a positive semidefinite matrix given by its lower triangle, which it
// overwrites. Rows without variance are zero.
func cholesky(v []float64, n int) lowerTriangle {
	for j := range n {
		row := v[j*(j+1)/2:]
		whole := row[j]
		for k := range j {
			o := v[k*(k+1)/2:]
			s := row[k]
			for q := range k {
				s -= row[q] * o[q]
			}
			if o[k] > 0 {
				row[k] = s / o[k]
			} else {
				row[k] = 0
			}
		}
		s := whole
		for q := range j {
			s -= row[q] * row[q]
		}
		if row[j] = 0; s > 1e-12*whole {
			row[j] = math.Sqrt(s)
		}
	}
	return lowerTriangle{n, v}
}

// addTo adds L z to dst.
func (t lowerTriangle) addTo(dst, z []float64) {
	at := 0
	for j := range t.n {
		s := 0.0
		for k, l := range t.v[at : at+j+1] {
			s += float64(l * z[k])
		}
		dst[j] += s
		at += j + 1
	}
}
