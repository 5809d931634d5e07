package saddle

import (
	"fmt"
	"math"
)

// A responseCheck tests best responses of user-defined duals, since certificates rely on them.
type responseCheck struct {
	weights []float64 // n: an earlier response; nil: none
	psi     float64   // ψ of these weights
	err     error     // of the first wrong response
}

// checkResponse compares the risk at the point last evaluated with ⟨y, f⟩ − ψ(y) of its weights y,
// and with that of earlier weights, which no best response is below.
func (c *Certifier) checkResponse() {
	const tolerance = 1e-7 // of the terms: responses are computed to more digits
	r := &c.responses
	if r.err != nil {
		return
	}
	psi := c.Problem.Dual.Value(c.Y)
	sums := c.sumLosses(c.Y, c.Value)
	value := sums.Linear - psi
	if math.IsNaN(value) { // of weights that are not numbers, which no result may have
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
