package kernel

import "math"

// choleskyRows is the number of rows of a Cholesky factor that are computed before they are subtracted from the rest
// of the matrix.
const choleskyRows = 32

// Cholesky overwrites the upper triangle of the symmetric row-major d×d matrix a with its Cholesky factor U, UᵀU = a,
// and reports whether a is positive definite; if not, the triangle holds arbitrary numbers. The entries below the
// diagonal are neither read nor written. Whatever the order of the sums, UᵀU differs from a by at most γ_{d+1}|Uᵀ||U|
// (Higham, Accuracy and Stability of Numerical Algorithms, theorem 10.3).
func Cholesky(a []float64, d int) bool {
	if d == 0 {
		return true
	}
	a = a[:d*d]
	var minus [choleskyRows]float64
	for k := range minus {
		minus[k] = -1
	}
	for lo := 0; lo < d; lo += choleskyRows {
		hi := min(lo+choleskyRows, d)
		if !choleskyPanel(a, d, lo, hi) {
			return false
		}
		if avx2 && hi < d {
			rest, rows := a[hi*d+hi:], a[lo*d+hi:]
			gramPanels(rest, d, d-hi, minus[:], 0, hi-lo, 8*d,
				func(a, b *float64, offset *int, weight *float64, k, capacity int) {
					gramPack64AVX2(a, b, &rows[0], d-hi, offset, weight, k, capacity)
				})
			continue
		}
		for k := hi; k < d; k++ {
			for i := lo; i < hi; i++ {
				subtractMultiple(a[k*d+k:k*d+d], a[i*d+k], a[i*d+k:])
			}
		}
	}
	return true
}

// choleskyPanel computes the rows [lo, hi) of the Cholesky factor, given that the preceding rows have been subtracted
// from the matrix.
func choleskyPanel(a []float64, d, lo, hi int) bool {
	for i := lo; i < hi; i++ {
		row := a[i*d+i : i*d+d]
		pivot := row[0]
		if !(pivot > 0) || math.IsInf(pivot, 1) {
			return false
		}
		root := math.Sqrt(pivot)
		for j := range row {
			row[j] /= root
		}
		for k := i + 1; k < hi; k++ {
			subtractMultiple(a[k*d+k:k*d+d], row[k-i], row[k-i:])
		}
	}
	return true
}

// subtractMultiple subtracts v·x from dst.
func subtractMultiple(dst []float64, v float64, x []float64) {
	x = x[:len(dst)]
	for j := range dst {
		dst[j] -= v * x[j]
	}
}
