package matrix

import (
	"context"
	"fmt"

	"github.com/drotrain/drotrain/data/frame"
	"github.com/drotrain/drotrain/data/internal/tiles"
	"github.com/drotrain/drotrain/data/table"
)

// fillSparse builds sparse matrices of rows whose coding is known, in two visits
// of the numbers: how many entries each row has, then the entries. Numbers that
// are standardised are entries all, without a look at them. With
// count nulls are noted.
func (b *Builder) fillSparse(ctx context.Context, f *frame.Frame, l Layout, d *tiles.Partition, first, end int, numbers []*Number, sources []Source, count bool) error {
	fixed := 0 // entries of every row
	if l.Intercept >= 0 {
		fixed++
	}
	zeros := l.Raw
	if !zeros {
		fixed += len(numbers)
	}
	for s := range d.Sets {
		b.n[s] = d.Set(s).Len()
		b.start[s] = make([]int, b.n[s]+1)
	}
	each := func(numbers []*Number, last bool, use func(t *tiles.Tile, columns [][]float64, s int, i int32, place int)) error {
		_, err := tiles.Visit(ctx, first, end, d.Rows, ColumnsOf(numbers), true, func(t *tiles.Tile) error {
			d.Split(t)
			columns := make([][]float64, len(numbers))
			for j, x := range numbers {
				if count && last {
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
	entries := func(t *tiles.Tile, columns [][]float64, i int32) int {
		n := fixed
		if zeros {
			for _, c := range columns {
				if c[i] != 0 {
					n++
				}
			}
		}
		for _, o := range sources {
			if k := o.Category; k != nil && k.at(t.First+int(i)) >= 2 {
				n++
			}
		}
		return n
	}
	counted := numbers
	if !zeros {
		counted = nil
	}
	if err := each(counted, false, func(t *tiles.Tile, columns [][]float64, s int, i int32, place int) {
		b.start[s][place+1] = entries(t, columns, i)
	}); err != nil {
		return err
	}
	for s := range d.Sets {
		for row, places := range d.Again[s] {
			from := d.PlaceOf(s, int(row))
			for _, to := range places {
				b.start[s][to+1] = b.start[s][from+1]
			}
		}
		total := 0
		for i, n := range b.start[s] {
			total += n
			b.start[s][i] = total
		}
		if err := table.Afford(12*int64(total), fmt.Sprintf("for a sparse matrix of %d entries", total)); err != nil {
			return table.InFile(f.Name(), err)
		}
		b.column[s], b.value[s] = make([]int32, total), make([]float64, total)
	}
	intercept := l.Intercept
	if err := each(numbers, true, func(t *tiles.Tile, columns [][]float64, s int, i int32, place int) {
		at := b.start[s][place]
		put := func(column int, v float64) {
			b.column[s][at], b.value[s][at] = int32(column), v
			at++
		}
		j := 0
		for _, o := range sources {
			if x := o.Number; x != nil {
				if v := columns[j][i]; v != 0 || !zeros {
					put(x.In.First, v)
				}
				j++
			} else {
				k := o.Category
				if c := k.at(t.First + int(i)); c >= 2 {
					put(k.First+c-2, 1)
				}
			}
		}
		if intercept >= 0 {
			put(intercept, 1)
		}
	}); err != nil {
		return err
	}
	for s := range d.Sets {
		for row, places := range d.Again[s] {
			from := d.PlaceOf(s, int(row))
			lo, hi := b.start[s][from], b.start[s][from+1]
			for _, to := range places {
				copy(b.column[s][b.start[s][to]:], b.column[s][lo:hi])
				copy(b.value[s][b.start[s][to]:], b.value[s][lo:hi])
			}
		}
	}
	return nil
}
