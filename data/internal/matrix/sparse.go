package matrix

import (
	"context"
	"fmt"

	"github.com/drotrain/drotrain/data/frame"
	"github.com/drotrain/drotrain/data/internal/tiles"
	"github.com/drotrain/drotrain/data/table"
)

// A sparseFill builds the sparse matrices of a Builder from rows whose coding is known.
type sparseFill struct {
	*Builder
	layout     Layout
	partition  *tiles.Partition
	first, end int // rows of the table that are visited
	numbers    []*Number
	sources    []Source
	count      bool // nulls are noted
}

// fill visits the numbers twice: how many entries each row has, then the entries. Numbers that
// are standardised are entries all, without a look at them.
func (b *sparseFill) fill(ctx context.Context, f *frame.Frame) error {
	for s := range b.partition.Sets {
		b.n[s] = b.partition.Set(s).Len()
		b.start[s] = make([]int, b.n[s]+1)
	}
	counted := b.numbers
	if !b.layout.Raw {
		counted = nil
	}
	if err := b.visit(ctx, counted, false, func(t *tiles.Tile, columns [][]float64, s int, i int32, place int) {
		b.start[s][place+1] = b.entries(t, columns, i)
	}); err != nil {
		return err
	}
	for s := range b.partition.Sets {
		if err := b.makeRoom(s); err != nil {
			return table.InFile(f.Name(), err)
		}
	}
	if err := b.visit(ctx, b.numbers, b.count, b.put); err != nil {
		return err
	}
	for s := range b.partition.Sets {
		b.again(s, func(from, to int) {
			lo, hi := b.start[s][from], b.start[s][from+1]
			copy(b.column[s][b.start[s][to]:], b.column[s][lo:hi])
			copy(b.value[s][b.start[s][to]:], b.value[s][lo:hi])
		})
	}
	return nil
}

// visit gives use every row of a set that is named there: row i of a tile, whose coded numbers
// are columns, and its place in set s.
func (b *sparseFill) visit(ctx context.Context, numbers []*Number, count bool, use func(t *tiles.Tile, columns [][]float64, s int, i int32, place int)) error {
	d := b.partition
	_, err := tiles.Visit(ctx, b.first, b.end, d.Rows, ColumnsOf(numbers), true, func(t *tiles.Tile) error {
		d.Split(t)
		columns := make([][]float64, len(numbers))
		for j, x := range numbers {
			if count {
				x.count(d, t, j)
			}
			columns[j] = x.code(d, t, j)
		}
		for s := range d.Sets {
			for k, i := range t.RowsOf[s] {
				use(t, columns, s, i, t.PlaceOf[s][k])
			}
		}
		return nil
	})
	return err
}

// again gives use the places of rows that are named more than once: that of the entries, and one
// that has the same.
func (b *sparseFill) again(s int, use func(from, to int)) {
	for row, places := range b.partition.Again[s] {
		from := b.partition.PlaceOf(s, int(row))
		for _, to := range places {
			use(from, to)
		}
	}
}

// entries is how many a row has.
func (b *sparseFill) entries(t *tiles.Tile, columns [][]float64, i int32) (n int) {
	if b.layout.Intercept >= 0 {
		n++
	}
	if !b.layout.Raw {
		n += len(b.numbers)
	}
	for _, c := range columns {
		if c[i] != 0 {
			n++
		}
	}
	for _, o := range b.sources {
		if k := o.Category; k != nil && k.at(t.First+int(i)) >= 2 {
			n++
		}
	}
	return n
}

// makeRoom turns how many entries rows have into where they start.
func (b *sparseFill) makeRoom(s int) error {
	b.again(s, func(from, to int) { b.start[s][to+1] = b.start[s][from+1] })
	total := 0
	for i, n := range b.start[s] {
		total += n
		b.start[s][i] = total
	}
	if err := table.Afford(12*int64(total), fmt.Sprintf("for a sparse matrix of %d entries", total)); err != nil {
		return err
	}
	b.column[s], b.value[s] = make([]int32, total), make([]float64, total)
	return nil
}

// put stores the entries of a row.
func (b *sparseFill) put(t *tiles.Tile, columns [][]float64, s int, i int32, place int) {
	at := b.start[s][place]
	entry := func(column int, v float64) {
		b.column[s][at], b.value[s][at] = int32(column), v
		at++
	}
	j := 0
	for _, o := range b.sources {
		if x := o.Number; x != nil {
			if v := columns[j][i]; v != 0 || !b.layout.Raw {
				entry(x.In.First, v)
			}
			j++
		} else if c := o.Category.at(t.First + int(i)); c >= 2 {
			entry(o.Category.First+c-2, 1)
		}
	}
	if b.layout.Intercept >= 0 {
		entry(b.layout.Intercept, 1)
	}
}
