package side

import (
	"fmt"
	"math"

	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/internal/shard"
)

// CappedChiSquare is the capped simplex {0 ≤ y_j ≤ 1/(αn), Σ y_j = 1} with the
// penalty and geometry of ChiSquare. With ν = 0 the robust risk is the
// conditional value at risk CVaR_α, the mean of the worst α-fraction of the
// losses: α = 1 is the average, α → 0 the maximum. ν > 0 smooths it.
type CappedChiSquare struct {
	Alpha float64 // in (0, 1]
	Nu    float64 // ν ≥ 0, in loss units
}

// CappedKL is the capped simplex with the penalty and geometry of KL.
type CappedKL struct {
	Alpha float64 // in (0, 1]
	Nu    float64 // ν ≥ 0, in loss units
}

// CVaR returns the dual of CVaR_α: the capped simplex without a penalty.
func CVaR(alpha float64) CappedChiSquare { return CappedChiSquare{Alpha: alpha} }

var (
	_ saddle.Mirror   = CappedChiSquare{}
	_ saddle.Mirror   = CappedKL{}
	_ saddle.Liftable = CappedChiSquare{}
	_ saddle.Liftable = CappedKL{}
	_ saddle.Normed   = CappedChiSquare{}
	_ saddle.Normed   = CappedKL{}
)

// Region implements OnSimplex.
func (CappedChiSquare) Region() saddle.Region { return saddle.Part }

// Region implements OnSimplex.
func (CappedKL) Region() saddle.Region { return saddle.Part }

// Region implements OnSimplex.
func (Ball) Region() saddle.Region { return saddle.Part }

// Region implements OnSimplex.
func (Protected) Region() saddle.Region { return saddle.Part }

// Region implements OnSimplex.
func (*Groups) Region() saddle.Region { return saddle.Part }

// Unpriced implements the ability: equal weights cost nothing.
func (CappedChiSquare) Unpriced(of saddle.Dual) bool {
	_, same := of.(CappedChiSquare)
	return same
}

// Unpriced implements the ability: equal weights cost nothing.
func (CappedKL) Unpriced(of saddle.Dual) bool {
	_, same := of.(CappedKL)
	return same
}

func validAlpha(alpha float64) error {
	if !(alpha > 0 && alpha <= 1) {
		return fmt.Errorf("α = %v: it must be in (0, 1]", alpha)
	}
	return nil
}

// Valid says why the dual cannot weigh n samples.
func (c CappedChiSquare) Valid(int) error { return validAlpha(c.Alpha) }

// Valid says why the dual cannot weigh n samples.
func (c CappedKL) Valid(int) error { return validAlpha(c.Alpha) }

// Modulus implements Dual.
func (c CappedChiSquare) Modulus() float64 { return c.Nu }

// Value implements Dual.
func (c CappedChiSquare) Value(y []float64) float64 { return ChiSquare{Nu: c.Nu}.Value(y) }

// Separated implements Liftable.
func (c CappedChiSquare) Separated(n int) saddle.Separable {
	return OrthantChiSquare{Nu: c.Nu, Cap: c.WeightCap(n)}
}

// NormScale implements Normed.
func (CappedChiSquare) NormScale(n int) float64 { return math.Sqrt(float64(n)) }

// WeightCap implements Normed.
func (c CappedChiSquare) WeightCap(n int) float64 { return 1 / c.Alpha / float64(n) }

// TotalWeight implements Normed.
func (CappedChiSquare) TotalWeight(int) float64 { return 1 }

// SumNorm implements Normed.
func (CappedChiSquare) SumNorm() bool { return false }

// BestResponseTo implements Dual: n y_j = min(1/α, (1 + (f_j − τ)/ν)₊); for
// ν = 0, 1/α on the largest losses, with one fractional weight level at the
// quantile τ.
func (c CappedChiSquare) BestResponseTo(y, f []float64) (risk, tau float64) {
	r := newReference(nil, nil, len(f))
	return r.respondLimited(y, f, PearsonChi2, c.Nu, 1/c.Alpha)
}

// CoordsTo implements Mirror: u = n y.
func (CappedChiSquare) CoordsTo(u, y []float64) { ChiSquare{}.CoordsTo(u, y) }

// ProxTo implements Mirror: the best response of penalty 1 to the coordinates stepped to.
func (c CappedChiSquare) ProxTo(u, y, f, prev, hist []float64, a, e, w float64) {
	stepTo(u, f, prev, hist, a, e, w, c.Nu)
	CappedChiSquare{Alpha: c.Alpha, Nu: 1}.BestResponseTo(y, u)
	c.CoordsTo(u, y)
}

// stepTo stores in u the coordinates of a proximal step, up to a constant: a weighted mean of
// losses and coordinates.
func stepTo(u, f, prev, hist []float64, a, e, w, nu float64) {
	inv := 1 / (a*nu + e)
	ca, cp, ch := a*inv, e*(1-w)*inv, e*w*inv
	largest := shard.Max(len(f), func(lo, hi int) float64 { return kernel.Max(f[lo:hi]) })
	shard.Run(len(f), func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			v := ca*below(f[j], largest) + cp*prev[j]
			if w != 0 {
				v += ch * hist[j]
			}
			u[j] = v
		}
	})
}

// Modulus implements Dual.
func (c CappedKL) Modulus() float64 { return c.Nu }

// Value implements Dual.
func (c CappedKL) Value(y []float64) float64 { return KL{Nu: c.Nu}.Value(y) }

// Separated implements Liftable.
func (c CappedKL) Separated(n int) saddle.Separable {
	return OrthantKL{Nu: c.Nu, Cap: c.WeightCap(n)}
}

// NormScale implements Normed: ‖·‖₁ ≥ ‖·‖₂.
func (CappedKL) NormScale(int) float64 { return 1 }

// WeightCap implements Normed.
func (c CappedKL) WeightCap(n int) float64 { return 1 / c.Alpha / float64(n) }

// TotalWeight implements Normed.
func (CappedKL) TotalWeight(int) float64 { return 1 }

// SumNorm implements Normed.
func (CappedKL) SumNorm() bool { return true }

// BestResponseTo implements Dual: n y_j = min(1/α, exp((f_j − τ)/ν)).
func (c CappedKL) BestResponseTo(y, f []float64) (risk, tau float64) {
	r := newReference(nil, nil, len(f))
	return r.respondLimited(y, f, KullbackLeibler, c.Nu, 1/c.Alpha)
}

// StartingWeights implements StartedDual: uniform.
func (CappedKL) StartingWeights(y []float64) { vec.Fill(y, 1/float64(len(y))) }

// CoordsTo implements Mirror: u = log(n y).
func (CappedKL) CoordsTo(u, y []float64) { KL{}.CoordsTo(u, y) }

// ProxTo implements Mirror: the best response of penalty 1 to the coordinates stepped to.
func (c CappedKL) ProxTo(u, y, f, prev, hist []float64, a, e, w float64) {
	stepTo(u, f, prev, hist, a, e, w, c.Nu)
	_, tau := CappedKL{Alpha: c.Alpha, Nu: 1}.BestResponseTo(y, u)
	const least = 0x1p-1000 // of a weight whose logarithm has all its digits
	for j, v := range y {
		if u[j] -= tau; v > least {
			u[j] = math.Log(float64(len(y)) * v)
		}
	}
}

// ResponseTo implements Responsive: y_j/ν below the cap, 0 at it.
func (c CappedKL) ResponseTo(response, y []float64, lo, hi int) {
	limit := c.WeightCap(len(y))
	for j := lo; j < hi; j++ {
		response[j] = 0
		if y[j] < limit {
			response[j] = y[j] / c.Nu
		}
	}
}

// ResponseTo implements Responsive: 1/(νn) strictly between 0 and the cap.
func (c CappedChiSquare) ResponseTo(response, y []float64, lo, hi int) {
	limit, inv := c.WeightCap(len(y)), 1/(c.Nu*float64(len(y)))
	for j := lo; j < hi; j++ {
		response[j] = 0
		if y[j] > 0 && y[j] < limit {
			response[j] = inv
		}
	}
}

// Smoothed implements Smoothable: n y ≤ 1/α.
func (c CappedKL) Smoothed(nu float64, _ int) (saddle.Dual, float64) {
	return CappedKL{Alpha: c.Alpha, Nu: nu}, math.Log(1 / c.Alpha)
}

// Smoothed implements Smoothable: ½ mean((n y − 1)²) ≤ ½(1/α − 1).
func (c CappedChiSquare) Smoothed(nu float64, _ int) (saddle.Dual, float64) {
	return CappedChiSquare{Alpha: c.Alpha, Nu: nu}, (1/c.Alpha - 1) / 2
}
