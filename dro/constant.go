package dro

import (
	"context"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/newton"
)

// A ConstantPrediction states whether a constant prediction is optimal for a problem (docs/math.md §10).
type ConstantPrediction struct {
	Optimal bool

	// Divergence is the smallest divergence from the reference weights of weights that prove this. For a Ball
	// it is measured by the divergence of the ball, and otherwise by PearsonChi2. For a Ball of this radius or
	// more, a constant prediction is optimal.
	Divergence float64

	// Direction is the limit of x(ν)/ν, of length d, where x(ν) is the optimum with the penalty ν·D in place of
	// the ball. It shows that for a small penalty all predictions are close to each other.
	Direction []float64
}

// AssessConstant reports whether a constant prediction minimises the robust risk of p. It supports adversaries
// without a penalty and the losses of linear models and of softmax regression; for every other problem it reports
// that no constant is optimal. It takes about five Newton steps.
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
