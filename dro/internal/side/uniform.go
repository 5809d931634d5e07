package side

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/ranks"
)

// Uniform is the adversary without a choice: Y = {1/n}, ψ = 0. Its robust risk
// is the average loss, so minimising it is empirical risk minimisation.
type Uniform struct {
	rows *ranks.Rows // where the samples lie; nil: here
}

var (
	_ saddle.Mirror = Uniform{}
	_ saddle.Normed = Uniform{}
)

// NormScale implements Normed; Y is a point, and any norm serves.
func (Uniform) NormScale(int) float64 { return 1 }

// WeightCap implements Normed.
func (Uniform) WeightCap(n int) float64 { return 1 / float64(n) }

// TotalWeight implements Normed.
func (Uniform) TotalWeight(int) float64 { return 1 }

// SumNorm implements Normed.
func (Uniform) SumNorm() bool { return true }

// Unpriced implements Unpriced: ψ = 0.
func (Uniform) Unpriced(of saddle.Dual) bool {
	_, same := of.(Uniform)
	return same
}

// Modulus implements Dual.
func (Uniform) Modulus() float64 { return 0 }

// Value implements Dual.
func (Uniform) Value([]float64) float64 { return 0 }

// BestResponseTo implements Dual: y = 1/n.
func (u Uniform) BestResponseTo(y, f []float64) (risk, tau float64) {
	u.fill(y)
	mean := u.rows.Sum(len(f), func(lo, hi int) float64 { return vec.Sum(f[lo:hi]) }) / float64(len(f))
	if math.IsInf(mean, 0) { // the sum overflowed, the mean need not
		mean = u.rows.Sum(len(f), func(lo, hi int) float64 { return vec.Dot(y[lo:hi], f[lo:hi]) })
	}
	return mean, mean
}

// CoordsTo implements Mirror: u = n y = 1.
func (Uniform) CoordsTo(u, _ []float64) { vec.Fill(u, 1) }

// ProxTo implements Mirror.
func (Uniform) ProxTo(u, y, _, _, _ []float64, _, _, _ float64) {
	vec.Fill(u, 1)
	vec.Fill(y, 1/float64(len(y)))
}

// fill stores the weights.
func (u Uniform) fill(y []float64) {
	lo, hi := u.rows.Here(len(y))
	vec.Fill(y[lo:hi], 1/float64(len(y)))
}

// uniformOnMax stores the uniform weights on the samples whose loss is top, the
// best response of an unpenalised adversary, and returns top.
func uniformOnMax(rows *ranks.Rows, y, f []float64, top float64) float64 {
	return shareMax(rows, y, f, top, func(int) float64 { return 1 })
}

// shareMax shares the weight among the samples whose loss is top, by w.
func shareMax(rows *ranks.Rows, y, f []float64, top float64, w func(j int) float64) float64 {
	total := rows.Sum(len(f), func(lo, hi int) float64 {
		s := 0.0
		for j := lo; j < hi; j++ {
			if y[j] = 0; f[j] == top {
				y[j] = w(j)
				s += y[j]
			}
		}
		return s
	})
	rows.Run(len(f), func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			y[j] /= total // which may have no inverse
		}
	})
	return top
}

// ResponseTo implements Responsive: the uniform weights do not move.
func (Uniform) ResponseTo(response, _ []float64, lo, hi int) { clear(response[lo:hi]) }

// Region implements OnSimplex.
func (Uniform) Region() saddle.Region { return saddle.Point }

// FusedTo implements fusible: the weights are known.
func (u Uniform) FusedTo(e *saddle.Evaluator, g, y, x []float64) (risk, tau float64) {
	u.fill(y)
	return fixedTo(e, g, y, x)
}
