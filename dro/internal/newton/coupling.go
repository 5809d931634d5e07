package newton

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A coupling is the matrix Σ_k share_k along_k along_kᵀ.
type coupling struct {
	along [][]float64 // k×d
	share []float64   // k
}

// addTo adds the matrix to the first d rows and columns of h, and its diagonal to full.
func (c *coupling) addTo(d int, h *mat.SymDense, full []float64) {
	to := h.RawSymmetric()
	to.N = d
	for k, row := range c.along {
		share := c.share[k]
		blas64.Syr(share, blas64.Vector{N: d, Inc: 1, Data: row}, to)
		if share > 0 {
			for i, v := range row {
				full[i] += share * v * v
			}
		}
	}
}

// multiplyTo adds the product of the matrix with v to dst.
func (c *coupling) multiplyTo(dst, v []float64) {
	for k, row := range c.along {
		floats.AddScaled(dst, c.share[k]*floats.Dot(row, v), row)
	}
}

// diagonalTo adds the diagonal of the matrix to dst.
func (c *coupling) diagonalTo(dst []float64) {
	for k, row := range c.along {
		for i, v := range row {
			dst[i] += c.share[k] * v * v
		}
	}
}
