// Package solve chooses methods, and solves and certifies problems by them: what package dro does, in
// the types of the internal packages.
package solve

import (
	"context"
	"errors"
	"strings"

	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/primaldual"
)

// Choose returns the method for a valid problem p and the reason, or nil and what p lacks.
func Choose(p *saddle.Problem) (m saddle.Method, why string) {
	switch {
	case saddle.Supports(newton.Newton{}, p) && !saddle.IsDifferentiable(p):
		return newton.Newton{}, "nu is 0, so that the objective is the largest of many smooth pieces: quadratic problems of those that matter, or penalties that fall"
	case saddle.Supports(newton.Newton{}, p):
		return newton.Newton{}, "the losses have second derivatives"
	case saddle.Supports(newton.LBFGS{}, p):
		return newton.LBFGS{}, "the objective has gradients, and no Hessian that is known"
	case saddle.Supports(primaldual.FullVector{}, p):
		return primaldual.FullVector{}, "the objective has no gradient that is known: proximal steps"
	case saddle.Supports(primaldual.SeparableBlock{}, p):
		return primaldual.SeparableBlock{}, "the objective has no gradient that is known: proximal steps, block after block"
	}
	return nil, "no method solves this problem: " + strings.TrimPrefix(saddle.RefusalError(primaldual.FullVector{}, p).Error(), "dro: ")
}

// Solve solves p by m. A nil m means the method of Choose.
func Solve(ctx context.Context, p *saddle.Problem, m saddle.Method, s saddle.Settings) (*saddle.Result, error) {
	if m == nil {
		if p == nil || p.Oracle == nil || p.Dual == nil || p.Primal == nil {
			return nil, saddle.Validate(p)
		}
		var why string
		if m, why = Choose(p); m == nil {
			return nil, errors.New("dro: " + why)
		}
	}
	s.CertifyConstant = newton.CertifyConstant
	return saddle.Solve(ctx, p, m, s)
}
