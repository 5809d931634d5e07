package dro

import (
	"context"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/newton"
)

// A ConstantPrediction says whether a constant prediction is optimal for a problem, so that its adversary leaves no
// model (docs/math.md §10).
type ConstantPrediction struct {
	Optimal bool

	// Divergence is the smallest divergence from the reference weights of weights that prove it, for a Ball in its
	// own divergence, else in PearsonChi2. A Ball of this radius or more leaves no model.
	Divergence float64

	// Direction is the limit of x(ν)/ν, of length d, where x(ν) is the optimum with the penalty ν·D in place of the
	// ball. So a small penalty leaves predictions that lie close to each other.
	Direction []float64
}

// AssessConstant reports whether a constant prediction minimises the robust risk of p. It knows the adversaries
// without a penalty over the losses of linear models and of softmax regression; for every other problem it reports
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
