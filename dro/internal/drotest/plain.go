package drotest

import (
	"github.com/drotrain/drotrain/losses"
)

// Plain hides all methods of an oracle except those that every oracle has and its constants.
type Plain struct{ O *losses.Linear }

func (p Plain) Dims() (n, d, slope int) { return p.O.Dims() }

func (p Plain) EvalTo(value, slope, x []float64, lo, hi int) { p.O.EvalTo(value, slope, x, lo, hi) }

func (p Plain) AddGradTo(dst, weight, slope []float64, lo, hi int) {
	p.O.AddGradTo(dst, weight, slope, lo, hi)
}

func (p Plain) ConstantsTo(lipschitz, smoothness, x []float64) {
	p.O.ConstantsTo(lipschitz, smoothness, x)
}
