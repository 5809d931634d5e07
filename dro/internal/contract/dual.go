package contract

import (
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/saddle"
	"gonum.org/v1/gonum/floats"
)

// A Dual is a dual whose best responses to several losses are compared with each other.
type Dual struct {
	saddle.Dual
	Slack  float64 // allowed rounding error, relative to the terms
	Signed bool    // weights may be negative, as is allowed for linear losses

	// Imprecision returns an additional allowed rounding error, for weights with the sum mass and losses of the
	// given size.
	Imprecision func(mass, size float64) float64
}

// Check returns an error about the first requirement that the dual violates for the given losses, which are slices
// of the same length.
func (c *Dual) Check(losses [][]float64) error {
	n, size := len(losses[0]), 0.0
	var weights [][]float64
	var risk, psi []float64
	for _, f := range losses {
		size = max(size, floats.Norm(f, math.Inf(1)))
		y := make([]float64, n)
		r, _ := c.BestResponseTo(y, f)
		if j := slices.IndexFunc(y, func(v float64) bool { return isNotFinite(v) || v < 0 && !c.Signed }); j >= 0 {
			return fmt.Errorf("the best response of the dual %T is wrong: its weight of sample %d is %v", c.Dual, j, y[j])
		}
		weights, risk, psi = append(weights, y), append(risk, r), append(psi, c.Value(y))
	}
	between := make([]float64, n)
	for a, y := range weights {
		for b, z := range weights {
			for _, share := range []float64{0, 0.05, 0.5, 1} { // Y is convex
				if (share > 0) == (a == b) {
					continue
				}
				floats.ScaleTo(between, 1-share, y)
				floats.AddScaled(between, share, z)
				if err := c.checkWeights(between, losses[a], risk[a], size, share == 0); err != nil {
					return err
				}
				got, most := c.Value(between), (1-share)*psi[a]+share*psi[b]
				slack := c.Slack*(math.Abs(psi[a])+math.Abs(psi[b])+math.Abs(got)) + c.Imprecision(floats.Sum(y), size)
				if !(got <= most+slack) {
					return fmt.Errorf("the penalty of the dual %T is not convex: ψ is %v at a point between two weight "+
						"vectors, but %v and %v at the two vectors", c.Dual, got, psi[a], psi[b])
				}
			}
		}
	}
	return nil
}

// checkWeights compares ⟨y, f⟩ − ψ(y) for weights y in Y with the risk of losses f of the given size. It must be
// equal to the risk if y is the best response (best), and must not exceed it otherwise.
func (c *Dual) checkWeights(y, f []float64, risk, size float64, best bool) error {
	mass, psi := floats.Sum(y), c.Value(y)
	value := floats.Dot(y, f) - psi
	slack := 10*c.Slack*(size*mass+math.Abs(psi)+math.Abs(risk)) + c.Imprecision(mass, size)
	switch {
	case best && !(math.Abs(value-risk) <= slack):
		return fmt.Errorf("the best response of the dual %T is wrong: it returned the risk %v, but its weights y give "+
			"the value ⟨y, f⟩ − ψ(y) = %v", c.Dual, risk, value)
	case !(value <= risk+slack):
		return fmt.Errorf("the best response of the dual %T is wrong: it returned the risk %v, but other weights y in Y "+
			"give a larger value, ⟨y, f⟩ − ψ(y) = %v", c.Dual, risk, value)
	}
	return nil
}
