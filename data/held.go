package data

import (
	"context"
	"slices"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/internal/shard"
)

// travelling is how many numbers of rows are on their way to the first rank at a time.
const travelling = 1 << 20

// A piece is what a rank tells of the hold-out rows that it has encoded for the first one.
type piece struct {
	Plain   bool // dense, and nothing is to be told of them but the nulls that were filled
	Imputed []Filled
	Labels  [][]string // of the groupings
}

// GatherHoldout gives rank 0 hold-out rows that all ranks name, those of FitDealt: a collective
// call. They are then those of Encode there, and Holdout is nil elsewhere. Rows that were not read
// with the training rows every rank reads and encodes of a stretch of the table. Rows of which
// there is more to be told, that cannot be encoded or have groups that are not everywhere, and
// those of sparse matrices, rank 0 reads alone.
func (d *Fitted) GatherHoldout(ctx context.Context, f *Frame, rows []int, c ranks.Comm) error {
	e, ends, own, report := d.Encoder, d.held, d.Holdout, d.HoldoutReport
	d.Holdout, d.HoldoutReport, d.held = nil, EncodeReport{}, nil
	alone := func() (err error) {
		if c.Rank() == 0 {
			d.Holdout, d.HoldoutReport, err = e.Encode(ctx, f, rows)
		}
		return err
	}
	if ends == nil {
		if c.Size() == 1 || len(rows) < c.Size() || !slices.IsSorted(rows) || AutoStorage.Choose(e.entries(), e.D()) == Sparse {
			return alone()
		}
		own, report = e.encodePiece(ctx, f, rows, c)
		for r := range c.Size() {
			_, hi := shard.Bounds(len(rows), c.Size(), r)
			ends = append(ends, hi)
		}
	}
	is := piece{Imputed: report.Imputed}
	if own != nil && own.Target != nil && report.Dropped == 0 && len(report.Unseen) == 0 && len(report.MissingGroups) == 0 {
		_, is.Plain = own.X.(*design.Dense)
		for _, g := range own.Groups {
			is.Labels = append(is.Labels, g.Labels)
		}
	}
	all, err := told(c, is)
	if err != nil {
		return err
	}
	report = EncodeReport{Rows: len(rows)}
	for _, p := range all {
		if !p.Plain || !slices.EqualFunc(p.Labels, all[0].Labels, slices.Equal) {
			return alone()
		}
		report.Add(EncodeReport{Imputed: p.Imputed})
	}
	slices.SortStableFunc(report.Imputed, func(a, b Filled) int { return e.place(a.Column) - e.place(b.Column) })
	if d.Holdout = gather(own, rows, ends, c); d.Holdout != nil {
		d.HoldoutReport = report
	}
	return nil
}

// entries are those of an encoded row that are not zero, at most.
func (e *Encoder) entries() float64 {
	if e.Intercept() >= 0 {
		return float64(len(e.Inputs) + 1)
	}
	return float64(len(e.Inputs))
}

// place is that of an input by its name.
func (e *Encoder) place(name string) int {
	return slices.IndexFunc(e.Inputs, func(in Input) bool { return in.Name == name })
}

// encodePiece encodes the rows of a stretch; nil where they cannot be.
func (e *Encoder) encodePiece(ctx context.Context, f *Frame, rows []int, c ranks.Comm) (*Dataset, EncodeReport) {
	lo, hi := shard.Bounds(len(rows), c.Size(), c.Rank())
	first, end := rows[lo], rows[hi-1]+1
	own := slices.Clone(rows[lo:hi])
	for k := range own {
		own[k] -= first
	}
	ds, report, err := e.Encode(ctx, f.Slice(first, end), own)
	if err != nil {
		return nil, report
	}
	return ds, report
}

// gather gives the rows of all ranks, of which those of each end at ends, to rank 0, some of each
// rank at a time.
func gather(own *Dataset, rows, ends []int, c ranks.Comm) *Dataset {
	d, n, size := own.D, len(rows), c.Size()
	width := d + 1 + len(own.Groups)
	var all *Dataset
	var entries []float64
	if c.Rank() == 0 {
		copied := *own
		all = &copied
		all.N, all.Rows, all.Target, entries = n, slices.Clone(rows), make([]float64, n), make([]float64, n*d)
		all.Groups = slices.Clone(own.Groups)
		for k := range all.Groups {
			all.Groups[k].Index = make([]int32, n)
		}
	}
	first, longest := make([]int, size), 0
	for r := range first {
		if r > 0 {
			first[r] = ends[r-1]
		}
		longest = max(longest, ends[r]-first[r])
	}
	step := max(1, min(longest, travelling/(width*size)))
	travels, to := make([]float64, step*size*width), make([]int, size)
	for from := 0; from < longest; from += step {
		// of every rank the rows [from, from+step) of its own
		span := func(r int) (lo, hi int) {
			return min(first[r]+from, ends[r]), min(first[r]+from+step, ends[r])
		}
		total := 0
		for r := range to {
			lo, hi := span(r)
			total += (hi - lo) * width
			to[r] = total
		}
		v := travels[:total]
		lo, hi := span(c.Rank())
		at := to[c.Rank()] - (hi-lo)*width
		for i := lo - first[c.Rank()]; i < hi-first[c.Rank()]; i++ {
			row := v[at : at+width]
			own.X.RowTo(row[:d], i)
			row[d] = own.Target[i]
			for k, g := range own.Groups {
				row[d+1+k] = float64(g.Index[i])
			}
			at += width
		}
		c.Gather(v, to)
		if all == nil {
			continue
		}
		at = 0
		for r := range size {
			lo, hi := span(r)
			for i := lo; i < hi; i++ {
				row := v[at : at+width]
				copy(entries[i*d:], row[:d])
				all.Target[i] = row[d]
				for k := range all.Groups {
					all.Groups[k].Index[i] = int32(row[d+1+k])
				}
				at += width
			}
		}
	}
	if all == nil {
		return nil
	}
	m, err := design.NewDense(n, d, entries)
	if err != nil {
		panic(err) // each rank has made a matrix of its entries
	}
	all.X = m
	return all
}
