package dro

import (
	"github.com/drotrain/drotrain/dro/saddle"
)

// The following interfaces contain optional methods that a user-defined Oracle, Dual or Primal may have. An
// assertion such as
//
//	var _ dro.Mirror = myDual{}
//
// checks that an implementation has them.
type (
	// NonNegative is implemented by an Oracle that reports whether its losses are ≥ 0, or by a Primal that
	// reports whether its values are.
	NonNegative = saddle.NonNegative

	// Rounded is implemented by an Oracle that describes its rounding, for rigorous certificates.
	Rounded = saddle.Rounded

	// Conditioned is implemented by an Oracle that knows the Lipschitz constants of its losses, which the
	// theoretical schedules of the paper require.
	Conditioned = saddle.Conditioned

	// Precise is implemented by a Dual that computes its penalty and its risk without cancellation.
	Precise = saddle.Precise

	// Normed is a Dual that knows the constants of its norm.
	Normed = saddle.Normed

	// Mirror is a Dual with a proximal step, which primaldual.FullVector and primaldual.Stochastic require.
	Mirror = saddle.Mirror

	// Separable is a Dual in which each weight can be chosen separately, which primaldual.SeparableBlock
	// requires.
	Separable = saddle.Separable

	// Smooth is a Primal with a gradient, which LBFGS requires.
	Smooth = saddle.Smooth

	// Started is a Primal with a starting point, which is required if zero is not in X.
	Started = saddle.Started

	// Geometry is a Primal on a bounded set X, whose divergence is not Euclidean.
	Geometry = saddle.Geometry
)
