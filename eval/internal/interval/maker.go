package interval

import (
	"context"
	"math"
)

// A Plan states how intervals are computed.
type Plan struct {
	Resamples  int     // number of random draws for statistics that are not smooth
	Confidence float64 // confidence of every interval
	Seed       uint64
}

// A Maker computes the intervals of the strata of one division of the rows.
type Maker struct {
	Plan
	Division
	in      *Rows
	columns *Columns
	sums    [][]float64 // sums of the columns, by stratum
}

// A Division is a division of the rows into strata.
type Division struct {
	Salt   uint64 // salt of the random draws, which must differ between divisions
	Strata []Stratum
	All    *Stratum // the union of all strata
}

// NewMaker computes the sums of the columns over the strata of a division.
func NewMaker(ctx context.Context, in *Rows, p Plan, by Division, columns *Columns) (*Maker, error) {
	strata, width := by.Strata, columns.Width()
	r := &Maker{in: in, Plan: p, Division: by, columns: columns, sums: make([][]float64, len(strata))}
	var blocks []rowBlock
	for s := range strata {
		r.sums[s] = make([]float64, width)
		blocks = appendRowBlocks(blocks, s, s, len(strata[s].Rows))
	}
	sums := make([][]float64, len(blocks))
	err := in.Parallel(ctx, "summing losses", len(blocks), func(b int) error {
		row, sum := make([]float64, width), make([]float64, width)
		for _, i := range r.rowsOf(blocks[b]) {
			r.columns.Fill(row, i)
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

// A rowBlock is a range of rows of a stratum that one worker sums for a part. The size of a block, and therefore
// the sums, do not depend on the number of workers.
type rowBlock struct{ part, stratum, lo, hi int }

// appendRowBlocks appends the blocks of a stratum with n rows.
func appendRowBlocks(to []rowBlock, part, stratum, n int) []rowBlock {
	const rows = 1 << 16
	for lo := 0; lo < n; lo += rows {
		to = append(to, rowBlock{part, stratum, lo, min(n, lo+rows)})
	}
	return to
}

func (r *Maker) rowsOf(b rowBlock) []int32 { return r.Strata[b.stratum].Rows[b.lo:b.hi] }

// A Part is a set of rows on which errors are estimated: either one stratum or all strata.
type Part struct {
	r        *Maker
	from, to int // strata
	sum      []float64
	of       *Stratum // rows of the part
}

// Stratum returns stratum s.
func (r *Maker) Stratum(s int) *Part {
	return &Part{r, s, s + 1, r.sums[s], &r.Strata[s]}
}

// All returns the part that contains all strata.
func (r *Maker) All() *Part {
	p := &Part{r, 0, len(r.Strata), make([]float64, r.columns.Width()), r.Division.All}
	for _, sum := range r.sums {
		for j, x := range sum {
			p.sum[j] += x
		}
	}
	return p
}

// Rows returns the rows of the part.
func (p *Part) Rows() *Stratum { return p.of }

// Total returns the sum of a shared column over the part.
func (p *Part) Total(column int) float64 { return p.sum[p.r.columns.sharedIndex(column)] }

// A Quantity is a statistic of a model or, if Base ≥ 0, the change of the statistic from model Base.
type Quantity struct {
	Model, Base int
	// Derive adds the derivative of the statistic with respect to the sums of the columns. It is nil unless the
	// statistic is a smooth function of these sums.
	Derive func(d *Derivative)
	// Ranks returns the error of a statistic that depends on ranks. It is nil if Derive is set or the error is
	// unknown.
	Ranks func(in *Rows, of *Stratum, model, base int, confidence float64) Uncertainty
}

// Errors returns the errors of the quantities, indexed by part and quantity. The slice of a nil part is nil. The
// variance of an error is NaN if it is unknown, as for a calibration error.
func (r *Maker) Errors(ctx context.Context, phase string, parts []*Part, of []Quantity) ([][]Uncertainty, error) {
	var blocks []rowBlock
	out := make([][]Uncertainty, len(parts))
	for p, part := range parts {
		if part == nil {
			continue
		}
		out[p] = make([]Uncertainty, len(of))
		for s := part.from; s < part.to; s++ {
			blocks = appendRowBlocks(blocks, p, s, len(r.Strata[s].Rows))
		}
	}
	type rankTask struct{ part, quantity int }
	var ranked []rankTask
	for p := range parts {
		for q := range out[p] {
			if of[q].Derive == nil {
				ranked = append(ranked, rankTask{p, q})
			}
		}
	}
	moments := make([][]Moments, len(blocks))
	ranks := make([]Uncertainty, len(ranked))
	err := r.in.Parallel(ctx, phase, len(ranked)+len(blocks), func(k int) error {
		if k < len(ranked) {
			ranks[k] = parts[ranked[k].part].rankError(of[ranked[k].quantity])
			return nil
		}
		b := k - len(ranked)
		moments[b] = r.influenceMoments(parts[blocks[b].part], r.rowsOf(blocks[b]), of)
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
	for k, t := range ranked {
		out[t.part][t.quantity] = ranks[k]
	}
	return out, nil
}

// rankError returns the error of a statistic that depends on ranks; its variance is NaN if it is not known.
func (p *Part) rankError(of Quantity) Uncertainty {
	if of.Ranks != nil {
		return of.Ranks(p.r.in, p.of, of.Model, of.Base, p.r.Confidence)
	}
	return Uncertainty{variance: math.NaN()}
}

// influenceMoments returns the moments of the influences of rows on the quantities of a part.
func (r *Maker) influenceMoments(p *Part, rows []int32, of []Quantity) []Moments {
	c := r.columns
	influence := make([]Influence, len(of))
	for q, of := range of {
		influence[q] = c.Influence(of, p.sum)
	}
	const most = 64 // rows that are processed together; their columns stay in the cache
	out, row, influences := make([]Moments, len(of)), make([]float64, c.Width()), make([]float64, most)
	columns := make([]float64, most*len(row)) // one column after another
	for len(rows) > 0 {
		n := min(most, len(rows))
		for k, i := range rows[:n] {
			c.Fill(row, i)
			for j, x := range row {
				columns[j*most+k] = x
			}
		}
		for q, f := range influence {
			f.StoreIn(influences[:n], columns, most)
			out[q].add(influences[:n]...)
		}
		rows = rows[n:]
	}
	return out
}
