package side

import (
	"math"

	"github.com/drotrain/drotrain/dro/internal/saddle"
)

// stillRadius is the ball of n samples in which weights move by less than is worth proving:
// rounding may take a share of 4e-3 of them out of it, and the risk is within 2e3·γ deviations
// of the losses of that of the reference weights.
func (b Ball) stillRadius(n int) float64 {
	gamma := saddle.SumGamma(b.rows, n)
	return max(1e-18, 1e6*gamma*gamma)
}

// rest puts the reference weights, which lie in any ball, in the place of the response a to
// the losses f: in a small ball, and where the price is at an end of the numbers. Between their mean loss and the risk lies √(2·Radius) times the deviation of
// the losses for χ², by Cauchy's inequality, and the risk at any price for KL (math: §11).
func (b Ball) rest(a *pricedResponse, y, f []float64) {
	n := len(f)
	mean, size, deviation := b.moments(f)
	rise := math.Sqrt(2*b.Radius) * deviation
	if deviation == 0 { // it may have underflowed
		rise = max(0, a.top-mean)
	}
	gamma := 4 * saddle.SumGamma(b.rows, n)
	if b.Divergence == PearsonChi2 {
		a.risk = mean + rise
	}
	a.still, a.rounding = true, a.rounding+math.Abs(a.risk-mean)+gamma*(size+rise+math.Abs(a.risk))
	if b.Divergence == PearsonChi2 {
		a.tau = a.risk
	}
	total := float64(n)
	if b.Weights != nil {
		total = totalOf(b.rows, b.Weights[:n])
	}
	b.rows.Run(n, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			if y[j] = 1 / total; b.Weights != nil {
				y[j] = b.Weights[j] / total
			}
		}
	})
}

// price is ν as it counts in the rounding of other weights, which nothing moves either.
func (a *pricedResponse) price() float64 {
	const most = 1e10 // of the risk
	if a.still {
		return min(a.nu, most*math.Abs(a.risk))
	}
	return a.nu
}

// moments returns the mean of the losses by the reference weights, that of their sizes, and
// their deviation.
func (b Ball) moments(f []float64) (mean, size, deviation float64) {
	n, weight := len(f), func(int) float64 { return 1 / float64(len(f)) }
	if b.Weights != nil {
		total := totalOf(b.rows, b.Weights[:n])
		weight = func(j int) float64 { return b.Weights[j] / total }
	}
	sum := func(of func(v float64) float64) float64 {
		return b.rows.Sum(n, func(lo, hi int) float64 {
			s := 0.0
			for j := lo; j < hi; j++ {
				if w := weight(j); w > 0 {
					s += w * of(f[j])
				}
			}
			return s
		})
	}
	mean, size = sum(func(v float64) float64 { return v }), sum(math.Abs)
	if unit := sum(func(v float64) float64 { return math.Abs(v - mean) }); unit > 0 {
		deviation = unit * math.Sqrt(sum(func(v float64) float64 { return (v - mean) / unit * ((v - mean) / unit) }))
	}
	return mean, size, deviation
}
