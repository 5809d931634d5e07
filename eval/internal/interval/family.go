package interval

import (
	"context"
	"math"
)

// A family is a set of intervals of a stratum that hold simultaneously. It contains the risk of every model and the
// difference of the risk from that of the baseline, each divided by its standard error.
type family struct {
	root lowerTriangle // Cholesky factor of the covariance of the risks
	se   []float64     // standard errors of the risks of all models, followed by those of models−1 differences
}

// newFamily returns the family of a stratum.
func (r *Maker) newFamily(s int) family {
	in, rows, c := r.in, r.Strata[s].Rows, r.columns
	models := len(in.Loss)
	w := r.sums[s][c.sharedIndex(0)]
	f := family{}
	for k := range models {
		se := in.Weight.StandardError(in.Loss[k], nil, rows)
		if se <= constantChange*math.Abs(r.sums[s][k*c.PerModel]/w) {
			se = 0 // the loss is the same in all rows, up to rounding
		}
		f.se = append(f.se, se)
	}
	base := r.sums[s][0] / w
	for k := 1; k < models; k++ {
		se := in.Weight.StandardError(in.Loss[k], in.Loss[0], rows)
		if se <= constantChange*math.Max(f.se[0], math.Abs(base)) {
			se = 0 // the change is the same in all rows, up to rounding
		}
		f.se = append(f.se, se)
	}
	covariance := make([]float64, models*(models+1)/2)
	d := make([]float64, models)
	for _, i := range rows {
		at := 0
		for k := range models {
			d[k] = in.Weight.Of(i) * (in.Loss[k][i] - r.sums[s][k*c.PerModel]/w) / w
			for q := range k + 1 {
				covariance[at] += float64(d[k] * d[q])
				at++
			}
		}
	}
	f.root = cholesky(covariance, models)
	return f
}

// deviation returns the largest standardised deviation for independent standard normal numbers z; d is scratch
// space.
func (f *family) deviation(d, z []float64) float64 {
	f.root.multiply(d, z)
	t := 0.0
	for k, se := range f.se {
		x := 0.0
		if k < len(d) {
			x = d[k]
		} else {
			x = d[k-len(d)+1] - d[0]
		}
		if x = math.Abs(x); se > 0 && x > t*se {
			t = x / se
		}
	}
	return t
}

// CriticalValue returns the half-width, in standard errors, that the intervals of the given parts must have to hold
// simultaneously with probability Confidence. It is the quantile of the largest standardised deviation of normal
// variables with the covariance of the risks, estimated from Resamples draws for each stratum.
func (r *Maker) CriticalValue(ctx context.Context, phase string, parts []*Part) (float64, error) {
	families := make([]family, len(r.Strata))
	err := r.in.Parallel(ctx, "", len(r.Strata), func(s int) error {
		if parts[s] != nil {
			families[s] = r.newFamily(s)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	const task = 50 // draws
	largest := make([]float64, r.Resamples)
	err = r.in.Parallel(ctx, phase, (r.Resamples+task-1)/task, func(t int) error {
		d, z := make([]float64, len(r.in.Loss)), make([]float64, len(r.in.Loss))
		for b := t * task; b < min(r.Resamples, (t+1)*task); b++ {
			g := NewRNG(r.Seed, r.Salt, uint64(b))
			for s := range families {
				if f := &families[s]; f.se != nil {
					g.FillNormals(z)
					largest[b] = max(largest[b], f.deviation(d, z))
				}
			}
		}
		return nil
	})
	return quantileOfAny(largest, r.Confidence), err
}

// A lowerTriangle is a lower triangular matrix stored by rows.
type lowerTriangle []float64

// cholesky overwrites the lower triangle of a positive semidefinite matrix with its Cholesky factor and returns it.
// The rows of variables without variance are zero.
func cholesky(v lowerTriangle, n int) lowerTriangle {
	for j := range n {
		row := v[j*(j+1)/2:]
		whole := row[j]
		for k := range j {
			o := v[k*(k+1)/2:]
			s := row[k]
			for q := range k {
				s -= row[q] * o[q]
			}
			if o[k] > 0 {
				row[k] = s / o[k]
			} else {
				row[k] = 0
			}
		}
		s := whole
		for q := range j {
			s -= row[q] * row[q]
		}
		if row[j] = 0; s > 1e-12*whole {
			row[j] = math.Sqrt(s)
		}
	}
	return v
}

// multiply stores the product of the matrix and z in dst.
func (t lowerTriangle) multiply(dst, z []float64) {
	for j := range dst {
		s := 0.0
		for k, l := range t[:j+1] {
			s += float64(l * z[k])
		}
		dst[j], t = s, t[j+1:]
	}
}
