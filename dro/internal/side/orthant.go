package side

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/shard"
)

// NormScale implements Normed: ν/y ≥ ν/Cap, so Δ ≥ (1/2Cap)‖·‖₂².
func (k OrthantKL) NormScale(int) float64 { return 1 / math.Sqrt(k.Cap) }

// WeightCap implements Normed.
func (k OrthantKL) WeightCap(int) float64 { return k.Cap }

// TotalWeight implements Normed.
func (k OrthantKL) TotalWeight(n int) float64 { return float64(n) * k.Cap }

// SumNorm implements Normed.
func (OrthantKL) SumNorm() bool { return false }

// NormScale implements Normed.
func (OrthantChiSquare) NormScale(n int) float64 { return math.Sqrt(float64(n)) }

// WeightCap implements Normed.
func (c OrthantChiSquare) WeightCap(int) float64 { return c.Cap }

// TotalWeight implements Normed.
func (c OrthantChiSquare) TotalWeight(n int) float64 { return float64(n) * c.Cap }

// SumNorm implements Normed.
func (OrthantChiSquare) SumNorm() bool { return false }

// OrthantKL is the separable form of KL: the weights 0 ≤ y_j ≤ Cap with the
// generalised penalty ψ_j(y) = ν(y log(n y) − y + 1/n).
type OrthantKL struct {
	Nu  float64 // ν ≥ 0
	Cap float64 // > 0, +Inf for none
}

// OrthantChiSquare is the separable form of ChiSquare: the weights 0 ≤ y_j ≤ Cap
// with ψ_j(y) = (ν n/2)(y − 1/n)².
type OrthantChiSquare struct {
	Nu  float64 // ν ≥ 0
	Cap float64 // > 0, +Inf for none
}

var (
	_ saddle.Separable = OrthantKL{}
	_ saddle.Separable = OrthantChiSquare{}
)

// Valid says why the dual cannot weigh n samples.
func (k OrthantKL) Valid(int) error { return validCap(k.Cap) }

// Valid says why the dual cannot weigh n samples.
func (c OrthantChiSquare) Valid(int) error { return validCap(c.Cap) }

func validCap(v float64) error {
	if !(v > 0) {
		return fmt.Errorf("the cap of the weights is %v: it must be > 0, +Inf for none", v)
	}
	return nil
}

// Modulus implements Dual.
func (k OrthantKL) Modulus() float64 { return k.Nu }

// Value implements Dual.
func (k OrthantKL) Value(y []float64) float64 {
	if k.Nu == 0 {
		return 0
	}
	n := float64(len(y))
	return k.Nu * shard.Sum(len(y), func(lo, hi int) float64 {
		s := 0.0
		for _, v := range y[lo:hi] {
			s += entropy(n*v) / n
		}
		return s
	})
}

// BestResponseTo implements Dual: y_j = min(Cap, exp(f_j/ν)/n); there is no
// coupling constraint, and τ is 0.
func (k OrthantKL) BestResponseTo(y, f []float64) (risk, tau float64) {
	n := float64(len(y))
	if k.Nu == 0 {
		return linearResponse(y, f, k.Cap), 0
	}
	top := math.Log(n * k.Cap)
	return shard.Sum(len(y), func(lo, hi int) float64 {
		s := 0.0
		for j := lo; j < hi; j++ {
			u := math.Min(f[j]/k.Nu, top)
			y[j] = math.Exp(u) / n
			if u == top {
				s += y[j] * (f[j] - k.Nu*u)
			}
			s += k.Nu / n * math.Expm1(u)
		}
		return s
	}), 0
}

// CoordsTo implements Separable: u = log(n y).
func (OrthantKL) CoordsTo(u, y []float64) { KL{}.CoordsTo(u, y) }

// BlockStepTo implements Separable, with u⁰ = 0.
func (k OrthantKL) BlockStepTo(u, y, f, prev []float64, eta float64, lo, hi int) {
	n := float64(len(y))
	top := math.Log(n * k.Cap)
	for j := lo; j < hi; j++ {
		v := math.Min(prev[j]+eta*(f[j]-k.Nu*prev[j]), top)
		u[j], y[j] = v, math.Exp(v)/n
	}
}

// Modulus implements Dual.
func (c OrthantChiSquare) Modulus() float64 { return c.Nu }

// Value implements Dual.
func (c OrthantChiSquare) Value(y []float64) float64 { return ChiSquare{Nu: c.Nu}.Value(y) }

// BestResponseTo implements Dual: y_j = (1/n)(1 + f_j/ν) clipped to [0, Cap].
func (c OrthantChiSquare) BestResponseTo(y, f []float64) (risk, tau float64) {
	n := float64(len(y))
	if c.Nu == 0 {
		return linearResponse(y, f, c.Cap), 0
	}
	return shard.Sum(len(y), func(lo, hi int) float64 {
		s := 0.0
		for j := lo; j < hi; j++ {
			r := math.Max(0, math.Min(1+f[j]/c.Nu, n*c.Cap))
			y[j] = r / n
			s += y[j]*f[j] - c.Nu/(2*n)*(r-1)*(r-1)
		}
		return s
	}), 0
}

// CoordsTo implements Separable: u = n y.
func (OrthantChiSquare) CoordsTo(u, y []float64) { ChiSquare{}.CoordsTo(u, y) }

// BlockStepTo implements Separable, with u⁰ = 1.
func (c OrthantChiSquare) BlockStepTo(u, y, f, prev []float64, eta float64, lo, hi int) {
	n := float64(len(y))
	top := n * c.Cap
	for j := lo; j < hi; j++ {
		v := math.Max(0, math.Min(prev[j]+eta*(f[j]-c.Nu*(prev[j]-1)), top))
		u[j], y[j] = v, v/n
	}
}

// linearResponse stores argmax ⟨y, f⟩ over 0 ≤ y ≤ limit and returns the
// maximum, +Inf for an unbounded set.
func linearResponse(y, f []float64, limit float64) float64 {
	s := 0.0
	for j, v := range f {
		y[j] = 0
		if v > 0 || math.IsNaN(v) {
			y[j] = limit
			s += limit * v
		}
	}
	return s
}
