package side

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/internal/kernel"
)

// Bilinear is the oracle of a bilinear coupling f(x) = A x + b, for matrix games in which both sides are on a
// simplex, and for linear constraints.
type Bilinear struct {
	n, d    int
	a, b    []float64
	maxNorm bool
}

var (
	_ saddle.Oracle      = (*Bilinear)(nil)
	_ saddle.Conditioned = (*Bilinear)(nil)
)

// NewBilinear returns the oracle of A x + b for the row-major n×d matrix a; a nil b means zero. The slices are not
// copied. If maxNorm is set, the Lipschitz constants are max_i |A_ji| instead of ‖A_j‖₂, as required for x on the
// simplex in the entropy geometry, where the norm of X is ‖·‖₁.
func NewBilinear(n, d int, a, b []float64, maxNorm bool) (*Bilinear, error) {
	switch {
	case n < 1 || d < 1:
		return nil, fmt.Errorf("dro: the matrix has %d rows and %d columns; both numbers must be positive", n, d)
	case len(a) != n*d:
		return nil, fmt.Errorf("dro: the matrix of %d rows and %d columns has %d entries instead of %d", n, d, len(a), n*d)
	case b != nil && len(b) != n:
		return nil, fmt.Errorf("dro: the constant vector has %d entries, but the matrix has %d rows", len(b), n)
	}
	return &Bilinear{n, d, a, b, maxNorm}, nil
}

// Dims implements Oracle.
func (o *Bilinear) Dims() (n, d, slope int) { return o.n, o.d, 1 }

// EvalTo implements Oracle. Every slope is 1.
func (o *Bilinear) EvalTo(value, slope, x []float64, lo, hi int) {
	kernel.MarginsTo(value, o.a, o.d, x, lo, hi)
	for j := lo; j < hi; j++ {
		slope[j] = 1
		if o.b != nil {
			value[j] += o.b[j]
		}
	}
}

// AddGradTo implements Oracle.
func (o *Bilinear) AddGradTo(dst, weight, slope []float64, lo, hi int) {
	kernel.AddRowsTo(dst, o.a, o.d, weight, slope, lo, hi)
}

// ConstantsTo implements Conditioned. M is 0, since f is linear.
func (o *Bilinear) ConstantsTo(lipschitz, smoothness, _ []float64) {
	for j := range o.n {
		s := 0.0
		for _, v := range o.a[j*o.d : (j+1)*o.d] {
			if o.maxNorm {
				s = math.Max(s, math.Abs(v))
			} else {
				s += v * v
			}
		}
		if !o.maxNorm {
			s = math.Sqrt(s)
		}
		lipschitz[j], smoothness[j] = s, 0
	}
}
