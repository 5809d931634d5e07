package matrix

import (
	"context"

	"github.com/drotrain/drotrain/data/internal/tiles"
	"github.com/drotrain/drotrain/data/schema"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/ranks"
)

// A Builder fills the design matrices of the sets of a partition. Its methods are
// safe for concurrent use on different tiles.
type Builder struct {
	Storage schema.Storage
	piles   *Piles      // where the rows are on disk
	rows    *ranks.Rows // how those of set 0 lie with ranks; nil: all are here
	total   int         // of them, on all ranks
	d       int
	n       [2]int
	wide    [2][]float64 // float64, row after row
	narrow  [2][]float32 // float32, likewise
	start   [2][]int     // sparse: see design.NewSparse
	column  [2][]int32
	value   [2][]float64
}

// NewBuilder makes room for dense matrices of d columns.
func NewBuilder(storage schema.Storage, d int, partition *tiles.Partition) *Builder {
	b := &Builder{Storage: storage, d: d}
	for s := range partition.Sets {
		b.n[s] = partition.Set(s).Len()
		switch storage {
		case schema.Float32:
			b.narrow[s] = make([]float32, b.n[s]*d)
		case schema.Float64:
			b.wide[s] = make([]float64, b.n[s]*d)
		}
	}
	return b
}

// Deal says that the rows of set 0 are dealt to ranks.
func (b *Builder) Deal(d *Deal) { b.rows, b.total = d.rows, d.total }

// scatterRows is how many rows of a tile are written at a time: few enough that
// they stay in the cache from one group of columns to the next.
const scatterRows = 256

// Put writes columns of a tile, whose rows are split, to the columns at of the
// matrices.
func (b *Builder) Put(t *tiles.Tile, columns [][]float64, at []int) {
	for s := range b.n {
		if b.Storage == schema.Float32 {
			scatter(b.narrow[s], b.d, t.RowsOf[s], t.PlaceOf[s], columns, at)
		} else {
			scatter(b.wide[s], b.d, t.RowsOf[s], t.PlaceOf[s], columns, at)
		}
	}
}

// scatter stores column j at row rows[k] in x[place[k]·d + at[j]].
func scatter[T float32 | float64](x []T, d int, rows []int32, place []int, columns [][]float64, at []int) {
	for len(rows) > 0 {
		n := min(scatterRows, len(rows))
		j := 0
		for ; j+4 <= len(columns); j += 4 {
			a, b, c, e := columns[j], columns[j+1], columns[j+2], columns[j+3]
			p, q, r, u := at[j], at[j+1], at[j+2], at[j+3]
			for k, i := range rows[:n] {
				row := x[place[k]*d : place[k]*d+d]
				row[p], row[q], row[r], row[u] = T(a[i]), T(b[i]), T(c[i]), T(e[i])
			}
		}
		for ; j < len(columns); j++ {
			a, p := columns[j], at[j]
			for k, i := range rows[:n] {
				x[place[k]*d+p] = T(a[i])
			}
		}
		rows, place = rows[n:], place[n:]
	}
}

// Finish completes dense matrices whose numbers are in: standardises them, if
// they are as in the table, sets the columns of categories and the intercept,
// and repeats rows that are named more than once. The columns that were left out
// after all are taken out.
func (b *Builder) Finish(ctx context.Context, l Layout, d *tiles.Partition, sources []Source, raw bool) error {
	if raw && l.Width != b.d {
		b.compact(sources, l.Width)
	}
	const block = 1024 // rows that stay in the cache
	for s := range d.Sets {
		blocks := (b.n[s] + block - 1) / block
		err := table.Parallel(ctx, blocks, func(i int) error {
			lo, hi := i*block, min((i+1)*block, b.n[s])
			if b.Storage == schema.Float32 {
				finishRows(b.narrow[s], b.d, d, s, lo, hi, l, sources)
				return nil
			}
			if raw {
				b.standardise(d, s, lo, hi, sources)
			}
			finishRows(b.wide[s], b.d, d, s, lo, hi, l, sources)
			return nil
		})
		if err != nil {
			return err
		}
		for row, places := range d.Again[s] {
			from := d.PlaceOf(s, int(row))
			for _, to := range places {
				if b.Storage == schema.Float32 {
					copy(b.narrow[s][to*b.d:(to+1)*b.d], b.narrow[s][from*b.d:])
				} else {
					copy(b.wide[s][to*b.d:(to+1)*b.d], b.wide[s][from*b.d:])
				}
			}
		}
	}
	return nil
}

// standardise encodes the numbers of rows in their places; NaN stands for null.
func (b *Builder) standardise(d *tiles.Partition, s, lo, hi int, sources []Source) {
	x := b.wide[s]
	for _, o := range sources {
		q := o.Number
		if q == nil || q.Coding.Shift == 0 && q.Coding.Scale == 1 && q.faults[s].nulls == 0 && q.faults[s].bad < 0 {
			continue
		}
		fill, shift, scale := q.In.Fill, q.Coding.Shift, q.Coding.Scale
		at := lo*b.d + q.In.First
		for i := lo; i < hi; i++ {
			v := x[at]
			if v != v {
				v = fill
			}
			z := (v - shift) / scale
			if z-z != 0 {
				q.far(s, d.Sets[s][i], v)
			}
			x[at] = z
			at += b.d
		}
	}
}

// compact takes out the columns of features that turned out constant.
func (b *Builder) compact(sources []Source, d int) {
	for s, x := range b.wide {
		for i := range b.n[s] {
			for _, o := range sources { // ascending: nothing is overwritten that is still needed
				if q := o.Number; q != nil {
					x[i*d+q.In.First] = x[i*b.d+q.At]
				}
			}
		}
		b.wide[s] = x[:b.n[s]*d]
	}
	b.d = d
}

// finishRows sets indicators and the intercept.
func finishRows[T float32 | float64](x []T, width int, d *tiles.Partition, s, lo, hi int, l Layout, sources []Source) {
	intercept := l.Intercept
	for _, o := range sources {
		k := o.Category
		if k == nil {
			continue
		}
		first, last := k.First, k.First+k.Width
		for i := lo; i < hi; i++ {
			row := x[i*width : (i+1)*width]
			clear(row[first:last])
			if c := k.at(d.Sets[s][i]); c >= 2 {
				row[first+c-2] = 1
			}
		}
	}
	if intercept >= 0 {
		for i := lo; i < hi; i++ {
			x[i*width+intercept] = 1
		}
	}
}

// Matrix makes the matrix of a set.
func (b *Builder) Matrix(s int) (design.Matrix, error) {
	if b.piles != nil {
		return b.piles.sets[s].matrix, nil
	}
	z, err := b.here(s)
	if err != nil || b.rows == nil || s > 0 {
		return z, err
	}
	return design.NewDealt(b.rows, b.total, z)
}

// here is the matrix of the rows of a set that are here.
func (b *Builder) here(s int) (design.Matrix, error) {
	switch b.Storage {
	case schema.Float32:
		return design.NewDense32(b.n[s], b.d, b.narrow[s])
	case schema.Sparse:
		return design.NewSparse(b.n[s], b.d, b.start[s], b.column[s], b.value[s])
	}
	return design.NewDense(b.n[s], b.d, b.wide[s])
}
