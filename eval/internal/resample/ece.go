package resample

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/measure"
)

// The calibration error is a sum of |m_b|, m_b being what bin b adds to the mean of
// predicted − observed. Where m_b is near 0 its resamples say little of the error's:
// |m_b + g| − |m_b| is |g| at 0, ± g far from it, and between −|g| and |g| wherever
// m_b may be. So the error of the sum is bounded in every resample: by ± g in the bins
// whose sign is clear, by |g| in the others; the interval follows from quantiles of the
// two bounds. In bins that are clear it is the usual one, and where nothing is clear it
// still holds, wider than it need be.

// clearBin is how many standard errors a bin is away from 0 where its sign is clear.
const clearBin = 3

// eceMethod is the name of such an interval.
const eceMethod = "bootstrap, bins bounded"

// eceErrors bounds the error of the calibration error of model k in every resample.
func (c *Columns) eceErrors(sums []float64, k int) (lo, hi []float64) {
	n := len(sums) / c.width
	lo, hi = make([]float64, n), make([]float64, n)
	bin := make([]float64, n)
	for j := range measure.ECEBins {
		var m measure.Moments
		for b := range n {
			s := sums[b*c.width:][:c.width]
			bin[b] = s[c.bins+k*measure.ECEBins+j] / s[c.shared]
			m.Add(bin[b])
		}
		clear := math.Abs(m.Mean) > clearBin*math.Sqrt(m.Variance())
		for b, x := range bin {
			g := x - m.Mean
			if clear {
				g = math.Copysign(1, m.Mean) * g
				lo[b] += g
				hi[b] += g
				continue
			}
			lo[b] -= math.Abs(g)
			hi[b] += math.Abs(g)
		}
	}
	return lo, hi
}

// ECE returns the interval of the calibration error of model k, whose value is at.
func (r *Resampler) ECE(sums []float64, k int, at float64) *measure.Interval {
	lo, hi := r.C.eceErrors(sums, k)
	iv := r.intervalAround(at, lo, hi)
	iv.Low = max(0, iv.Low)
	return iv
}

// eceDifference returns the interval of the change from the baseline to model k.
func (r *Resampler) eceDifference(sums []float64, k int, at float64) *measure.Interval {
	lo, hi := r.C.eceErrors(sums, k)
	baseLo, baseHi := r.C.eceErrors(sums, 0)
	for b := range lo {
		lo[b] -= baseHi[b]
		hi[b] -= baseLo[b]
	}
	return r.intervalAround(at, lo, hi)
}

// intervalAround returns the interval of a value whose error lies between lo and hi.
func (r *Resampler) intervalAround(at float64, lo, hi []float64) *measure.Interval {
	a := (1 - r.Confidence) / 2
	return &measure.Interval{Low: measure.Num(at - UpperQuantile(hi, 1-a)), High: measure.Num(at - UpperQuantile(lo, a)), Method: eceMethod}
}
