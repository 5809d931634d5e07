package engine

import (
	"fmt"
	"math"
	"slices"
)

// A responseCheck checks the results of user-defined oracles and duals, since certificates rely on them.
type responseCheck struct {
	weights []float64 // n weights of an earlier response; nil before the first response
	psi     float64   // penalty ψ of the weights
	err     error     // error about the first wrong result
}

// checkResponse compares the risk at the last point evaluated with ⟨y, f⟩ − ψ(y) for its weights y, and for earlier
// weights, for which it must not be larger.
func (c *Certifier) checkResponse() {
	const tolerance = 1e-7 // relative to the terms; the responses of this module are more accurate
	r := &c.responses
	if r.err != nil {
		return
	}
	psi := c.Problem.Dual.Value(c.Y)
	sums := c.sumLosses(c.Y, c.Value)
	value := sums.Linear - psi
	if math.IsNaN(value) { // weights are NaN, for which results are rejected elsewhere
		return
	}
	size := tolerance*(sums.Size+math.Abs(psi)+math.Abs(c.Risk)) +
		4*c.imprecisionBound(sums.Mass, c.largestAbsoluteLoss()) + Underflow
	if !(math.Abs(c.Risk-value) <= size) {
		r.err = fmt.Errorf("dro: the best response of the dual %T is wrong: it returned the risk %v, but its weights y "+
			"give the value ⟨y, f⟩ − ψ(y) = %v", c.Problem.Dual, c.Risk, value)
		return
	}
	if r.weights == nil {
		r.weights, r.psi = append([]float64(nil), c.Y...), psi
		return
	}
	if earlier := c.weightedLoss(r.weights, c.Value) - r.psi; earlier > c.Risk+size+tolerance*math.Abs(r.psi) {
		r.err = fmt.Errorf("dro: the best response of the dual %T is wrong: it returned the risk %v, but weights y that "+
			"it returned earlier give a larger value, ⟨y, f⟩ − ψ(y) = %v", c.Problem.Dual, c.Risk, earlier)
	}
}

// checkNumbers records an error if a user-defined oracle returned NaN at the last point evaluated. Losses that
// overflow are infinite, which a shorter step avoids; NaN is an error of the oracle.
func (c *Certifier) checkNumbers() {
	if c.Rounding.largest != nil && !IsForeign(c.Problem.Oracle) || c.responses.err != nil || !isFinite(c.X) {
		return
	}
	lo, hi := c.Rows.LocalRange(c.N)
	k := len(c.Slope) / c.N
	for j := lo; j < hi; j++ {
		what := ""
		if math.IsNaN(c.Value[j]) {
			what = "loss"
		} else if slices.ContainsFunc(c.Slope[j*k:(j+1)*k], math.IsNaN) {
			what = "slope"
		}
		if what != "" {
			c.responses.err = fmt.Errorf("dro: the oracle %T returned NaN as the %s of sample %d at a finite point",
				c.Problem.Oracle, what, j)
			return
		}
	}
}
