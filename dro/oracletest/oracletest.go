// Package oracletest checks a user-defined oracle against the contract of dro.Oracle. Tests import it.
package oracletest

import (
	"fmt"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/internal/contract"
)

// Test returns an error about the first requirement of dro.Oracle that o violates at the given points, or nil if it
// violates none. A point consists of d numbers at which all losses are differentiable. Test checks that weighted
// gradients agree with differences of the losses, that losses lie above their tangents (convexity), that ranges of
// samples yield the same results as single samples, and that what o states about signs and curvatures holds.
// dro.Solve checks the same for a few samples. Test panics if the oracle does.
func Test(o dro.Oracle, points ...[]float64) error {
	n, d, s := o.Dims()
	if n < 1 || d < 1 || s < 1 {
		return fmt.Errorf("there are %d samples, %d parameters and slopes of length %d; all three must be positive", n, d, s)
	}
	for k, x := range points {
		if len(x) != d {
			return fmt.Errorf("point %d has %d entries, but the oracle has %d parameters", k, len(x), d)
		}
	}
	if len(points) == 0 {
		return nil
	}
	c := contract.NewOracle(o, points)
	for lo := 0; lo < n; lo += 64 {
		if err := c.CheckSamples(lo, min(n, lo+64)); err != nil {
			return err
		}
	}
	for k, x := range points {
		for j, g := range c.Gradients(x) {
			if err := c.CheckDerivatives(j, x, g, 1); err != nil {
				return fmt.Errorf("point %d: %w", k, err)
			}
		}
	}
	return nil
}
