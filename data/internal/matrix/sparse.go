package matrix

import (
	"context"
	"fmt"

	"github.com/drotrain/drotrain/data/internal/table"
	"github.com/drotrain/drotrain/design"
)

// A sparse is a sink that builds sparse matrices: it counts the entries of each row before it stores them.
type sparse struct {
	plan
	table string

	start  [2][]int // see design.NewSparse
	column [2][]int32
	value  [2][]float64
}

// close implements sink.
func (b *sparse) close(bool) {}

// begin counts the entries of each row. Standardised numbers are always entries.
func (b *sparse) begin(pass func([]*Number, tileUse) error) error {
	for s := range b.start {
		b.start[s] = make([]int, b.rows.Set(s).Len()+1)
	}
	counted := b.numbers
	if !b.Zeros {
		counted = nil
	}
	err := pass(counted, func(t *Tile, columns [][]float64) error {
		for s := range b.start {
			for k, i := range t.RowsOf[s] {
				b.start[s][t.PlaceOf[s][k]+1] = b.entries(t, columns, i)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for s := range b.start {
		if err := b.allocate(s); err != nil {
			return table.InFile(b.table, err)
		}
	}
	return nil
}

// entries returns the number of entries of row i of a tile.
func (b *sparse) entries(t *Tile, columns [][]float64, i int32) (n int) {
	if b.Intercept >= 0 {
		n++
	}
	if !b.Zeros {
		n += len(b.numbers)
	}
	for _, c := range columns {
		if c[i] != 0 {
			n++
		}
	}
	for _, o := range b.sources {
		if k := o.Category; k != nil && k.code(t.First+int(i)) >= 2 {
			n++
		}
	}
	return n
}

// allocate computes where rows start from the numbers of their entries, and allocates the entries.
func (b *sparse) allocate(s int) error {
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

func (b *sparse) put(t *Tile, columns [][]float64) error {
	for s := range b.start {
		for k, i := range t.RowsOf[s] {
			b.putRow(t, columns, s, i, t.PlaceOf[s][k])
		}
	}
	return nil
}

// putRow stores the entries of row i of a tile.
func (b *sparse) putRow(t *Tile, columns [][]float64, s int, i int32, place int) {
	at := b.start[s][place]
	entry := func(column int, v float64) {
		b.column[s][at], b.value[s][at] = int32(column), v
		at++
	}
	j := 0
	for _, o := range b.sources {
		if x := o.Number; x != nil {
			if v := columns[j][i]; v != 0 || !b.Zeros {
				entry(x.First, v)
			}
			j++
		} else if c := o.Category.code(t.First + int(i)); c >= 2 {
			entry(o.Category.First+c-2, 1)
		}
	}
	if b.Intercept >= 0 {
		entry(b.Intercept, 1)
	}
}

func (b *sparse) finish(context.Context) error { return nil }

func (b *sparse) matrix(s int) (design.Matrix, error) {
	return design.NewSparse(b.rows.Set(s).Len(), b.Width, b.start[s], b.column[s], b.value[s])
}
