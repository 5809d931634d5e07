package drotest

import (
	"github.com/drotrain/drotrain/losses"
)

// Plain has the methods of an oracle and its constants, and no others.
type Plain struct{ O *losses.Linear }

func (p Plain) Dims() (n, d, slope int) { return p.O.Dims() }

func (p Plain) EvalTo(value, slope, x []float64, lo, hi int) { p.O.EvalTo(value, slope, x, lo, hi) }

func (p Plain) AddGradTo(dst, weight, slope []float64, lo, hi int) {
	p.O.AddGradTo(dst, weight, slope, lo, hi)
}

func (p Plain) ConstantsTo(lipschitz, smoothness, x []float64) {
	p.O.ConstantsTo(lipschitz, smoothness, x)
}
