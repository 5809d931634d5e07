package dro

import (
	"github.com/drotrain/drotrain/dro/internal/side"
)

// dereference returns the value that r points to if r is a pointer to a regulariser of this
// package, and r otherwise.
func dereference(r Primal) Primal {
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

// NewBilinear returns the oracle of a bilinear coupling f(x) = A x + b, for matrix games and linear constraints. a
// is the row-major n×d matrix A; a nil b means zero. The slices are not copied. If maxNorm is set, the Lipschitz
// constants are max_i |A_ji| instead of ‖A_j‖₂, as required for x on the simplex in the entropy geometry, where the
// norm of X is ‖·‖₁.
func NewBilinear(n, d int, a, b []float64, maxNorm bool) (Oracle, error) {
	return side.NewBilinear(n, d, a, b, maxNorm)
}
