package dro

import (
	"github.com/drotrain/drotrain/dro/internal/side"
)

// L2 is the ridge regulariser φ(x) = (μ/2)‖x‖², in the Euclidean geometry
// Δ(x, z) = ½‖x − z‖². Mu is μ. Intercept leaves the last coordinate unpenalised; the last column of the design must
// then be the constant 1. Classes is the number of such coordinates, one per class in softmax regression; 0 means 1.
// FreeModulus is the curvature that ProxTo assumes there, which does not change the problem.
type L2 = side.L2

// Entropy is the regulariser φ(x) = μ Σ x_i log(d x_i) on the simplex Δ_d, in the geometry of
// relative entropy, with μ in the field Mu. Its x are, for example, mixed strategies, portfolios or mixtures of models.
type Entropy = side.Entropy

// Wasserstein is the regulariser φ(x) = (μ/2)‖x‖² + Radius·‖x‖₂. With Intercept neither term has the last coordinate;
// the last column of the design must then be the constant 1.
//
// For a loss ℓ of the margin with the Lipschitz constant L (losses.Loss has Lipschitz) and Radius = ε·L, the average
// risk plus ε·L·‖x‖₂ is the largest expected loss over all distributions within ε of that of the samples in the type-1
// Wasserstein distance. The cost of moving a sample is the Euclidean distance of its features without the constant; its
// target does not move. The norm of the regulariser is the dual one, which is the Euclidean norm too. Newton's method
// needs given weights or ν > 0, and one margin per sample.
type Wasserstein = side.Norm

// primalOf returns the value that r points to if r is a pointer to a regulariser of this package, else r.
func primalOf(r Primal) Primal {
	switch r := r.(type) {
	case *L2:
		if r != nil {
			return *r
		}
		return nil
	case *Wasserstein:
		if r != nil {
			return *r
		}
		return nil
	case *Entropy:
		if r != nil {
			return *r
		}
		return nil
	}
	return r
}

// NewBilinear returns the oracle of a bilinear coupling f(x) = A x + b, for matrix games and linear
// constraints. a is the row-major n×d matrix A; b may be nil for zero. The slices are not copied. With
// maxNorm the Lipschitz constants are max_i |A_ji| instead of ‖A_j‖₂, as needed for x on the simplex in
// the entropy geometry, where the norm of X is ‖·‖₁.
func NewBilinear(n, d int, a, b []float64, maxNorm bool) (Oracle, error) {
	return side.NewBilinear(n, d, a, b, maxNorm)
}
