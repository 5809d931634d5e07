package resample

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/drotrain/drotrain/eval/internal/measure"
	"github.com/drotrain/drotrain/internal/memory"
)

// In a large group the sums of a resample are normal to several digits, so they
// are drawn as such: from the covariance of the rows' columns, for the sums, and
// of the rows' influences (influence.go), for the statistics of ranks. What is
// computed from the sums, intervals simultaneous over groups included, is the
// same as where rows are drawn; a draw costs nothing that grows with the rows.

// normalRows is the fewest rows of a group whose sums are drawn from their
// limit, and lyapunov the most of Σ|d|³/(Σd²)^1.5 of any column: the error of
// the normal approximation is at most about half of it (Berry and Esseen), and 0.2 is a
// count of 25.
const (
	normalRows = 1000
	lyapunov   = 0.2
)

// covarianceTask is the number of rows that one task of the pool sums up.
const covarianceTask = 1 << 16

// A limit is the normal approximation of a stratum's resampled sums and rank statistics.
type limit struct {
	mean  []float64 // sums up to columns.rank
	root  triangle  // of their covariance
	rank  rankLimit
	loss  []float64 // variances of the sums that family needs, by its order
	risks []float64 // means by its order
}

// moments2 are first, second and third absolute moments of rows about a shift.
type moments2 struct {
	n     float64
	shift []float64
	sum   []float64 // Σ (x − shift)
	cross []float64 // Σ (x − shift)(x − shift)ᵀ, lower triangle by rows
	cube  []float64 // Σ |x − shift|³ of the columns that are no bins
}

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
			d := math.Abs(x[j])
			m.cube[j] += d * d * d
			m.sum[j] += x[j]
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

// centre makes the moments those about the means, and says whether the sums of
// all columns are near normal.
func (m *moments2) centre(c *Columns) (near bool) {
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
func (r *rng) Uint64() uint64 { return r.next() }

// limits finds the strata whose sums are drawn from their normal approximation; the
// entries of the others are nil.
func (c *Columns) limits(ctx context.Context, in *measure.Rows, strata []measure.Stratum, byRows bool) ([]*limit, error) {
	type part struct {
		s      int
		lo, hi int
	}
	sums := make([]*moments2, len(strata))
	var parts []part
	for s := range strata {
		n := len(strata[s].Rows)
		if n < normalRows || byRows {
			continue
		}
		sums[s] = c.newMoments(in, strata[s].Rows)
		for lo := 0; lo < n; lo += covarianceTask {
			parts = append(parts, part{s, lo, min(n, lo+covarianceTask)})
		}
	}
	done := make([]*moments2, len(parts))
	err := in.Parallel(ctx, "covariances", len(parts), func(p int, _ *measure.Scratch) error {
		q := parts[p]
		m := &moments2{shift: sums[q.s].shift, sum: make([]float64, c.rank), cross: make([]float64, c.rank*(c.rank+1)/2), cube: make([]float64, c.width0)}
		m.add(c, in, strata[q.s].Rows[q.lo:q.hi])
		done[p] = m
		return nil
	})
	if err != nil {
		return nil, err
	}
	for p, q := range parts {
		sums[q.s].merge(done[p])
	}
	place := memory.Make[int32](in.Arena, len(in.Target))
	defer memory.Release(in.Arena, place)
	for s := range strata {
		for p, i := range strata[s].Rows {
			place[i] = int32(p)
		}
	}
	out := make([]*limit, len(strata))
	err = measure.Parallel(ctx, in.Workers, len(strata), func(s int, _ *measure.Scratch) error {
		m := sums[s]
		if m == nil || !m.centre(c) {
			return nil
		}
		l := &limit{mean: make([]float64, c.rank)}
		for j := range l.mean {
			l.mean[j] = m.n*m.shift[j] + m.sum[j]
		}
		l.family(c, m)
		l.root = cholesky(m.cross, c.rank)
		l.rank = newRankLimit(in, &strata[s], func(i int32) int32 { return place[i] }, strata[s:s+1])
		out[s] = l
		return nil
	})
	return out, err
}

// family keeps the means and variances of the risks and of their differences,
// in the order of family.
func (l *limit) family(c *Columns, m *moments2) {
	cov := func(j, k int) float64 {
		if j < k {
			j, k = k, j
		}
		return m.cross[j*(j+1)/2+k]
	}
	w := l.mean[c.shared]
	for k := range 2*c.models - 1 {
		form := map[int]float64{c.loss(k): 1}
		if k >= c.models {
			form = map[int]float64{c.loss(k - c.models + 1): 1, c.loss(0): -1}
		}
		mean := 0.0
		for _, j := range sortedKeys(form) {
			mean += form[j] * l.mean[j]
		}
		mean /= w
		form[c.shared] -= mean
		v := 0.0
		keys := sortedKeys(form)
		for _, i := range keys {
			for _, j := range keys {
				v += form[i] * form[j] * cov(i, j)
			}
		}
		if v <= 1e-12*cov(c.loss(0), c.loss(0)) && k >= c.models {
			v = 0 // what cancellation leaves of a change that hardly varies
		}
		l.risks = append(l.risks, mean)
		l.loss = append(l.loss, math.Max(0, v)/(w*w))
	}
}

// draw writes the sums and rank statistics of one resample.
func (l *limit) draw(dst []float64, c *Columns, g *rng, work *measure.Scratch) {
	z := work.Floats(c.width)
	g.normals(z)
	copy(dst, l.mean)
	l.root.addTo(dst[:c.rank], z)
	l.rank.draw(dst[c.rank:], z[c.rank:])
}
