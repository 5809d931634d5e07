package matrix

import (
	"fmt"

	"github.com/drotrain/drotrain/data/internal/table"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/memory"
)

// A sparse is a sink that builds sparse matrices: it counts the entries of each row before it stores them.
type sparse struct {
	*plan
	start  [2][]int // see design.NewSparse
	column [2][]int32
	value  [2][]float64
}

// prepare computes where rows start. Standardised numbers are always entries, so they need not be read for it.
func (b *sparse) prepare(pass func([]*Number, tileUse) error) error {
	for s := range b.start {
		b.start[s] = memory.Make[int](b.arena, b.rows.Set(s).Len()+1)
	}
	counted := b.numbers
	if !b.Zeros {
		counted = nil
	}
	err := pass(counted, func(t *Tile, columns [][]float64) error {
		for s := range b.start {
			for k, i := range t.RowsOf[s] {
				place, n := t.PlaceOf[s][k], 0
				b.eachEntry(columns, i, b.rows.Sets[s][place], func(int, int) { n++ })
				b.start[s][place+1] = n
			}
		}
		b.arena.Yield()
		return nil
	})
	if err != nil {
		return err
	}
	entries := 0
	for _, start := range b.start {
		total := 0
		for i, n := range start {
			total += n
			start[i] = total
		}
		entries += total
	}
	if b.onDisk {
		return nil
	}
	return table.Afford(12*int64(entries), fmt.Sprintf("for a sparse matrix of %d entries", entries))
}

// eachEntry calls entry with the columns of the entries of a row, and with which of the numbers each is, −1 for
// an entry of 1. The numbers of the row have index i in columns.
func (b *sparse) eachEntry(columns [][]float64, i int32, row int, entry func(column, number int)) {
	j := 0
	for _, o := range b.sources {
		if x := o.Number; x != nil {
			if !b.Zeros || columns[j][i] != 0 {
				entry(x.First, j)
			}
			j++
		} else if c := o.Category.code(row); c >= 2 {
			entry(o.Category.First+c-2, -1)
		}
	}
	if b.Intercept >= 0 {
		entry(b.Intercept, -1)
	}
}

func (b *sparse) allocate(s int) {
	entries := b.start[s][len(b.start[s])-1]
	b.column[s], b.value[s] = memory.Make[int32](b.arena, entries), memory.Make[float64](b.arena, entries)
}

func (b *sparse) put(t *Tile, columns [][]float64) error {
	for s := range b.start {
		for k, i := range t.RowsOf[s] {
			place := t.PlaceOf[s][k]
			at := b.start[s][place]
			b.eachEntry(columns, i, b.rows.Sets[s][place], func(column, number int) {
				v := 1.0
				if number >= 0 {
					v = columns[number][i]
				}
				b.column[s][at], b.value[s][at] = int32(column), v
				at++
			})
		}
	}
	return nil
}

func (b *sparse) release(s int) {
	memory.Release(b.arena, b.start[s])
	memory.Release(b.arena, b.column[s])
	memory.Release(b.arena, b.value[s])
}

// finish implements sink.
func (b *sparse) finish(s, lo, hi int) {}

func (b *sparse) matrix(s int) (design.Matrix, error) {
	return design.NewSparse(b.rows.Set(s).Len(), b.Width, b.start[s], b.column[s], b.value[s])
}
