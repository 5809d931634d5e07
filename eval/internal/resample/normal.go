package resample

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/drotrain/drotrain/eval/internal/measure"
)

// normalRows is the fewest rows of a group whose sums are drawn from their covariance, and lyapunov the most
// of Σ|d|³/(Σd²)^1.5 of any column at which the error of a measure is taken for normal: its error is then
// at most about half of it (Berry and Esseen), and 0.2 is a count of 25.
const (
	normalRows = 1000
	lyapunov   = 0.2
)

// covarianceTask is the number of rows that one task of the pool sums up.
const covarianceTask = 1 << 16

// moments2 are first and second moments of rows about a shift.
type moments2 struct {
	n     float64
	shift []float64
	sum   []float64 // Σ (x − shift)
	cross []float64 // Σ (x − shift)(x − shift)ᵀ, lower triangle by rows
	cube  []float64 // Σ |x − shift|³ of the columns that are no bins
}

// newMoments returns empty moments about the mean of about normalRows of the rows.
func (c *Columns) newMoments(in *measure.Rows, rows []int32) *moments2 {
	m := &moments2{shift: make([]float64, c.rank), sum: make([]float64, c.rank),
		cross: make([]float64, c.rank*(c.rank+1)/2), cube: make([]float64, c.width0)}
	step := len(rows) / normalRows // they are as many at least
	row := c.newRow()
	k := 0.0
	for i := 0; i < len(rows); i += step {
		c.fill(in, &row, rows[i])
		for j, x := range row.v {
			m.shift[j] += x
		}
		k++
	}
	for j := range c.width0 { // bins are mostly 0: no shift
		m.shift[j] /= k
	}
	return m
}

// add takes rows up.
func (m *moments2) add(c *Columns, in *measure.Rows, rows []int32) {
	row := c.newRow()
	w := c.width0
	for _, i := range rows {
		c.fill(in, &row, i)
		x := row.v
		for j := range x {
			x[j] -= m.shift[j]
			m.sum[j] += x[j]
			d := math.Abs(x[j])
			m.cube[j] += float64(d * d * d)
		}
		at := 0
		for j, a := range x {
			line := m.cross[at : at+j+1]
			for k, b := range x[:j+1] {
				line[k] += float64(a * b)
			}
			at += j + 1
		}
		for k, b := range row.bin {
			j, g := w+k*measure.ECEBins+int(b), row.gap[k]
			m.sum[j] += g
			line := m.cross[j*(j+1)/2:]
			for q, a := range x {
				line[q] += float64(a * g)
			}
			for q, o := range row.bin[:k+1] {
				line[w+q*measure.ECEBins+int(o)] += float64(g * row.gap[q])
			}
		}
	}
	m.n += float64(len(rows))
}

// merge adds what other rows have summed up about the same shift.
func (m *moments2) merge(o *moments2) {
	m.n += o.n
	for j, x := range o.sum {
		m.sum[j] += x
	}
	for j, x := range o.cross {
		m.cross[j] += x
	}
	for j, x := range o.cube {
		m.cube[j] += x
	}
}

// centre makes the second moments those about the means, and reports whether the sums of all columns are
// near normal.
func (m *moments2) centre() (near bool) {
	at := 0
	for j, a := range m.sum {
		for k, b := range m.sum[:j+1] {
			m.cross[at+k] -= a * b / m.n
		}
		at += j + 1
	}
	near = true
	for j, q := range m.cube {
		v := m.cross[j*(j+1)/2+j]
		if v > 0 && !(q <= lyapunov*v*math.Sqrt(v)) || measure.Bad(q) {
			near = false
		}
	}
	return near
}

// A triangle is a lower triangular matrix by rows.
type triangle struct {
	n int
	v []float64
}

// cholesky factors a positive semidefinite matrix given by its lower triangle,
// which it overwrites; directions without variance get none.
func cholesky(v []float64, n int) triangle {
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
	return triangle{n, v}
}

// addTo adds L z to dst.
func (t triangle) addTo(dst, z []float64) {
	at := 0
	for j := range t.n {
		s := 0.0
		for k, l := range t.v[at : at+j+1] {
			s += float64(l * z[k])
		}
		dst[j] += s
		at += j + 1
	}
}

// normals fills z with independent standard normal numbers.
func (r *rng) normals(z []float64) {
	g := rand.New(r)
	for i := range z {
		z[i] = g.NormFloat64()
	}
}

// Uint64 makes an rng a source of math/rand.
func (r *rng) Uint64() uint64 { return r.nextUint64() }

// sumUp sums up the columns of every stratum, and factors the covariance of those with many rows.
func (r *Resampler) sumUp(ctx context.Context) error {
	type part struct {
		s      int
		lo, hi int
	}
	c, in, strata := r.C, r.in, r.strata
	r.sums, r.limit = make([][]float64, len(strata)), make([]*triangle, len(strata))
	r.normal = make([]bool, len(strata))
	moments := make([]*moments2, len(strata))
	var parts []part
	for s := range strata {
		r.sums[s] = make([]float64, c.rank)
		n := len(strata[s].Rows)
		if n < normalRows {
			continue
		}
		moments[s] = c.newMoments(in, strata[s].Rows)
		for lo := 0; lo < n; lo += covarianceTask {
			parts = append(parts, part{s, lo, min(n, lo+covarianceTask)})
		}
	}
	done := make([]*moments2, len(parts))
	err := in.Parallel(ctx, "covariances", len(parts), func(p int, _ *measure.Scratch) error {
		q := parts[p]
		m := &moments2{shift: moments[q.s].shift, sum: make([]float64, c.rank), cross: make([]float64, c.rank*(c.rank+1)/2), cube: make([]float64, c.width0)}
		m.add(c, in, strata[q.s].Rows[q.lo:q.hi])
		done[p] = m
		return nil
	})
	if err != nil {
		return err
	}
	for p, q := range parts {
		moments[q.s].merge(done[p])
	}
	return measure.Parallel(ctx, in.Workers, len(strata), func(s int, _ *measure.Scratch) error {
		if m := moments[s]; m != nil {
			for j := range r.sums[s] {
				r.sums[s][j] = m.n*m.shift[j] + m.sum[j]
			}
			r.normal[s] = m.centre()
			root := cholesky(m.cross, c.rank)
			r.limit[s] = &root
			return nil
		}
		row := c.newRow()
		for _, i := range strata[s].Rows {
			c.fill(in, &row, i)
			for j, x := range row.v {
				r.sums[s][j] += x
			}
			for k, b := range row.bin {
				r.sums[s][c.bins+k*measure.ECEBins+int(b)] += row.gap[k]
			}
		}
		return nil
	})
}
