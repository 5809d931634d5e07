package resample

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/measure"
)

// A family is the set of numbers the simultaneous intervals cover together:
// the risk of every model on every eligible group, and its difference from the
// baseline's. Their deviations are studentised by standard errors.
type family struct {
	c    *Columns
	mean [][]float64 // per stratum: models risks, then models−1 differences
	se   [][]float64
}

func newFamily(r *Resampler, eligible []bool) *family {
	c, start := r.C, r.start
	f := &family{c: c}
	m := 2*c.models - 1
	for s := range eligible {
		if l := r.limit[s]; l != nil && eligible[s] {
			se := make([]float64, m)
			for k, v := range l.loss {
				se[k] = math.Sqrt(v)
			}
			f.mean, f.se = append(f.mean, l.risks), append(f.se, se)
			continue
		}
		lo, hi := start[s], start[s+1]
		if !eligible[s] || hi-lo < 2 {
			f.mean, f.se = append(f.mean, nil), append(f.se, nil)
			continue
		}
		mu, se := make([]float64, m), make([]float64, m)
		for k := range mu {
			value := func(i int) float64 { // w × the loss, or the difference of losses
				row := c.v[i*c.width0:]
				if k < c.models {
					return row[c.loss(k)]
				}
				return row[c.loss(k-c.models+1)] - row[c.loss(0)]
			}
			weight := func(i int) float64 { return c.v[i*c.width0+c.shared] }
			var a, w, q measure.Summer
			for i := lo; i < hi; i++ {
				a.Add(value(i))
				w.Add(weight(i))
			}
			mu[k] = a.Sum() / w.Sum()
			for i := lo; i < hi; i++ {
				d := value(i) - weight(i)*mu[k]
				q.Add(d * d)
			}
			se[k] = math.Sqrt(q.Sum()) / w.Sum()
			if k >= c.models && se[k] <= constantChange*math.Max(se[0], math.Abs(mu[0])) {
				se[k] = 0 // a change that is the same in all rows, but for rounding
			}
		}
		f.mean, f.se = append(f.mean, mu), append(f.se, se)
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
