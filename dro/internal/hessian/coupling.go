package hessian

import (
	"gonum.org/v1/gonum/floats"
)

// A coupling is Σ_kl inner_kl along_k along_lᵀ.
type coupling struct {
	along [][]float64 // k×d
	inner []float64   // k×k
}

// addTo calls add on every entry of the upper triangle.
func (c *coupling) addTo(d int, add func(i, j int, v float64)) {
	k := len(c.along)
	product := make([]float64, d) // of a row of inner with the rows
	for a := range k {
		clear(product)
		for b := range k {
			floats.AddScaled(product, c.inner[a*k+b], c.along[b])
		}
		for i, v := range c.along[a] {
			if v == 0 {
				continue
			}
			for j := i; j < d; j++ {
				add(i, j, v*product[j])
			}
		}
	}
}

// multiplyTo adds the product with v to dst.
func (c *coupling) multiplyTo(dst, v []float64) {
	k := len(c.along)
	share := make([]float64, k)
	for b, row := range c.along {
		share[b] = floats.Dot(row, v)
	}
	for a, row := range c.along {
		floats.AddScaled(dst, floats.Dot(c.inner[a*k:(a+1)*k], share), row)
	}
}

// diagonalTo adds the diagonal to dst.
func (c *coupling) diagonalTo(dst []float64) {
	k := len(c.along)
	for i := range dst {
		for a := range k {
			for b := range k {
				dst[i] += c.inner[a*k+b] * c.along[a][i] * c.along[b][i]
			}
		}
	}
}
