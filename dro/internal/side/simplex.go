package side

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/ranks"
)

// A Simplex is the adversary that can choose weights near reference weights w,
//
//	Y = {y ∈ Δ : D(y‖w) ≤ Radius, y_j ≤ w_j/Alpha},   ψ(y) = Nu·D(y‖w).
//
// With the divergence D(y‖w) = Σ_j w_j φ(y_j/w_j), its robust risk is
//
//	R(f) = min over τ and ν ≥ Nu of  τ + (ν − Nu)·Radius + Σ_j w_j ν φ*((f_j − τ)/ν),
//
// where φ* is the conjugate of φ on [0, 1/Alpha]. The minimising τ and ν determine the best response: y_j/w_j is
// the ratio in [0, 1/Alpha] that attains φ*. The risk of the zero Simplex is the largest loss; with Alpha = 1 it is
// the mean under the reference weights. The public adversaries on the simplex are converted to this type.
type Simplex struct {
	Divergence Divergence
	Nu         float64 // ≥ 0, in loss units
	Radius     float64 // ≥ 1e-12, in units of D; 0 or +Inf means no bound
	Alpha      float64 // in (0, 1]: no weight exceeds w_j/Alpha; 0 means no such bound
	// w ≥ 0, one for each sample, with any positive sum; nil means equal weights. A prefix of the samples has
	// the prefix of w.
	Weights []float64

	rows *ranks.Rows // distribution of the samples over ranks; nil for a single process
}

var (
	_ engine.Adversary    = Simplex{}
	_ engine.Curved       = Simplex{}
	_ engine.Smoothable   = Simplex{}
	_ engine.Restrictable = Simplex{}
	_ engine.Radial       = Simplex{}
	_ engine.Pieced       = Simplex{}
	_ engine.Distributed  = Simplex{}
	_ saddle.Mirror       = Simplex{}
)

// minRadius is the minimum supported radius.
const minRadius = 1e-12

// Valid returns an error if the dual cannot be used with n samples.
func (s Simplex) Valid(n int) error {
	switch {
	case s.Divergence < 0 || int(s.Divergence) >= len(arithmetics):
		return fmt.Errorf("unknown divergence %d", s.Divergence)
	case !(s.Radius >= 0):
		return fmt.Errorf("the radius is %v; it must be > 0", s.Radius)
	case s.Radius > 0 && s.Radius < minRadius:
		return fmt.Errorf("the radius %v is below %v, so the weights differ from the reference weights only by rounding: "+
			"use a larger radius, or fixed weights", s.Radius, minRadius)
	case !(s.Alpha >= 0 && s.Alpha <= 1):
		return fmt.Errorf("α is %v; it must be in (0, 1]", s.Alpha)
	}
	return checkWeights(s.rows, s.Weights, n)
}

// largestRatio returns the maximum allowed y_j/w_j, or +Inf if there is no limit.
func (s Simplex) largestRatio() float64 {
	if s.Alpha == 0 {
		return math.Inf(1)
	}
	return 1 / s.Alpha
}

// HasBall implements Radial.
func (s Simplex) HasBall() bool { return s.Radius > 0 && !math.IsInf(s.Radius, 1) }

// WithoutBall implements Radial.
func (s Simplex) WithoutBall() saddle.Dual {
	s.Radius = 0
	return s
}

// Region implements Adversary.
func (s Simplex) Region() engine.Region {
	switch {
	case s.Alpha == 1:
		return engine.Point
	case s.Alpha == 0 && !s.HasBall() && s.Weights == nil:
		return engine.Whole
	}
	return engine.Part
}

// Modulus implements Dual.
func (s Simplex) Modulus() float64 { return s.Nu }

// Value implements Dual: Nu·D(y‖w).
func (s Simplex) Value(y []float64) float64 {
	if s.Nu == 0 {
		return 0
	}
	return s.Nu * s.DivergenceOf(y)
}

// DivergenceOf returns D(y‖w).
func (s Simplex) DivergenceOf(y []float64) float64 {
	r := newReference(s.rows, s.Weights, len(y))
	return r.moments(y, nil, s.Divergence, nil).divergence
}

// BestResponseTo implements Dual.
func (s Simplex) BestResponseTo(y, f []float64) (risk, tau float64) {
	a := s.respond(y, f, engine.Multipliers{})
	return a.risk, a.tau
}

// MultiplierAt returns the ν for which the penalty ν·D without a ball has the same best response to the losses f.
func (s Simplex) MultiplierAt(f []float64) float64 {
	if !s.HasBall() {
		return s.Nu
	}
	return s.respond(make([]float64, len(f)), f, engine.Multipliers{}).nu
}

// Smoothed implements Smoothable.
func (s Simplex) Smoothed(nu float64, n int) (d saddle.Dual, most float64) {
	if s.Nu == 0 && s.Alpha == 0 && !s.HasBall() {
		s.Divergence = KullbackLeibler // the largest value is smaller
	}
	s.Nu = nu
	return s, s.maxDivergence(n)
}

// maxDivergence returns the largest possible divergence of weights on n samples.
func (s Simplex) maxDivergence(n int) float64 {
	ratio := float64(n)
	if s.Weights != nil {
		w := s.Weights[:n]
		ratio = totalOf(s.rows, w) / -s.rows.Max(n, func(lo, hi int) float64 {
			m := math.Inf(-1)
			for _, v := range w[lo:hi] {
				if v > 0 {
					m = max(m, -v)
				}
			}
			return m
		})
	}
	ratio = min(ratio, s.largestRatio())
	most := s.Divergence.arithmetic().most(ratio)
	if s.HasBall() {
		most = min(most, s.Radius)
	}
	return most
}

// Restricted implements Restrictable for the whole simplex, where no bound depends on the number of samples. Σ y
// log(n y) equals Σ y log(m y) + log(n/m), and the term (νn/2)Σy² is the same for m samples with ν·n/m in place of
// ν.
func (s Simplex) Restricted(n, m int) (d saddle.Dual, offset float64) {
	if s.Region() != engine.Whole {
		return nil, 0
	}
	s.rows = nil // the m samples are copied to every rank
	return s.Divergence.arithmetic().restricted(s, float64(n)/float64(m))
}

// Differentiable implements Radial. Without a penalty the risk has a gradient at an optimum with d parameters if
// the ball is so small that the adversary puts weight on several samples for each parameter.
func (s Simplex) Differentiable(n, d int) bool {
	if !s.HasBall() {
		return false
	}
	const rows = 4 // number of rows for each parameter
	left := s.Divergence.arithmetic().name.SizeOfRadius(s.Radius)
	return left*float64(n) >= float64(rows*(d+1))
}

// Pieces implements Pieced.
func (s Simplex) Pieces() engine.Pieces {
	if s.Nu > 0 || s.HasBall() || s.Alpha == 1 {
		return engine.Pieces{}
	}
	return engine.Pieces{Parts: []engine.Portion{s.portion(1)}}
}

// portion returns s, which has no penalty, as a portion of the weights of an adversary.
func (s Simplex) portion(share float64) engine.Portion {
	return engine.Portion{Dual: s, Share: share, CapTo: s.capTo}
}

// capTo stores the maximum allowed weights w/Alpha in u.
func (s Simplex) capTo(u []float64) {
	r := newReference(s.rows, s.Weights, len(u))
	lo, hi := s.rows.LocalRange(len(u))
	for j := lo; j < hi; j++ {
		if u[j] = 0; r.weightAt(j) > 0 {
			u[j] = r.weightAt(j) / r.total * s.largestRatio()
		}
	}
}

// WithRows implements Distributed.
func (s Simplex) WithRows(rows *ranks.Rows) saddle.Dual {
	s.rows = rows
	return s
}

// OfSamples implements Distributed.
func (s Simplex) OfSamples(samples []int) saddle.Dual {
	s.Weights, s.rows = ranks.GatherAt(s.rows, samples, s.Weights)[0], nil
	return s
}

// CoordsTo implements Mirror. The coordinates are u = log(n y), with a lower limit for weights that underflow, or u
// = n y.
func (s Simplex) CoordsTo(u, y []float64) {
	const minLog = -700 // smallest logarithm whose exponential is not subnormal
	n := float64(len(y))
	for j, v := range y {
		if u[j] = n * v; s.Divergence == KullbackLeibler {
			u[j] = math.Max(math.Log(u[j]), minLog)
		}
	}
}

// Proximal reports whether the methods of Mirror are supported: there is a proximal step for equal reference
// weights without a radius.
func (s Simplex) Proximal() bool {
	return s.Divergence.arithmetic().geometry && !s.HasBall() && (s.Weights == nil || s.Alpha == 1)
}

// StartingWeights stores the reference weights, from which the methods of the paper start if ν = 0. The best
// response would be a vertex of Y, which is infinitely far from every other point in the geometry of relative
// entropy.
func (s Simplex) StartingWeights(y []float64) {
	r := newReference(s.rows, s.Weights, len(y))
	r.weightsTo(y)
}

// ProxTo implements Mirror. It computes a linear combination of the losses and the coordinates, and then the best
// response to this combination with penalty 1.
func (s Simplex) ProxTo(u, y, f, prev, hist []float64, a, e, w float64) {
	if s.Alpha == 1 {
		s.StartingWeights(y)
		s.CoordsTo(u, y)
		return
	}
	inv := 1 / (a*s.Nu + e)
	ca, cp, ch := a*inv, e*(1-w)*inv, e*w*inv
	largest := kernel.Max(f)
	for j := range u {
		v := ca*max(f[j]-largest, -0x1p900) + cp*prev[j] // the bound prevents an overflow
		if w != 0 {
			v += ch * hist[j]
		}
		u[j] = v
	}
	r := newReference(nil, nil, len(y))
	tau := r.respondAt(y, u, penalty{s.Divergence, 1}, r.boundOf(u, s.largestRatio()), math.NaN(), nil)
	const least = 0x1p-1000 // smallest weight whose logarithm is accurate
	for j, v := range y {
		switch {
		case s.Divergence == PearsonChi2:
			u[j] = float64(len(y)) * v
		case s.Alpha == 0 || v <= least:
			u[j] -= tau
		default:
			u[j] = math.Log(float64(len(y)) * v)
		}
	}
}

// NormScale implements Normed. For KL, ‖·‖_Y is ‖·‖₁ ≥ ‖·‖₂; for χ², it is √n‖·‖₂.
func (s Simplex) NormScale(n int) float64 {
	if s.SumNorm() {
		return 1
	}
	return math.Sqrt(float64(n))
}

// WeightCap implements Normed.
func (s Simplex) WeightCap(n int) float64 {
	if s.Weights != nil {
		return 1
	}
	return min(1, s.largestRatio()/float64(n))
}

// TotalWeight implements Normed.
func (s Simplex) TotalWeight(int) float64 { return 1 }

// SumNorm implements Normed.
func (s Simplex) SumNorm() bool { return s.Divergence == KullbackLeibler }

// Separated returns the dual of n samples without the constraint Σ y = 1, or nil if ψ is not a sum over samples. On
// the simplex y_j ≤ 1.
func (s Simplex) Separated(n int) saddle.Separable {
	if !s.Proximal() || s.Alpha == 1 {
		return nil
	}
	return Orthant{Divergence: s.Divergence, Nu: s.Nu, Cap: s.WeightCap(n)}
}
