package dro

import (
	"context"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/newton"
)

// A ConstantPrediction states whether a constant prediction is optimal for a problem (docs/math.md §10).
type ConstantPrediction struct {
	Optimal bool

	// Divergence is the smallest divergence D from the reference weights of weights that prove this, or +Inf if
	// Optimal is false. A constant prediction is optimal for every Ball of this radius or more. D is the divergence
	// of a Ball, KullbackLeibler if Y is the whole simplex, and PearsonChi2 for CVaR and Spectral.
	Divergence float64

	// Direction is the limit of x(ν)/ν, of length d, where x(ν) is the optimum with the penalty ν·D in place of
	// the set Y of p. It shows that for a small penalty all predictions are close to each other. It is nil if
	// Optimal is false.
	Direction []float64
}

// AssessConstant reports whether a constant prediction is optimal for p. It supports adversaries over samples without
// a penalty, the losses of linear models and of softmax regression, the L2 regulariser, and at most 2000 parameters;
// for every other problem it reports that no constant is optimal. It usually takes about five Newton steps.
func AssessConstant(ctx context.Context, p *Problem) (ConstantPrediction, error) {
	of, err := toInternalParts(p)
	if err == nil {
		err = engine.Validate(of)
	}
	if err != nil {
		return ConstantPrediction{}, err
	}
	optimal, divergence, direction := newton.AssessConstant(ctx, of)
	return ConstantPrediction{optimal, divergence, direction}, ctx.Err()
}
