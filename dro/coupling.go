package dro

import "gonum.org/v1/gonum/floats"

// local is the ability of a Dual to say how its best response moves with the losses at
// the point that an evaluator evaluated last, where that is not in the weights alone.
type local interface{ respondingAt(*evaluator) Responsive }

// coupled is the ability of a Dual whose best response moves together in a few
// directions: in the losses, the Hessian of its risk has Σ_kl inner_kl b_k b_lᵀ besides
// diag(c) − ccᵀ/Σc, and along_k = Σ_j b_kj ∇f_j. It is asked with the responses c, of sum
// total, at the point that e evaluated last, and may use the place that they take. inner
// is k×k, row-major.
type coupled interface {
	coupleTo(e *evaluator, response []float64, total float64, slope []float64) (along [][]float64, inner []float64)
}

// smooth is the ability of a Dual with ν = 0 to say whether its risk has a gradient
// where it matters all the same.
type smooth interface{ differentiable(n, d int) bool }

// differentiable reports that the robust risk has a gradient in the losses where it
// matters.
func differentiable(p *Problem) bool {
	if _, fixed := p.Dual.(fixedWeights); fixed || p.Dual.Modulus() > 0 {
		return true
	}
	n, d, _ := p.Oracle.Dims()
	s, ok := p.Dual.(smooth)
	return ok && s.differentiable(n, d)
}

// responsive reports that the dual tells how its best response moves.
func responsive(d Dual) bool {
	_, anywhere := d.(Responsive)
	_, here := d.(local)
	return anywhere || here
}

// respondingAt returns how the best response of d moves at the point e evaluated last.
func respondingAt(d Dual, e *evaluator) Responsive {
	if l, ok := d.(local); ok {
		return l.respondingAt(e)
	}
	return d.(Responsive)
}

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
