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

// A piece is what a rank tells of the rows that it has encoded for the first one.
type piece struct {
	Plain   bool // dense, and nothing is to be told of them but the nulls that were filled
	Imputed []Filled
	Labels  [][]string // of the groupings
}

// EncodeDealt is Encode on rank 0, of rows that all ranks name, in an order that is that of the
// table, with a target: a collective call. Every rank reads and encodes the rows of a stretch of
// the table and gives them to rank 0; others have nil. Rows of which there is more to be told,
// that cannot be encoded or have groups that are not everywhere, and those of sparse matrices,
// rank 0 reads alone.
func (e *Encoder) EncodeDealt(ctx context.Context, f *Frame, rows []int, c ranks.Comm) (*Dataset, EncodeReport, error) {
	alone := func() (*Dataset, EncodeReport, error) {
		if c.Rank() > 0 {
			return nil, EncodeReport{}, nil
		}
		return e.Encode(ctx, f, rows)
	}
	if c.Size() == 1 || len(rows) < c.Size() || !slices.IsSorted(rows) || AutoStorage.Choose(e.entries(), e.D()) == Sparse {
		return alone()
	}
	own, report, x := e.encodePiece(ctx, f, rows, c)
	is := piece{Plain: x != nil, Imputed: report.Imputed}
	if own != nil {
		for _, g := range own.Groups {
			is.Labels = append(is.Labels, g.Labels)
		}
	}
	all, err := told(c, is)
	if err != nil {
		return nil, report, err
	}
	report = EncodeReport{Rows: len(rows)}
	for _, p := range all {
		if !p.Plain || !slices.EqualFunc(p.Labels, all[0].Labels, slices.Equal) {
			return alone()
		}
		report.Add(EncodeReport{Imputed: p.Imputed})
	}
	slices.SortStableFunc(report.Imputed, func(a, b Filled) int { return e.place(a.Column) - e.place(b.Column) })
	return e.gather(own, x, rows, c), report, nil
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

// encodePiece encodes the rows of a rank; its matrix is nil where rank 0 is to read all.
func (e *Encoder) encodePiece(ctx context.Context, f *Frame, rows []int, c ranks.Comm) (*Dataset, EncodeReport, *design.Dense) {
	lo, hi := shard.Bounds(len(rows), c.Size(), c.Rank())
	first, end := rows[lo], rows[hi-1]+1
	own := slices.Clone(rows[lo:hi])
	for k := range own {
		own[k] -= first
	}
	ds, report, err := e.Encode(ctx, f.Slice(first, end), own)
	if err != nil || ds.Target == nil || report.Dropped > 0 || len(report.Unseen) > 0 || len(report.MissingGroups) > 0 {
		return nil, report, nil
	}
	x, _ := ds.X.(*design.Dense)
	return ds, report, x
}

// gather gives the rows of all ranks to rank 0, some of each rank at a time.
func (e *Encoder) gather(own *Dataset, x *design.Dense, rows []int, c ranks.Comm) *Dataset {
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
	step := max(1, travelling/(width*size))
	ends := make([]int, size)
	for from := 0; from < (n+size-1)/size; from += step {
		// of every rank the rows [from, from+step) of its own
		span := func(r int) (lo, hi int) {
			first, end := shard.Bounds(n, size, r)
			return min(first+from, end), min(first+from+step, end)
		}
		total := 0
		for r := range ends {
			lo, hi := span(r)
			total += (hi - lo) * width
			ends[r] = total
		}
		v := make([]float64, total)
		lo, hi := span(c.Rank())
		first, _ := shard.Bounds(n, size, c.Rank())
		at := ends[c.Rank()] - (hi-lo)*width
		for i := lo - first; i < hi-first; i++ {
			row := v[at : at+width]
			x.RowTo(row[:d], i)
			row[d] = own.Target[i]
			for k, g := range own.Groups {
				row[d+1+k] = float64(g.Index[i])
			}
			at += width
		}
		c.Gather(v, ends)
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
