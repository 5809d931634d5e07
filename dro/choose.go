package dro

import (
	"strings"

	"github.com/drotrain/drotrain/dro/internal/engine"
)

// Choose returns a method for p and the reason for the choice: Newton's method if p meets its needs (Newton.Needs),
// among them second derivatives, and otherwise L-BFGS if the objective has a gradient. For any other problem, Choose
// returns nil and the properties that p lacks; a method of package dro/primaldual may solve such a problem. For an
// invalid problem it returns nil and the error.
func Choose(p *Problem) (m Method, why string) {
	of, err := toInternalParts(p)
	if err == nil {
		err = engine.Validate(of)
	}
	if err != nil {
		return nil, strings.TrimPrefix(err.Error(), "dro: ")
	}
	return choose(of)
}

// choose works like Choose for a valid problem whose parts have types of the internal packages.
func choose(p *Problem) (m Method, why string) {
	switch {
	case engine.Supports(Newton{}, p) && !engine.IsDifferentiable(p):
		return Newton{}, "ν is 0, so the objective is the maximum of many smooth pieces; the method solves " +
			"quadratic problems of the active pieces, or decreases a penalty"
	case engine.Supports(Newton{}, p):
		return Newton{}, "the losses have known curvature"
	case engine.Supports(LBFGS{}, p):
		return LBFGS{}, "the objective has gradients but no known Hessian"
	}
	return nil, "no default method solves this problem: " +
		strings.TrimPrefix(engine.RefusalError(LBFGS{}, p).Error(), "dro: ") +
		"; a method of dro/primaldual may solve it: set Options.Method, for example to primaldual.FullVector{}"
}
