// Package dualtest checks a dual of one's own against the contract of dro.Dual. Tests import it.
package dualtest

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro"
)

// Test returns the first promise of dro.Dual that d breaks at the given losses, which are slices of one length, or
// nil: the risk is ⟨y, f⟩ − ψ(y) of the weights y returned, no other weights returned are better for these losses, and
// larger losses do not lower the risk. It panics where the dual does.
func Test(d dro.Dual, losses ...[]float64) error {
	const tolerance = 1e-9 // of the terms of a risk
	if nu := d.Modulus(); !(nu >= 0) || math.IsInf(nu, 1) {
		return fmt.Errorf("the modulus is %v; it must be finite and ≥ 0", nu)
	}
	value := func(y, f []float64) (v, size float64) {
		psi := d.Value(y)
		v, size = -psi, math.Abs(psi)
		for j := range y {
			v += y[j] * f[j]
			size += math.Abs(y[j] * f[j])
		}
		return v, tolerance*(size+d.Modulus()) + 0x1p-1000
	}
	var weights [][]float64
	var risks []float64
	for k, f := range losses {
		y := make([]float64, len(f))
		risk, _ := d.BestResponseTo(y, f)
		if v, off := value(y, f); !(math.Abs(risk-v) <= off) {
			return fmt.Errorf("losses %d: the risk is %v, but the returned weights y have ⟨y, f⟩ − ψ(y) = %v", k, risk, v)
		}
		up, shifted := make([]float64, len(f)), make([]float64, len(f))
		for j, v := range f {
			shifted[j] = v + math.Abs(v)/8 + 1
		}
		if more, _ := d.BestResponseTo(up, shifted); !(more >= risk-tolerance*(1+math.Abs(risk))) {
			return fmt.Errorf("losses %d: larger losses lower the risk from %v to %v", k, risk, more)
		}
		weights, risks = append(weights, y, up), append(risks, risk)
	}
	for k, f := range losses {
		for i, y := range weights {
			if v, off := value(y, f); v > risks[k]+off {
				return fmt.Errorf("losses %d: the risk is %v, but the weights returned for losses %d reach %v", k, risks[k], i/2, v)
			}
		}
	}
	return nil
}
