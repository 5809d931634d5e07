// Package dualtest checks a user-defined dual against the contract of dro.Dual. Tests import it.
package dualtest

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/internal/contract"
)

// Test returns an error about the first requirement of dro.Dual that d violates at the given losses, or nil if it
// violates none. The losses are slices of the same length. Test checks that the risk is ⟨y, f⟩ − ψ(y) for the
// returned weights y ≥ 0, that no other returned weights and no average of such weights are better for these
// losses, that ψ is convex, and that larger losses do not lower the risk. dro.Solve checks the same for a few
// losses, except the last condition. Test panics if the dual does.
func Test(d dro.Dual, losses ...[]float64) error {
	const tolerance = 1e-9 // relative to the terms of a risk
	nu := d.Modulus()
	if !(nu >= 0) || math.IsInf(nu, 1) {
		return fmt.Errorf("the modulus is %v; it must be finite and ≥ 0", nu)
	}
	var all [][]float64
	for k, f := range losses {
		if len(f) != len(losses[0]) || len(f) == 0 {
			return fmt.Errorf("losses[%d] has %d entries and losses[0] has %d; all must have the same positive number", k,
				len(f), len(losses[0]))
		}
		up, shifted := make([]float64, len(f)), make([]float64, len(f))
		for j, v := range f {
			shifted[j] = v + math.Abs(v)/8 + 1
		}
		risk, _ := d.BestResponseTo(up, f)
		if more, _ := d.BestResponseTo(up, shifted); !(more >= risk-tolerance*(1+math.Abs(risk))) {
			return fmt.Errorf("losses[%d]: larger losses lower the risk from %v to %v", k, risk, more)
		}
		all = append(all, f, shifted)
	}
	if len(all) == 0 {
		return nil
	}
	c := contract.Dual{Dual: d, Slack: tolerance / 10, Imprecision: func(mass, size float64) float64 {
		return tolerance * (nu + 0x1p-900)
	}}
	return c.Check(all)
}
