package dro

import (
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/side"
)

// L2 is the ridge regulariser φ(x) = (μ/2)‖x‖², in the Euclidean geometry
// Δ(x, z) = ½‖x − z‖².
type L2 struct {
	Mu        float64 // μ ≥ 0
	Intercept bool    // do not penalise the last coordinate; the last column of the design must be the constant 1

	// Classes is the number of last coordinates that Intercept leaves unpenalised: one per class in
	// softmax regression. 0 means 1.
	Classes int

	// FreeModulus is the curvature that ProxTo assumes in the unpenalised coordinate. It bounds the steps of
	// the methods of dro/primaldual there and does not change the problem. 0 assumes none.
	FreeModulus float64
}

// Modulus implements Primal: μ, over the penalised coordinates.
func (l L2) Modulus() float64 { return l.Mu }

// Value implements Primal.
func (l L2) Value(x []float64) float64 { return side.L2(l).Value(x) }

// ProxTo implements Primal: (c·center − a·g)/(a μ + c).
func (l L2) ProxTo(dst, g, center []float64, a, c float64) { side.L2(l).ProxTo(dst, g, center, a, c) }

// FenchelYoung implements Primal: ‖g + μx‖²/(2μ) over the penalised coordinates; +Inf if the last
// one is not penalised and has g ≠ 0, or if μ = 0 and g ≠ 0.
func (l L2) FenchelYoung(x, g []float64) float64 { return side.L2(l).FenchelYoung(x, g) }

// Entropy is the regulariser φ(x) = μ Σ x_i log(d x_i) on the simplex Δ_d, in the geometry of
// relative entropy. Its x are, for example, mixed strategies, portfolios or mixtures of models.
type Entropy struct {
	Mu float64 // μ ≥ 0
}

// Modulus implements Primal, with respect to ‖·‖₁.
func (e Entropy) Modulus() float64 { return e.Mu }

// Value implements Primal, for x on the simplex.
func (e Entropy) Value(x []float64) float64 { return side.Entropy(e).Value(x) }

// ProxTo implements Primal; center is in the coordinates of CoordsTo.
func (e Entropy) ProxTo(dst, g, center []float64, a, c float64) {
	side.Entropy(e).ProxTo(dst, g, center, a, c)
}

// FenchelYoung implements Primal.
func (e Entropy) FenchelYoung(x, g []float64) float64 { return side.Entropy(e).FenchelYoung(x, g) }

// CoordsTo stores the coordinates log(d x_i) of x in u, in which ProxTo takes its centre.
func (e Entropy) CoordsTo(u, x []float64) { side.Entropy(e).CoordsTo(u, x) }

// StartingPoint stores the uniform point in x.
func (e Entropy) StartingPoint(x []float64) { side.Entropy(e).StartingPoint(x) }

// primalOf converts r to the type of the internal packages.
func primalOf(r Primal) saddle.Primal {
	switch r := r.(type) {
	case L2:
		return side.L2(r)
	case Entropy:
		return side.Entropy(r)
	case *L2:
		if r != nil {
			return side.L2(*r)
		}
		return nil
	case *Entropy:
		if r != nil {
			return side.Entropy(*r)
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
