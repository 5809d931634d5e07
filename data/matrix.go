package data

import (
	"context"

	"github.com/drotrain/drotrain/data/internal/tiles"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/ranks"
)

// A builder fills the design matrices of the sets of a partition. Its methods are
// safe for concurrent use on different tiles.
type builder struct {
	storage Storage
	piles   *piles      // where the rows of set 0 are on disk
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

// newBuilder makes room for dense matrices of d columns.
func newBuilder(storage Storage, d int, partition *tiles.Partition) *builder {
	b := &builder{storage: storage, d: d}
	for s := range partition.Sets {
		b.n[s] = partition.Set(s).Len()
		switch storage {
		case Float32:
			b.narrow[s] = make([]float32, b.n[s]*d)
		case Float64:
			b.wide[s] = make([]float64, b.n[s]*d)
		}
	}
	return b
}

// scatterRows is how many rows of a tile are written at a time: few enough that
// they stay in the cache from one group of columns to the next.
const scatterRows = 256

// put writes columns of a tile, whose rows are split, to the columns at of the
// matrices.
func (b *builder) put(t *tiles.Tile, columns [][]float64, at []int) {
	for s := range b.n {
		if b.storage == Float32 {
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

// A source is what one input of an encoder gives to the matrices.
type source struct {
	number   *numeric // one of them
	category *category
}

// finish completes dense matrices whose numbers are in: standardises them, if
// they are as in the table, sets the columns of categories and the intercept,
// and repeats rows that are named more than once. The columns that were left out
// after all are taken out.
func (b *builder) finish(ctx context.Context, e *Encoder, d *tiles.Partition, sources []source, raw bool) error {
	if raw && len(e.Columns) != b.d {
		b.compact(sources, len(e.Columns))
	}
	const block = 1024 // rows that stay in the cache
	for s := range d.Sets {
		blocks := (b.n[s] + block - 1) / block
		err := table.Parallel(ctx, blocks, func(i int) error {
			lo, hi := i*block, min((i+1)*block, b.n[s])
			if b.storage == Float32 {
				finishRows(b.narrow[s], b.d, d, s, lo, hi, e, sources)
				return nil
			}
			if raw {
				b.standardise(d, s, lo, hi, sources)
			}
			finishRows(b.wide[s], b.d, d, s, lo, hi, e, sources)
			return nil
		})
		if err != nil {
			return err
		}
		for row, places := range d.Again[s] {
			from := d.PlaceOf(s, int(row))
			for _, to := range places {
				if b.storage == Float32 {
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
func (b *builder) standardise(d *tiles.Partition, s, lo, hi int, sources []source) {
	x := b.wide[s]
	for _, o := range sources {
		q := o.number
		if q == nil || q.coding.Shift == 0 && q.coding.Scale == 1 && q.faults[s].nulls == 0 && q.faults[s].bad < 0 {
			continue
		}
		fill, shift, scale := q.in.Fill, q.coding.Shift, q.coding.Scale
		at := lo*b.d + q.in.First
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
func (b *builder) compact(sources []source, d int) {
	for s, x := range b.wide {
		for i := range b.n[s] {
			for _, o := range sources { // ascending: nothing is overwritten that is still needed
				if q := o.number; q != nil {
					x[i*d+q.in.First] = x[i*b.d+q.at]
				}
			}
		}
		b.wide[s] = x[:b.n[s]*d]
	}
	b.d = d
}

// finishRows sets indicators and the intercept.
func finishRows[T float32 | float64](x []T, width int, d *tiles.Partition, s, lo, hi int, e *Encoder, sources []source) {
	intercept := e.Intercept()
	for _, o := range sources {
		k := o.category
		if k == nil {
			continue
		}
		first, last := k.in.First, k.in.First+k.width()
		for i := lo; i < hi; i++ {
			row := x[i*width : (i+1)*width]
			clear(row[first:last])
			if c := k.codes.at(d.Sets[s][i]); c >= 2 {
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

func (k *category) width() int { return k.in.Width() }

// matrix makes the matrix of a set.
func (b *builder) matrix(s int) (design.Matrix, error) {
	if b.piles != nil {
		return b.piles.matrix, nil
	}
	z, err := b.here(s)
	if err != nil || b.rows == nil {
		return z, err
	}
	return design.NewDealt(b.rows, b.total, z)
}

// here is the matrix of the rows of a set that are here.
func (b *builder) here(s int) (design.Matrix, error) {
	switch b.storage {
	case Float32:
		return design.NewDense32(b.n[s], b.d, b.narrow[s])
	case Sparse:
		return design.NewSparse(b.n[s], b.d, b.start[s], b.column[s], b.value[s])
	}
	return design.NewDense(b.n[s], b.d, b.wide[s])
}
