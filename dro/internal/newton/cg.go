package newton

import (
	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/saddle"
)

// NewtonCG is Newton's method with the step of each iteration computed by
// preconditioned conjugate gradients from products with the Hessian, which is
// never formed: for more parameters than a d×d matrix allows. A product is one
// pass. Of up to 2000 parameters L-BFGS takes the first steps, while it is expected
// at the optimum before a few Hessians have paid, and where that and the products have cost what
// the matrix would, it is formed after all. It needs ν > 0 (or fixed weights), second derivatives, products with the
// rows, and the L2 regulariser.
type NewtonCG struct{}

var _ saddle.Method = NewtonCG{}

// Name implements Method.
func (NewtonCG) Name() string { return "newton-cg" }

// Start implements Method.
func (m NewtonCG) Start(r *saddle.Run) (saddle.Stepper, error) {
	h := hessian.NewOperator(r.Problem, r.Cert.Evaluator)
	h.Most, _ = price(r.Problem)
	return newNewton(r, m, h)
}

// Needs implements Method.
func (NewtonCG) Needs() []saddle.Need {
	return append([]saddle.Need{saddle.NeedProducts}, hessian.Needs...)
}

// RunsEverywhere implements Everywhere.
func (NewtonCG) RunsEverywhere() bool { return true }
