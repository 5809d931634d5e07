package eval

import (
	"context"
	"math"
	"slices"
)

// An intervalPlan says how intervals are computed.
type intervalPlan struct {
	Resamples  int     // random draws for measures that are not smooth
	Confidence float64 // of every interval
	Seed       uint64
}

// An intervalMaker computes the intervals of the strata of one grouping.
type intervalMaker struct {
	intervalPlan
	division
	in      *measuredRows
	columns *influenceColumns
	sums    [][]float64 // of the columns, by stratum

	LossAtLeast0 []bool // by model: no row of the input has a loss below 0
}

// A division is a division of the rows into strata.
type division struct {
	salt   uint64 // of the draws, different for every division
	strata []stratum
	all    *stratum // the union of the strata
}

// newIntervalMaker computes the sums of the columns over the strata of a division. tailQ holds the quantile at
// TailAlpha of the losses of every model.
func newIntervalMaker(
	ctx context.Context, in *measuredRows, p intervalPlan, by division, tailQ []float64, centre float64,
) (*intervalMaker, error) {
	strata := by.strata
	r := &intervalMaker{in: in, intervalPlan: p, division: by,
		columns: newInfluenceColumns(in, tailQ, centre), sums: make([][]float64, len(strata))}
	for _, m := range in.Models {
		r.LossAtLeast0 = append(r.LossAtLeast0, !slices.ContainsFunc(m.Loss, func(l float64) bool { return l < 0 }))
	}
	var blocks []rowBlock
	for s := range strata {
		r.sums[s] = make([]float64, r.columns.width)
		blocks = appendRowBlocks(blocks, s, s, len(strata[s].Rows))
	}
	sums := make([][]float64, len(blocks))
	err := in.Parallel(ctx, "summing losses", len(blocks), func(b int) error {
		row, sum := make([]float64, r.columns.width), make([]float64, r.columns.width)
		for _, i := range r.rowsOf(blocks[b]) {
			r.columns.fill(row, i)
			for j, x := range row {
				sum[j] += x
			}
		}
		sums[b] = sum
		return nil
	})
	for b, sum := range sums {
		for j := range sum {
			r.sums[blocks[b].stratum][j] += sum[j]
		}
	}
	return r, err
}

// A rowBlock is a range of rows of a stratum that one worker sums up for a part. The size of a block, and so
// the sums, do not depend on the number of workers.
type rowBlock struct{ part, stratum, lo, hi int }

// appendRowBlocks appends the blocks of the n rows of a stratum.
func appendRowBlocks(to []rowBlock, part, stratum, n int) []rowBlock {
	const rows = 1 << 16
	for lo := 0; lo < n; lo += rows {
		to = append(to, rowBlock{part, stratum, lo, min(n, lo+rows)})
	}
	return to
}

func (r *intervalMaker) rowsOf(b rowBlock) []int32 { return r.strata[b.stratum].Rows[b.lo:b.hi] }

// An errorPart is the rows that errors are estimated on: one of the strata, or all of them.
type errorPart struct {
	r        *intervalMaker
	from, to int // strata
	sum      []float64
	of       *stratum // its rows
}

// Stratum returns stratum s.
func (r *intervalMaker) Stratum(s int) *errorPart {
	return &errorPart{r, s, s + 1, r.sums[s], &r.strata[s]}
}

// All returns the union of the strata.
func (r *intervalMaker) All() *errorPart {
	p := &errorPart{r, 0, len(r.strata), make([]float64, r.columns.width), r.all}
	for _, sum := range r.sums {
		for j, x := range sum {
			p.sum[j] += x
		}
	}
	return p
}

// OneClass reports whether all rows are of one class, so that nothing is known of the other.
func (p *errorPart) OneClass() bool {
	pos, w := p.sum[p.r.columns.shared+columnShared1], p.sum[p.r.columns.shared]
	return p.r.in.Task == Binary && !(pos > 1e-12*w && w-pos > 1e-12*w)
}

// A quantity is a measure of a model (Base is −1) or its change from model Base.
type quantity struct {
	Measure     *Measure
	Model, Base int
}

// Errors returns the errors of the quantities, by part and quantity, nil for a nil part. The variance is NaN if it
// is not known, as for a calibration error.
func (r *intervalMaker) Errors(
	ctx context.Context, phase string, parts []*errorPart, of []quantity,
) ([][]estimateError, error) {
	var blocks []rowBlock
	out := make([][]estimateError, len(parts))
	for p, part := range parts {
		if part == nil {
			continue
		}
		out[p] = make([]estimateError, len(of))
		for s := part.from; s < part.to; s++ {
			blocks = appendRowBlocks(blocks, p, s, len(r.strata[s].Rows))
		}
	}
	moments := make([][]influenceMoments, len(blocks))
	err := r.in.Parallel(ctx, phase, len(blocks), func(b int) error {
		moments[b] = r.momentsOf(parts[blocks[b].part], r.rowsOf(blocks[b]), of)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for b := 0; b < len(blocks); {
		first := b
		for b++; b < len(blocks) && blocks[b].part == blocks[first].part && blocks[b].stratum == blocks[first].stratum; b++ {
			for q := range of {
				moments[first][q].merge(moments[b][q])
			}
		}
		for q := range of {
			out[blocks[first].part][q].addStratum(moments[first][q])
		}
	}
	err = r.in.Parallel(ctx, "", len(parts), func(p int) error {
		for q := range out[p] {
			if of[q].Measure.derive == nil {
				out[p][q] = parts[p].rankError(of[q])
			}
		}
		return nil
	})
	return out, err
}

// rankError returns the error of a measure that depends on ranks.
func (p *errorPart) rankError(of quantity) estimateError {
	if f := of.Measure.interval.rankError; f != nil {
		return f(p.r.in, p.of, of, p.r.Confidence)
	}
	return estimateError{variance: math.NaN()}
}

// momentsOf returns the moments of the influences of rows on the quantities of a part.
func (r *intervalMaker) momentsOf(p *errorPart, rows []int32, of []quantity) []influenceMoments {
	c := r.columns
	forms := make([][]columnTerm, len(of))
	for q, of := range of {
		forms[q] = c.derivativeOf(of, p.sum)
	}
	out, row := make([]influenceMoments, len(of)), make([]float64, c.width)
	for _, i := range rows {
		c.fill(row, i)
		for q, form := range forms {
			d := 0.0
			for _, t := range form {
				d += float64(t.by * row[t.column])
			}
			out[q].add(d)
		}
	}
	return out
}

// derivativeOf returns the derivative of a quantity at the sums, nil if it is not smooth.
func (c *influenceColumns) derivativeOf(of quantity, sums []float64) []columnTerm {
	if of.Measure.derive == nil {
		return nil
	}
	d := derivative{c: c, sums: sums, model: of.Model, by: 1}
	of.Measure.derive(&d)
	if of.Base >= 0 {
		d.model, d.by = of.Base, -1
		of.Measure.derive(&d)
	}
	return d.form
}

// influenceMoments holds sums of powers of influences.
type influenceMoments struct{ n, s1, s2, s3, s4 float64 }

func (m *influenceMoments) add(d float64) {
	q := float64(d * d)
	m.n++
	m.s1 += d
	m.s2 += q
	m.s3 += float64(q * d)
	m.s4 += float64(q * q)
}

func (m *influenceMoments) merge(o influenceMoments) {
	m.n, m.s1, m.s2, m.s3, m.s4 = m.n+o.n, m.s1+o.s1, m.s2+o.s2, m.s3+o.s3, m.s4+o.s4
}

// An estimateError describes the error of an estimate by the moments of the influences of the rows. The moments
// of several strata are added, each about its own mean.
type estimateError struct {
	n        int
	variance float64 // of the estimate
	second   float64 // Σ d², d the influences about their mean
	third    float64 // Σ d³
	spread   float64 // variance of second
}

// addStratum adds the influences of the rows of a stratum.
func (l *estimateError) addStratum(m influenceMoments) {
	l.n += int(m.n)
	if m.n == 1 { // about the mean over all strata, 0
		l.second, l.third, l.variance, l.spread = l.second+m.s2, l.third+m.s3, l.variance+m.s2, l.spread+m.s4
		return
	}
	mean := m.s1 / m.n
	s2 := max(0, m.s2-m.n*mean*mean)
	s3 := m.s3 - 3*mean*m.s2 + 2*m.n*mean*mean*mean
	s4 := m.s4 - 4*mean*m.s3 + 6*mean*mean*m.s2 - 3*m.n*mean*mean*mean*mean
	l.second += s2
	l.third += s3
	l.variance += s2 * m.n / (m.n - 1)
	l.spread += max(0, s4-s2*s2/m.n)
}

// AddScaled adds the error of an independent estimate multiplied by f.
func (l *estimateError) AddScaled(o estimateError, f float64) {
	l.n += o.n
	l.variance += f * f * o.variance
	l.second += f * f * o.second
	l.third += f * f * f * o.third
	l.spread += f * f * f * f * o.spread
}

// SE returns the standard error; ok is false if it is not known.
func (l *estimateError) SE() (se float64, ok bool) {
	return math.Sqrt(l.variance), !isNotFinite(l.variance)
}
