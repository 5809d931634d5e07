package side

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/internal/shard"
)

// An Orthant is the separable form of a penalised simplex: the weights 0 ≤ y_j ≤ Cap with
// ψ_j(y) = ν(y log(n y) − y + 1/n), or (ν n/2)(y − 1/n)².
type Orthant struct {
	Divergence Divergence
	Nu         float64 // ν ≥ 0
	Cap        float64 // above 0; +Inf for none
}

// A Box is the dual-separable set Lower ≤ y_j ≤ Upper with ψ(y) = (ν/2)‖y‖² and the Euclidean geometry Δ(y, z) =
// ½‖y − z‖². With Lower = 0 it contains the multipliers of functional constraints f_j(x) ≤ 0 (Example 3), where Upper
// is the bound on them (an exact penalty). With Upper = +Inf it is the orthant.
type Box struct {
	Lower, Upper float64 // Lower ≤ Upper; Lower ≥ 0 unless every f_j is linear
	Nu           float64 // ν ≥ 0
}

var (
	_ saddle.Separable = Box{}
	_ saddle.Separable = Orthant{}
)

// IsPrecise implements saddle.Precise.
func (Orthant) IsPrecise() bool { return true }

// IsPrecise implements saddle.Precise.
func (Box) IsPrecise() bool { return true }

// Valid returns an error if the dual cannot be used with n samples.
func (o Orthant) Valid(int) error {
	if !(o.Cap > 0) {
		return fmt.Errorf("the cap of the weights is %v; it must be > 0, or +Inf for no cap", o.Cap)
	}
	return nil
}

// Valid returns an error if the dual cannot be used with n samples.
func (b Box) Valid(int) error {
	if !(b.Lower <= b.Upper) || math.IsInf(b.Lower, 0) {
		return fmt.Errorf("the bounds of the weights are %v and %v; the lower bound must be finite and at most the upper "+
			"bound", b.Lower, b.Upper)
	}
	return nil
}

// Modulus implements Dual.
func (o Orthant) Modulus() float64 { return o.Nu }

// Modulus implements Dual.
func (b Box) Modulus() float64 { return b.Nu }

// Value implements Dual.
func (o Orthant) Value(y []float64) float64 {
	if o.Nu == 0 {
		return 0
	}
	r := newReference(nil, nil, len(y))
	return o.Nu * r.moments(y, nil, o.Divergence, nil).divergence
}

// Value implements Dual.
func (b Box) Value(y []float64) float64 {
	s := 0.0
	for _, v := range y {
		s += v * v
	}
	return b.Nu / 2 * s
}

// BestResponseTo implements Dual. The weight y_j is min(Cap, exp(f_j/ν)/n), or (1 + f_j/ν)/n clipped to [0, Cap].
// The risk is +Inf if an unbounded weight grows without a penalty; there is no τ.
func (o Orthant) BestResponseTo(y, f []float64) (risk, tau float64) {
	n := float64(len(y))
	if o.Nu == 0 {
		return Box{Upper: o.Cap}.BestResponseTo(y, f)
	}
	top := math.Log(n * o.Cap)
	return shard.Sum(len(y), func(lo, hi int) float64 {
		s := 0.0
		for j := lo; j < hi; j++ {
			if o.Divergence == PearsonChi2 {
				r := math.Max(0, math.Min(1+f[j]/o.Nu, n*o.Cap))
				y[j] = r / n
				s += y[j]*f[j] - o.Nu/(2*n)*(r-1)*(r-1)
				continue
			}
			u := math.Min(f[j]/o.Nu, top)
			if y[j] = math.Exp(u) / n; u == top {
				s += y[j] * (f[j] - o.Nu*u)
			}
			s += o.Nu / n * math.Expm1(u)
		}
		return s
	}), 0
}

// BestResponseTo implements Dual. The weight y_j is f_j/ν, clipped to the interval, or an end of the interval if ν
// = 0. The risk is +Inf if a weight without bound and penalty grows.
func (b Box) BestResponseTo(y, f []float64) (risk, tau float64) {
	return shard.Sum(len(f), func(lo, hi int) float64 {
		s := 0.0
		for j := lo; j < hi; j++ {
			switch v := f[j]; {
			case b.Nu > 0:
				y[j] = b.clip(v / b.Nu)
			case v > 0:
				y[j] = b.Upper
			case v < 0:
				y[j] = b.Lower
			default:
				y[j] = b.clip(0)
			}
			if y[j] != 0 || math.IsNaN(f[j]) {
				s += y[j] * (f[j] - b.Nu/2*y[j])
			}
		}
		return s
	}), 0
}

// clip clips v to the interval.
func (b Box) clip(v float64) float64 { return math.Max(b.Lower, math.Min(v, b.Upper)) }

// CoordsTo implements Separable with the coordinates of Simplex.
func (o Orthant) CoordsTo(u, y []float64) { Simplex{Divergence: o.Divergence}.CoordsTo(u, y) }

// CoordsTo implements Separable. The coordinates u are y.
func (Box) CoordsTo(u, y []float64) { copy(u, y) }

// BlockStepTo implements Separable, where u⁰ is 0, or 1 for χ².
func (o Orthant) BlockStepTo(u, y, f, prev []float64, eta float64, lo, hi int) {
	n := float64(len(y))
	if o.Divergence == PearsonChi2 {
		for j := lo; j < hi; j++ {
			u[j] = math.Max(0, math.Min(prev[j]+eta*(f[j]-o.Nu*(prev[j]-1)), n*o.Cap))
			y[j] = u[j] / n
		}
		return
	}
	top := math.Log(n * o.Cap)
	for j := lo; j < hi; j++ {
		u[j] = math.Min(prev[j]+eta*(f[j]-o.Nu*prev[j]), top)
		y[j] = math.Exp(u[j]) / n
	}
}

// BlockStepTo implements Separable, where u⁰ is 0.
func (b Box) BlockStepTo(u, y, f, prev []float64, eta float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		u[j] = b.clip(prev[j] + eta*(f[j]-b.Nu*prev[j]))
		y[j] = u[j]
	}
}

// NormScale implements Normed. For KL, ν/y ≥ ν/Cap, so that Δ ≥ (1/2Cap)‖·‖₂².
func (o Orthant) NormScale(n int) float64 {
	if o.Divergence == KullbackLeibler {
		return 1 / math.Sqrt(o.Cap)
	}
	return math.Sqrt(float64(n))
}

// NormScale implements Normed.
func (Box) NormScale(int) float64 { return 1 }

// WeightCap implements Normed.
func (o Orthant) WeightCap(int) float64 { return o.Cap }

// WeightCap implements Normed.
func (b Box) WeightCap(int) float64 { return math.Max(math.Abs(b.Lower), b.Upper) }

// TotalWeight implements Normed.
func (o Orthant) TotalWeight(n int) float64 { return float64(n) * o.Cap }

// TotalWeight implements Normed.
func (b Box) TotalWeight(n int) float64 { return float64(n) * b.WeightCap(n) }

// SumNorm implements Normed.
func (Orthant) SumNorm() bool { return false }

// SumNorm implements Normed.
func (Box) SumNorm() bool { return false }
