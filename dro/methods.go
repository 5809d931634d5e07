package dro

import (
	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/dro/saddle"
)

// Newton minimises the exact objective by Newton's method (dro/internal/newton/solver.md). The Hessian is formed
// from some or all of the rows, or only multiplied by vectors if there are more than 2000 columns, and is corrected
// by BFGS pairs. The line search only accepts decreases. If there is no penalty, the objective is the maximum of
// many smooth pieces, and the steps are those of sequential quadratic programming. The method requires second
// derivatives, and the L2 or the Wasserstein regulariser.
type Newton struct {
	// number of rows from which the Hessian is estimated; 0 means a number that depends on the columns
	Sample   int
	Products bool // solve linear systems by conjugate gradients, without forming the Hessian
}

var _ Method = Newton{}

// Name returns "newton".
func (Newton) Name() string { return newton.Newton{}.Name() }

// Needs implements Method.
func (m Newton) Needs() []saddle.Need { return newton.Newton(m).Needs() }

// Start implements Method.
func (m Newton) Start(r saddle.Run) (saddle.Stepper, error) { return newton.Newton(m).Start(r) }

// LBFGS minimises the exact objective by the limited-memory BFGS method with a Moré-Thuente line search, both from
// gonum/optimize. It requires an objective with a gradient, which means ν > 0, fixed weights or a small enough ball,
// and a regulariser with a gradient.
type LBFGS struct{}

var _ Method = LBFGS{}

// Name returns "lbfgs".
func (LBFGS) Name() string { return newton.LBFGS{}.Name() }

// Needs implements Method.
func (LBFGS) Needs() []saddle.Need { return newton.LBFGS{}.Needs() }

// Start implements Method.
func (LBFGS) Start(r saddle.Run) (saddle.Stepper, error) { return newton.LBFGS{}.Start(r) }
