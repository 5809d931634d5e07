package matrix

import (
	"context"
	"fmt"

	"github.com/drotrain/drotrain/data/frame"
	"github.com/drotrain/drotrain/data/internal/tiles"
	"github.com/drotrain/drotrain/data/schema"
	"github.com/drotrain/drotrain/data/table"
)

// maxCells bounds a dense design matrix.
const maxCells = 1 << 38

// Check refuses dense matrices that are too large, or larger than memory.
func Check(f *frame.Frame, d *tiles.Partition, columns int, storage schema.Storage) error {
	cells := int64(0)
	for s := range d.Sets {
		n := d.Set(s).Len()
		if columns > 0 && n > maxCells/columns {
			return f.Fault("", table.Hint("use fewer columns or rows"), "a matrix of %d × %d numbers is too large", n, columns)
		}
		cells += int64(n) * int64(columns)
	}
	width := int64(8)
	if storage == schema.Float32 {
		width = 4
	}
	return table.InFile(f.Name(), table.Afford(cells*width, fmt.Sprintf("for a matrix of %d × %d", d.Set(0).Len()+d.Set(1).Len(), columns)))
}

// Fill makes matrices of rows whose coding is known: those of d, which a deal has here, if
// there is one. With count nulls are noted, else they are known already.
func Fill(ctx context.Context, f *frame.Frame, l Layout, d *tiles.Partition, deal *Deal, storage schema.Storage, numbers []*Number, sources []Source, count bool) (*Builder, error) {
	first, end := deal.Visits(d.Rows)
	entries := float64(len(sources))
	if l.Intercept >= 0 {
		entries++
	}
	storage = storage.Choose(entries, l.Width)
	if storage == schema.Sparse {
		b := NewBuilder(storage, l.Width, d)
		fill := sparseFill{Builder: b, layout: l, partition: d, first: first, end: end, numbers: numbers, sources: sources, count: count}
		return b, fill.fill(ctx, f)
	}
	if err := Check(f, d, l.Width, storage); err != nil {
		return nil, err
	}
	for _, x := range numbers {
		x.narrow = storage == schema.Float32
	}
	b := NewBuilder(storage, l.Width, d)
	_, err := tiles.Visit(ctx, first, end, d.Rows, ColumnsOf(numbers), false, func(t *tiles.Tile) error {
		d.Split(t)
		columns, at := make([][]float64, len(t.Number)), make([]int, len(t.Number))
		for j := range columns {
			x := numbers[t.Lo+j]
			if count {
				x.count(d, t, j)
			}
			columns[j], at[j] = x.code(d, t, j), x.In.First
		}
		b.Put(t, columns, at)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return b, b.Finish(ctx, l, d, sources, false)
}
