package side

import (
	"fmt"

	"github.com/drotrain/drotrain/dro/divergence"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
)

// A Divergence selects the arithmetic of a divergence.Divergence; the zero value is KullbackLeibler.
type Divergence int

const (
	KullbackLeibler Divergence = iota // Σ y_j log(y_j/w_j)
	PearsonChi2                       // ½ Σ (y_j − w_j)²/w_j
)

// arithmetics holds, for each Divergence, the arithmetic that the adversaries on the simplex use.
var arithmetics = [...]*arithmetic{KullbackLeibler: &kullbackLeibler, PearsonChi2: &pearson}

// arithmetic returns the arithmetic of d that the adversaries on the simplex use.
func (d Divergence) arithmetic() *arithmetic { return arithmetics[d] }

// DivergenceOf returns the arithmetic of d, or an error if there is none.
func DivergenceOf(d divergence.Divergence) (Divergence, error) {
	for i, of := range arithmetics {
		if d == of.name || d == "" {
			return Divergence(i), nil
		}
	}
	if _, err := divergence.Parse(string(d)); err != nil {
		return 0, err
	}
	return 0, fmt.Errorf(
		"the divergence %q is available as a ball over samples only, not as a penalty or a ball over groups", string(d))
}

// An arithmetic computes with the divergence Σ w φ(y/w), where φ is convex, φ(1) = φ′(1) = 0 and φ″(1) = 1.
type arithmetic struct {
	name divergence.Divergence

	// phi returns φ of a ratio ≥ 0, without cancellation near 1. sum returns Σ φ(total·y).
	phi func(ratio float64) float64
	sum func(total float64, y []float64) float64

	// conjugate returns φ*(v) = max over r in [0, limit] of rv − φ(r), without cancellation, and the maximising r.
	conjugate func(v, limit float64) (value, r float64)

	// conjugates works like Simplex.conjugateSum for weights of 1 and no limit, if ν is so small that
	// cancellation is irrelevant. It stores the ratios.
	conjugates func(ratio, f []float64, at engine.Multipliers) conjugateSums

	// respond returns τ for reference.respondAt with penalty nu, and a function that stores the weights in y
	// for one shard. It uses y as scratch memory.
	respond func(r *reference, y, f []float64, nu float64, b bound, guess float64) (tau float64, weigh func(lo, hi int))

	exponent float64 // p for which φ″(r) = r⁻ᵖ, so that φ*″ is rᵖ at the ratio r that attains φ*

	// threshold returns the τ of a best response without a limit, computed from the risk and the penalty ψ
	// without cancellation. It is nil if the τ of respond is as exact.
	threshold func(risk, psi float64) float64

	// most returns the maximum divergence of weights y ≤ ratio·w.
	most func(ratio float64) float64

	// restricted returns the adversary on a part of the samples, like engine.Restrictable; ratio is the ratio
	// of the number of all samples to that of the part. It is nil if there is no such adversary.
	restricted func(s Simplex, ratio float64) (d saddle.Dual, offset float64)

	// balances reports whether Σ w φ*((f − τ)/ν) is 0 at the threshold of every best response without a limit.
	balances bool

	// fuse evaluates the risk for the whole simplex while reading the samples once, and reports whether the
	// computation of the risk suffers from cancellation. It is nil if this is not possible.
	fuse func(s Simplex, e *engine.Evaluator, g, y, x []float64) (a response, cancels bool)

	geometry bool // the methods of the paper support its proximal step
}
