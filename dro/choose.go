package dro

import (
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/primaldual"
)

// Choose returns the method for p and the reason in words: Newton's method where the losses
// have second derivatives, else L-BFGS where the objective has a gradient, else the paper's
// methods of proximal steps. It returns nil where no method of this package solves p, and why
// says what p lacks.
func Choose(p *Problem) (m Method, why string) {
	p = prepared(p)
	n, d, _ := p.Oracle.Dims()
	switch {
	case saddle.Supports(Newton{}, p) && !saddle.Differentiable(p):
		return Newton{}, "nu is 0, so that the objective is the largest of many smooth pieces: quadratic problems of those that matter, or penalties that fall"
	case saddle.Supports(Newton{}, p) && newton.GrowsWell(n, d):
		return Newton{}, fmt.Sprintf("the losses have second derivatives; on growing prefixes of the %d rows", n)
	case saddle.Supports(Newton{}, p):
		return Newton{}, "the losses have second derivatives"
	case saddle.Supports(LBFGS{}, p):
		return LBFGS{}, "the objective has gradients, and no Hessian that is known"
	case saddle.Supports(primaldual.FullVector{}, p):
		return primaldual.FullVector{}, "the objective has no gradient that is known: proximal steps"
	case saddle.Supports(primaldual.SeparableBlock{}, p):
		return primaldual.SeparableBlock{}, "the objective has no gradient that is known: proximal steps, block after block"
	}
	return nil, "no method solves this problem: " + strings.TrimPrefix(saddle.Refusal(primaldual.FullVector{}, p).Error(), "dro: ")
}

// OnPrefixes returns m as the last stage of Newton's method on growing prefixes of the rows, where
// m can start with the Hessian of the last prefix; else m.
func OnPrefixes(p *Problem, m Method) Method {
	p = prepared(p)
	if heir, ok := saddle.Ability[saddle.Inheriting](m); ok && heir.TakesOver() && saddle.Supports(Newton{}, p) {
		return newton.OnPrefixes{Last: m}
	}
	return m
}
