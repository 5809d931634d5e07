package dro

import (
	"strings"

	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/solve"
)

// Choose returns the method for p and the reason: Newton's method if the losses have second derivatives, else
// L-BFGS if the objective has a gradient, else a method of the paper. If no method of this package can solve p,
// it returns nil and what p lacks.
func Choose(p *Problem) (m Method, why string) {
	of, err := problemOf(p)
	if err == nil {
		err = saddle.Validate(of)
	}
	if err != nil {
		return nil, strings.TrimPrefix(err.Error(), "dro: ")
	}
	switch chosen, why := solve.Choose(of); chosen.(type) {
	case nil:
		return nil, why
	case newton.Newton:
		return Newton{}, why
	case newton.LBFGS:
		return LBFGS{}, why
	default:
		return chosen, why
	}
}
