package side

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/ranks"
)

// Fixed is the adversary whose weights are given: Y = {w/Σw}, ψ = 0. Minimising
// its risk is weighted empirical risk minimisation: by group frequencies, by
// survey weights. On a prefix of the samples it uses the prefix of the weights.
type Fixed struct {
	weights []float64

	rows *ranks.Rows // where the samples lie; nil: here
}

var (
	_ saddle.Mirror = Fixed{}
	_ saddle.Normed = Fixed{}
)

// NormScale implements Normed; Y is a point, and any norm serves.
func (Fixed) NormScale(int) float64 { return 1 }

// WeightCap implements Normed.
func (Fixed) WeightCap(int) float64 { return 1 }

// TotalWeight implements Normed.
func (Fixed) TotalWeight(int) float64 { return 1 }

// SumNorm implements Normed.
func (Fixed) SumNorm() bool { return true }

// NewFixed returns the dual of the weights w ≥ 0, one per sample, not all zero;
// they need not sum to one. The slice is kept.
func NewFixed(w []float64) (Fixed, error) { return NewFixedOver(nil, w) }

// NewFixedOver is [NewFixed] over samples that lie with several ranks.
func NewFixedOver(rows *ranks.Rows, w []float64) (Fixed, error) {
	if err := validMass(rows, w); err != nil {
		return Fixed{}, fmt.Errorf("dro: %w", err)
	}
	return Fixed{weights: w, rows: rows}, nil
}

// leastTotal is the least sum of weights: a rounding of the smallest numbers there are is
// 2⁻⁷⁴ of it.
const leastTotal = 0x1p-1000

// validMass checks that weights are finite, ≥ 0, and not all next to zero: of samples that lie with
// several ranks those that are here, of which each may be.
func validMass(rows *ranks.Rows, w []float64) error {
	total := 0.0
	lo, hi := rows.Here(len(w))
	for j, v := range w[lo:hi] {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("the weight of sample %d is %v: it must be finite and ≥ 0", lo+j, v)
		}
		total += v
	}
	switch {
	case !(total > 0) && rows == nil || math.IsInf(total, 1):
		return fmt.Errorf("the weights sum to %v: the sum must be finite and > 0", total)
	case total < leastTotal && rows == nil:
		return fmt.Errorf("the weights sum to %v, too little for parts of them to be numbers: multiply all of them by a constant", total)
	}
	return nil
}

// Region implements OnSimplex.
func (Fixed) Region() saddle.Region { return saddle.Point }

// Valid reports that there are fewer weights than samples.
func (d Fixed) Valid(n int) error {
	if len(d.weights) < n {
		return fmt.Errorf("there are %d weights for %d samples", len(d.weights), n)
	}
	return nil
}

// Unpriced implements Unpriced: ψ = 0.
func (Fixed) Unpriced(of saddle.Dual) bool {
	_, same := of.(Fixed)
	return same
}

// Modulus implements Dual.
func (Fixed) Modulus() float64 { return 0 }

// Value implements Dual.
func (Fixed) Value([]float64) float64 { return 0 }

// BestResponseTo implements Dual: the weights, normalised; τ is the risk.
func (d Fixed) BestResponseTo(y, f []float64) (risk, tau float64) {
	d.normaliseTo(y)
	risk = d.rows.Sum(len(f), func(lo, hi int) float64 { return vec.Dot(y[lo:hi], f[lo:hi]) })
	return risk, risk
}

// normaliseTo stores the weights of the first samples, of sum one, in y.
func (d Fixed) normaliseTo(y []float64) {
	w := d.weights[:len(y)]
	total := d.rows.Sum(len(w), func(lo, hi int) float64 { return vec.Sum(w[lo:hi]) })
	d.rows.Run(len(w), func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			y[j] = w[j] / total
		}
	})
}

// CoordsTo implements Mirror: u = n y.
func (Fixed) CoordsTo(u, y []float64) { ChiSquare{}.CoordsTo(u, y) }

// ProxTo implements Mirror: there is one point to step to.
func (d Fixed) ProxTo(u, y, f, _, _ []float64, _, _, _ float64) {
	d.BestResponseTo(y, f)
	d.CoordsTo(u, y)
}

// ResponseTo implements Responsive: fixed weights do not move.
func (Fixed) ResponseTo(response, _ []float64, lo, hi int) { clear(response[lo:hi]) }

// FusedTo implements fusible: the weights are known.
func (d Fixed) FusedTo(e *saddle.Evaluator, g, y, x []float64) (risk, tau float64) {
	d.normaliseTo(y)
	return fixedTo(e, g, y, x)
}

func fixedTo(e *saddle.Evaluator, g, y, x []float64) (risk, tau float64) {
	part := e.Rows.Scalars(e.N)
	e.Partials.Clear()
	e.EachBlock(x, func(s, lo, hi int) {
		part[s] += kernel.Dot(y[lo:hi], e.Value[lo:hi])
		e.Problem.Oracle.AddGradTo(e.Partials.Of(s), y, e.Slope, lo, hi)
	})
	e.Rows.SumTo(g, e.Partials)
	e.Rows.Share(part)
	risk = vec.Sum(part)
	return risk, risk
}
