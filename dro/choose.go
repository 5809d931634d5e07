package dro

import (
	"strings"

	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/solve"
)

// Choose returns the method for p and the reason in words: Newton's method where the losses
// have second derivatives, else L-BFGS where the objective has a gradient, else the paper's
// methods of proximal steps. It returns nil where no method of this package solves p, and why
// says what p lacks.
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
