package dro

import (
	"math"

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
	_ Mirror   = CappedChiSquare{}
	_ Mirror   = CappedKL{}
	_ Liftable = CappedChiSquare{}
	_ Liftable = CappedKL{}
	_ Normed   = CappedChiSquare{}
	_ Normed   = CappedKL{}
)

// Modulus implements Dual.
func (c CappedChiSquare) Modulus() float64 { return c.Nu }

// Value implements Dual.
func (c CappedChiSquare) Value(y []float64) float64 { return ChiSquare{c.Nu}.Value(y) }

// Separated implements Liftable.
func (c CappedChiSquare) Separated(n int) Separable {
	return OrthantChiSquare{Nu: c.Nu, Cap: 1 / (c.Alpha * float64(n))}
}

// NormScale implements Normed.
func (CappedChiSquare) NormScale(n int) float64 { return math.Sqrt(float64(n)) }

// WeightCap implements Normed.
func (c CappedChiSquare) WeightCap(n int) float64 { return 1 / (c.Alpha * float64(n)) }

// TotalWeight implements Normed.
func (CappedChiSquare) TotalWeight(int) float64 { return 1 }

// SumNorm implements Normed.
func (CappedChiSquare) SumNorm() bool { return false }

// BestResponseTo implements Dual: n y_j = min(1/α, (1 + (f_j − τ)/ν)₊); for
// ν = 0, 1/α on the largest losses, with one fractional weight level at the
// quantile τ.
func (c CappedChiSquare) BestResponseTo(y, f []float64) (risk, tau float64) {
	n := float64(len(f))
	if c.Nu == 0 {
		return cvar(y, f, c.Alpha)
	}
	for j, v := range f {
		y[j] = 1 + v/c.Nu
	}
	t := cappedThreshold(y, 1/c.Alpha, linearLevel)
	tau = c.Nu * t
	// The dual form τ + Σ_j max_y[y(f_j − τ) − ψ_j(y)] bounds the risk for any τ.
	risk = shard.Sum(len(f), func(lo, hi int) float64 {
		s := 0.0
		for j := lo; j < hi; j++ {
			r := linearLevel(y[j]-t, 1/c.Alpha)
			y[j] = r / n
			s += y[j]*(f[j]-tau) - c.Nu/(2*n)*(r-1)*(r-1)
		}
		return s
	}) + tau
	return risk, tau
}

// CoordsTo implements Mirror: u = n y.
func (CappedChiSquare) CoordsTo(u, y []float64) { ChiSquare{}.CoordsTo(u, y) }

// ProxTo implements Mirror.
func (c CappedChiSquare) ProxTo(u, y, f, prev, hist []float64, a, e, w float64) {
	inv := 1 / (a*c.Nu + e)
	for j := range f {
		u[j] = inv * (a*(f[j]+c.Nu) + e*((1-w)*prev[j]+w*hist[j]))
	}
	t := cappedThreshold(u, 1/c.Alpha, linearLevel)
	n := float64(len(f))
	for j := range u {
		u[j] = linearLevel(u[j]-t, 1/c.Alpha)
		y[j] = u[j] / n
	}
}

// Modulus implements Dual.
func (c CappedKL) Modulus() float64 { return c.Nu }

// Value implements Dual.
func (c CappedKL) Value(y []float64) float64 { return KL{c.Nu}.Value(y) }

// Separated implements Liftable.
func (c CappedKL) Separated(n int) Separable {
	return OrthantKL{Nu: c.Nu, Cap: 1 / (c.Alpha * float64(n))}
}

// NormScale implements Normed: ‖·‖₁ ≥ ‖·‖₂.
func (CappedKL) NormScale(int) float64 { return 1 }

// WeightCap implements Normed.
func (c CappedKL) WeightCap(n int) float64 { return 1 / (c.Alpha * float64(n)) }

// TotalWeight implements Normed.
func (CappedKL) TotalWeight(int) float64 { return 1 }

// SumNorm implements Normed.
func (CappedKL) SumNorm() bool { return true }

// BestResponseTo implements Dual: n y_j = min(1/α, exp((f_j − τ)/ν)).
func (c CappedKL) BestResponseTo(y, f []float64) (risk, tau float64) {
	n := float64(len(f))
	if c.Nu == 0 {
		return cvar(y, f, c.Alpha)
	}
	for j, v := range f {
		y[j] = v / c.Nu
	}
	t := cappedThreshold(y, 1/c.Alpha, exponentialLevel)
	tau = c.Nu * t
	risk = shard.Sum(len(f), func(lo, hi int) float64 {
		s := 0.0
		for j := lo; j < hi; j++ {
			r := exponentialLevel(y[j]-t, 1/c.Alpha)
			y[j] = r / n
			if r > 0 {
				s += y[j]*(f[j]-tau) - c.Nu/n*r*math.Log(r)
			}
			s += c.Nu / n * (r - 1)
		}
		return s
	}) + tau
	return risk, tau
}

// CoordsTo implements Mirror: u = log(n y).
func (CappedKL) CoordsTo(u, y []float64) { KL{}.CoordsTo(u, y) }

// ProxTo implements Mirror.
func (c CappedKL) ProxTo(u, y, f, prev, hist []float64, a, e, w float64) {
	inv := 1 / (a*c.Nu + e)
	for j := range f {
		u[j] = inv * (a*f[j] + e*((1-w)*prev[j]+w*hist[j]))
	}
	t := cappedThreshold(u, 1/c.Alpha, exponentialLevel)
	n, top := float64(len(f)), math.Log(1/c.Alpha)
	for j := range u {
		u[j] = math.Min(u[j]-t, top)
		y[j] = math.Exp(u[j]) / n
	}
}

// A level maps v − τ to the weight n y, at most limit.
type level func(v, limit float64) float64

func linearLevel(v, limit float64) float64 { return math.Max(0, math.Min(v, limit)) }

func exponentialLevel(v, limit float64) float64 { return math.Min(math.Exp(v), limit) }

// cappedThreshold returns the t with mean(level(v − t, limit)) = 1, limit ≥ 1:
// bisection of a non-increasing function down to neighbouring numbers.
func cappedThreshold(v []float64, limit float64, of level) float64 {
	mean := func(t float64) float64 {
		return shard.Sum(len(v), func(lo, hi int) float64 {
			s := 0.0
			for _, a := range v[lo:hi] {
				s += of(a-t, limit)
			}
			return s
		}) / float64(len(v))
	}
	top := maxOf(v)
	bottom := top
	for _, a := range v {
		bottom = math.Min(bottom, a)
	}
	lo, hi := bottom-limit-1, top // mean(lo) = limit ≥ 1 for the linear level
	for step := 1.0; mean(hi) > 1; step *= 2 {
		hi += step
	}
	for step := 1.0; mean(lo) < 1; step *= 2 {
		lo -= step
	}
	for {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			return mid
		}
		if mean(mid) >= 1 {
			lo = mid
		} else {
			hi = mid
		}
	}
}

// cvar stores the weights of CVaR_α in y: 1/(αn) on the largest losses, what is
// left on those equal to the quantile τ, evenly. It returns the mean of the worst
// α-fraction and τ.
func cvar(y, f []float64, alpha float64) (risk, tau float64) {
	n := float64(len(f))
	limit := 1 / (alpha * n)
	tau = quantileFromTop(append([]float64(nil), f...), alpha*n)
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
	excess := shard.Sum(len(f), func(lo, hi int) float64 {
		s := 0.0
		for _, v := range f[lo:hi] {
			s += math.Max(0, v-tau)
		}
		return s
	})
	return tau + limit*excess, tau // Rockafellar and Uryasev: valid for any τ
}
