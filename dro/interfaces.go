package dro

import (
	"github.com/drotrain/drotrain/dro/saddle"
)

// The following interfaces have further methods that a user's own Oracle, Dual or Primal may have. An assertion such as
//
//	var _ dro.Mirror = myDual{}
//
// checks that an implementation has them.
type (
	// NonNegative is implemented by an Oracle whose losses, or a Primal whose values, may be known to be ≥ 0.
	NonNegative = saddle.NonNegative

	// Rounded is implemented by an Oracle that describes its rounding, for rigorous certificates.
	Rounded = saddle.Rounded

	// Conditioned is implemented by an Oracle that knows the Lipschitz constants of its losses, which the theoretical
	// schedules of the paper need.
	Conditioned = saddle.Conditioned

	// Precise is implemented by a Dual that computes its penalty and its risk without cancellation.
	Precise = saddle.Precise

	// Normed is a Dual that knows the constants of its norm.
	Normed = saddle.Normed

	// Mirror is a Dual with a proximal step, which primaldual.FullVector and primaldual.Stochastic need.
	Mirror = saddle.Mirror

	// Separable is a Dual whose weights are apart from each other, which primaldual.SeparableBlock needs.
	Separable = saddle.Separable

	// Smooth is a Primal with a gradient, which LBFGS needs.
	Smooth = saddle.Smooth

	// Started is a Primal with a starting point, which is needed if zero is not in X.
	Started = saddle.Started

	// Geometry is a Primal on a bounded set X, whose divergence is not Euclidean.
	Geometry = saddle.Geometry
)
