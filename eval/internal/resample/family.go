package resample

import (
	"math"
)

// A family is the set of numbers the simultaneous intervals cover together:
// the risk of every model on every eligible group, and its difference from the
// baseline's. Their deviations are studentised by standard errors.
type family struct {
	c    *Columns
	mean [][]float64 // per stratum: models risks, then models−1 differences
	se   [][]float64
}

// newFamily returns the risks and their standard errors in the eligible strata.
func newFamily(r *Resampler, eligible []bool) *family {
	c := r.C
	f := &family{c: c, mean: make([][]float64, len(eligible)), se: make([][]float64, len(eligible))}
	for s, is := range eligible {
		rows := r.strata[s].Rows
		if !is || len(rows) < 2 {
			continue
		}
		w := r.sums[s][c.shared]
		base := r.sums[s][c.loss(0)] / w
		for k := range c.models {
			f.mean[s] = append(f.mean[s], r.sums[s][c.loss(k)]/w)
			f.se[s] = append(f.se[s], StandardError(r.in.Models[k].Loss, nil, r.in.Weight, rows))
		}
		for k := 1; k < c.models; k++ {
			se := StandardError(r.in.Models[k].Loss, r.in.Models[0].Loss, r.in.Weight, rows)
			if se <= constantChange*math.Max(f.se[s][0], math.Abs(base)) {
				se = 0 // a change that is the same in all rows, but for rounding
			}
			f.mean[s], f.se[s] = append(f.mean[s], r.sums[s][c.loss(k)]/w-base), append(f.se[s], se)
		}
	}
	return f
}

// constantChange is the standard error of a change, relative to the baseline's
// risk or its standard error, below which rounding makes it up.
const constantChange = 1e-13

// deviation returns the largest |mean* − mean|/se of the stratum in one resample.
func (f *family) deviation(s int, sums []float64) float64 {
	mu, se := f.mean[s], f.se[s]
	t, w := 0.0, sums[f.c.shared]
	for k := range mu {
		x := sums[f.c.loss(0)] / w
		if k < f.c.models {
			x = sums[f.c.loss(k)] / w
		} else {
			x = sums[f.c.loss(k-f.c.models+1)]/w - x
		}
		if d := math.Abs(x - mu[k]); se[k] > 0 && d > t*se[k] {
			t = d / se[k]
		}
	}
	return t
}
