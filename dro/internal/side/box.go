package side

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/shard"
)

// Box is the dual-separable set Lower ≤ y_j ≤ Upper with ψ(y) = (ν/2)‖y‖² and
// the Euclidean geometry Δ(y, z) = ½‖y − z‖². With Lower = 0 it holds the
// multipliers of functional constraints f_j(x) ≤ 0 (ex. fcm), Upper being the
// bound on them (an exact penalty); Upper = +Inf is the orthant.
type Box struct {
	Lower, Upper float64 // Lower ≤ Upper; Lower ≥ 0 unless every f_j is linear
	Nu           float64 // ν ≥ 0
}

var (
	_ saddle.Mirror    = Box{}
	_ saddle.Separable = Box{}
	_ saddle.Normed    = Box{}
)

// Valid says why the dual cannot weigh n samples.
func (b Box) Valid(int) error {
	if !(b.Lower <= b.Upper) || math.IsInf(b.Lower, 0) {
		return fmt.Errorf("weights between %v and %v: the lower bound must be finite and at most the upper", b.Lower, b.Upper)
	}
	return nil
}

func (b Box) clip(v float64) float64 { return math.Max(b.Lower, math.Min(v, b.Upper)) }

// Modulus implements Dual.
func (b Box) Modulus() float64 { return b.Nu }

// Value implements Dual.
func (b Box) Value(y []float64) float64 {
	s := 0.0
	for _, v := range y {
		s += v * v
	}
	return b.Nu / 2 * s
}

// BestResponseTo implements Dual: f_j/ν clipped, or the end of the interval that
// f_j points to. The risk is +Inf when an unbounded weight grows without price.
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

// CoordsTo implements Mirror: u = y.
func (Box) CoordsTo(u, y []float64) { copy(u, y) }

// ProxTo implements Mirror.
func (b Box) ProxTo(u, y, f, prev, hist []float64, a, e, w float64) {
	inv := 1 / (a*b.Nu + e)
	for j := range f {
		u[j] = b.clip(inv * (a*f[j] + e*((1-w)*prev[j]+w*hist[j])))
		y[j] = u[j]
	}
}

// BlockStepTo implements Separable, with u⁰ = 0.
func (b Box) BlockStepTo(u, y, f, prev []float64, eta float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		u[j] = b.clip(prev[j] + eta*(f[j]-b.Nu*prev[j]))
		y[j] = u[j]
	}
}

// NormScale implements Normed.
func (Box) NormScale(int) float64 { return 1 }

// WeightCap implements Normed.
func (b Box) WeightCap(int) float64 { return math.Max(math.Abs(b.Lower), b.Upper) }

// TotalWeight implements Normed.
func (b Box) TotalWeight(n int) float64 { return float64(n) * b.WeightCap(n) }

// SumNorm implements Normed.
func (Box) SumNorm() bool { return false }
