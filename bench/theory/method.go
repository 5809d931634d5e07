package theory

import (
	"math"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
)

// A theoryMethod is one of the five methods for which there is a complexity theorem.
type theoryMethod int

const (
	fullVector            theoryMethod = iota // Alg. 2, Theorem 1
	stochasticHistorical                      // Alg. 3, Theorem 2
	stochasticReplacement                     // Alg. 4, Theorem 3
	separableHistorical                       // Alg. 5, Theorem 4
	separableReplacement                      // Alg. 6, Theorem 5
	theoryMethods
)

func (m theoryMethod) separable() bool { return m >= separableHistorical }

// String returns the name of the method and its algorithm.
func (m theoryMethod) String() string {
	return [...]string{"full (Alg. 2)", "stochastic, historical (Alg. 3)", "stochastic, replacement (Alg. 4)",
		"separable, historical (Alg. 5)", "separable, replacement (Alg. 6)"}[m]
}

// curvature returns L of Assumption 1: sup_y Σ y_j M_j, for samples with M_j-smooth losses.
func (in *instance) curvature() float64 {
	l := 0.0
	for _, m := range in.smoothness {
		if in.sum {
			l = math.Max(l, m)
		} else {
			l += in.weightCap * m
		}
	}
	return l
}

// method returns m with the theoretical schedule on blocks of b samples.
func (m theoryMethod) method(b int, uniform bool) dro.Method {
	strategy := primaldual.Replacement
	if m == stochasticHistorical || m == separableHistorical {
		strategy = primaldual.Historical
	}
	switch {
	case m == fullVector:
		return primaldual.FullVector{Schedule: primaldual.Theory}
	case m.separable():
		return primaldual.SeparableBlock{Strategy: strategy, Schedule: primaldual.Theory, Block: b, Uniform: uniform}
	}
	return primaldual.Stochastic{Strategy: strategy, Schedule: primaldual.Theory, Block: b, Uniform: uniform}
}
