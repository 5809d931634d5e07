package side

import (
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/vec"
	"github.com/drotrain/drotrain/internal/ranks"
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
	if c.Nu == 0 || penaltyVanishes(nil, f, nil, c.Nu, func() float64 { return cvarLevel(f, c.Alpha) }) {
		risk, tau = cvar(y, f, c.Alpha)
		return risk - c.Value(y), tau
	}
	tau = cappedResponse(y, f, c.Nu, 1/c.Alpha, linearLevel)
	linear, penalty := vec.Dot(y, f), c.Value(y)
	if slices.Min(y) > 0 && slices.Max(y) < c.WeightCap(len(y)) {
		tau = linear - 2*penalty // as of ChiSquare: exact for large ν
	}
	return linear - penalty, tau
}

// CoordsTo implements Mirror: u = n y.
func (CappedChiSquare) CoordsTo(u, y []float64) { ChiSquare{}.CoordsTo(u, y) }

// ProxTo implements Mirror.
func (c CappedChiSquare) ProxTo(u, y, f, prev, hist []float64, a, e, w float64) {
	inv, largest := 1/(a*c.Nu+e), slices.Max(f)
	for j := range f { // up to a constant, which the projection removes
		u[j] = inv * (a*below(f[j], largest) + e*((1-w)*prev[j]+w*hist[j]))
	}
	limit, n := 1/c.Alpha, float64(len(f))
	t := cappedThreshold(u, limit, linearLevel)
	for j := range u {
		u[j] = t.weight(u[j], limit, linearLevel)
		y[j] = u[j] / n
	}
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
	if c.Nu == 0 || penaltyVanishes(nil, f, nil, c.Nu, func() float64 { return cvarLevel(f, c.Alpha) }) {
		risk, tau = cvar(y, f, c.Alpha)
		return risk - c.Value(y), tau
	}
	tau = cappedResponse(y, f, c.Nu, 1/c.Alpha, exponentialLevel)
	risk = vec.Dot(y, f) - c.Value(y)
	if slices.Max(y) < c.WeightCap(len(y)) {
		tau = risk // as of KL: exact for large ν
	}
	return risk, tau
}

// StartingWeights implements StartedDual: uniform.
func (CappedKL) StartingWeights(y []float64) { vec.Fill(y, 1/float64(len(y))) }

// CoordsTo implements Mirror: u = log(n y).
func (CappedKL) CoordsTo(u, y []float64) { KL{}.CoordsTo(u, y) }

// ProxTo implements Mirror.
func (c CappedKL) ProxTo(u, y, f, prev, hist []float64, a, e, w float64) {
	inv, largest := 1/(a*c.Nu+e), slices.Max(f)
	for j := range f {
		u[j] = inv * (a*below(f[j], largest) + e*((1-w)*prev[j]+w*hist[j]))
	}
	limit, n := 1/c.Alpha, float64(len(f))
	t := cappedThreshold(u, limit, exponentialLevel)
	top := math.Log(limit)
	for j := range u {
		r := t.weight(u[j], limit, exponentialLevel)
		y[j] = r / n
		if u[j] = math.Min(u[j]-t.hi, top); r > 0 && t.hi-t.lo > 1e-12 {
			u[j] = math.Log(r) // coordinates so large that neighbours differ in weight
		}
	}
}

// A level maps v − τ to the weight n y, at most limit.
type level func(v, limit float64) float64

func linearLevel(v, limit float64) float64 { return math.Max(0, math.Min(v, limit)) }

func exponentialLevel(v, limit float64) float64 { return math.Min(math.Exp(v), limit) }

// cappedResponse stores the weights n y_j = level((f_j − τ)/ν) of mass 1 in y
// and returns τ.
func cappedResponse(y, f []float64, nu, limit float64, of level) (tau float64) {
	top, n := slices.Max(f), float64(len(f))
	for j, v := range f { // shifted so that nothing overflows
		y[j] = math.Max((v-top)/nu, -0x1p1000)
	}
	shift := of(0, limit) // linearLevel has its 1 at 1, exponentialLevel at 0
	for j := range y {
		y[j] += 1 - shift
	}
	t := cappedThreshold(y, limit, of)
	for j, v := range y {
		y[j] = t.weight(v, limit, of) / n
	}
	return top + nu*t.lo
}

// A threshold cut is a pair of neighbouring numbers lo ≤ hi with weights of mean
// at least 1 at lo and at most 1 at hi, and the share of those at lo in the
// mixture of mean 1: where the spread of the losses is huge, one step of the
// threshold moves more than rounding may.
type thresholdCut struct{ lo, hi, share float64 }

func (t thresholdCut) weight(v, limit float64, of level) float64 {
	low, high := of(v-t.lo, limit), of(v-t.hi, limit)
	return high + t.share*(low-high)
}

// cappedThreshold solves mean(level(v − t, limit)) = 1 for t, limit ≥ 1:
// bisection of a non-increasing function down to neighbouring numbers, or to a
// difference that no weight feels.
func cappedThreshold(v []float64, limit float64, of level) thresholdCut {
	mean := func(t float64) float64 {
		return shard.Sum(len(v), func(lo, hi int) float64 {
			s := 0.0
			for _, a := range v[lo:hi] {
				s += of(a-t, limit)
			}
			return s
		}) / float64(len(v))
	}
	bottom, top := slices.Min(v), slices.Max(v)
	lo, hi := bottom-limit-1, top // where no weight is above 1, nor their mean
	for step := widest(lo, hi); mean(lo) < 1; step *= 2 {
		lo -= step
	}
	for {
		mid := lo + (hi-lo)/2
		if !(mid > lo && mid < hi && hi-lo > 0x1p-60) { // also of a loss that is not a number
			break
		}
		if mean(mid) >= 1 {
			lo = mid
		} else {
			hi = mid
		}
	}
	low, high := mean(lo), mean(hi)
	if low == high {
		return thresholdCut{lo, lo, 1}
	}
	return thresholdCut{lo, hi, min(1, (1-high)/(low-high))}
}

// penaltyVanishes reports that the losses which have weight without a penalty are so many units
// of ν apart that these are no numbers: weights and risk are the same with it, up to ψ < 2⁻⁹⁰⁰ of
// the spread. tau is the least of these losses, asked for where others are as far below.
func penaltyVanishes(rows *ranks.Rows, f, w []float64, nu float64, tau func() float64) bool {
	top := largestOf(rows, f, w)
	return (top-leastOf(rows, f, w))/nu > 0x1p900 && (top-tau())/nu > 0x1p900
}

// leastOf returns the smallest f_j of a sample with weight; w may be nil.
func leastOf(rows *ranks.Rows, f, w []float64) float64 {
	return -rows.Max(len(f), func(lo, hi int) float64 {
		m := math.Inf(-1)
		for j := lo; j < hi; j++ {
			if w == nil || w[j] > 0 {
				m = max(m, -f[j])
			}
		}
		return m
	})
}

// widest returns a first step that changes both ends of a bracket.
func widest(lo, hi float64) float64 {
	return math.Max(1, 0x1p-50*math.Max(math.Abs(lo), math.Abs(hi)))
}

// cvarLevel returns the least loss that CVaR_α weighs.
func cvarLevel(f []float64, alpha float64) float64 {
	return quantileFromTop(append([]float64(nil), f...), alpha*float64(len(f)))
}

// cvar stores the weights of CVaR_α in y: 1/(αn) on the largest losses, what is
// left on those equal to the quantile τ, evenly. It returns the mean of the worst
// α-fraction and τ.
func cvar(y, f []float64, alpha float64) (risk, tau float64) {
	n := float64(len(f))
	limit := 1 / (alpha * n)
	tau = cvarLevel(f, alpha)
	above, ties := 0.0, 0.0
	for _, v := range f {
		switch {
		case v > tau:
			above++
		case v == tau:
			ties++
		}
	}
	rest := math.Max(0, math.Min(limit, (1-above*limit)/ties))
	for j, v := range f {
		switch {
		case v > tau:
			y[j] = limit
		case v == tau:
			y[j] = rest
		default:
			y[j] = 0
		}
	}
	return vec.Dot(y, f), tau
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
