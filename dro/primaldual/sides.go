package primaldual

import (
	"github.com/drotrain/drotrain/dro/internal/side"
)

// Box is the dual-separable set Lower ≤ y_j ≤ Upper with ψ(y) = (Nu/2)‖y‖² and the Euclidean
// geometry. With Lower = 0 it holds the multipliers of functional constraints f_j(x) ≤ 0 (ex. fcm),
// Upper being the bound on them (an exact penalty); Upper = +Inf is the orthant. Lower is finite, and
// not negative unless every f_j is linear.
type Box = side.Box

// Orthant is the separable form of dro.KL or dro.ChiSquare: the weights 0 ≤ y_j ≤ Cap with the
// generalised penalty ψ_j(y) = Nu·(y log(n y) − y + 1/n), or (Nu·n/2)(y − 1/n)².
type Orthant = side.Orthant

// PearsonChi2 is the Divergence of an Orthant of dro.ChiSquare; that of dro.KL is the zero value.
const PearsonChi2 = side.PearsonChi2
