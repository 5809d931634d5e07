package saddle

import (
	"fmt"
	"math"
)

// A responseCheck tests best responses of user-defined duals, since certificates rely on them.
type responseCheck struct {
	weights []float64 // n: an earlier response; nil before the first
	psi     float64   // ψ of these weights
	err     error     // error of the first wrong response
}

// checkResponse compares the risk at the point last evaluated with ⟨y, f⟩ − ψ(y) of its weights y
// and of earlier weights, which must not be larger.
func (c *Certifier) checkResponse() {
	const tolerance = 1e-7 // relative to the terms; responses are more accurate
	r := &c.responses
	if r.err != nil {
		return
	}
	psi := c.Problem.Dual.Value(c.Y)
	sums := c.sumLosses(c.Y, c.Value)
	value := sums.Linear - psi
	if math.IsNaN(value) { // weights are NaN, which is refused in results
		return
	}
	size := tolerance*(sums.Size+math.Abs(psi)+math.Abs(c.Risk)) + 4*c.imprecisionBound(c.Problem.Dual.Modulus(), sums.Mass) + Underflow
	if !(math.Abs(c.Risk-value) <= size) {
		r.err = fmt.Errorf("dro: the best response of the dual %T is wrong: it returned the risk %v, and weights y with ⟨y, f⟩ − ψ(y) = %v", c.Problem.Dual, c.Risk, value)
		return
	}
	if r.weights == nil {
		r.weights, r.psi = append([]float64(nil), c.Y...), psi
		return
	}
	if earlier := c.weightedLoss(r.weights, c.Value) - r.psi; earlier > c.Risk+size+tolerance*math.Abs(r.psi) {
		r.err = fmt.Errorf("dro: the best response of the dual %T is wrong: it returned the risk %v, and the weights that it returned before have ⟨y, f⟩ − ψ(y) = %v, which is more", c.Problem.Dual, c.Risk, earlier)
	}
}
