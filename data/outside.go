package data

import (
	"context"

	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/paged"
)

// encodeOutside is Encode, with the target, of rows that ascend: block by block to disk, with
// vectors of one entry a row where they leave memory.
func (e *Encoder) encodeOutside(ctx context.Context, f *Frame, rows []int, storage Storage, where Outside) (*Dataset, EncodeReport, error) {
	d := &Dataset{
		D: e.D(), Names: e.Names(), Intercept: e.Intercept(),
		Target: paged.Make[float64](where.Room, len(rows)), Rows: paged.Make[int](where.Room, len(rows)),
	}
	place := where.Place
	place.Memory = 0 // they are read once, in their order
	var w *design.DiskWriter
	var x []float64 // rows of a block of the file
	report, err := e.EncodeBlocks(ctx, f, rows, 0, true, func(b Block) (err error) {
		if w == nil {
			if w, err = design.NewDiskWriter(place, len(rows), d.D, matrix.DiskFormat(storage)); err != nil {
				return err
			}
			x = make([]float64, w.BlockRows()*d.D)
		}
		copy(d.Target[d.N:], b.Rows.Target)
		for i, r := range b.Rows.Rows {
			at := d.N % w.BlockRows()
			if at == 0 && d.N > 0 { // the block before is full
				if err := w.Write(d.N/w.BlockRows()-1, x); err != nil {
					return err
				}
			}
			b.Rows.X.RowTo(x[at*d.D:(at+1)*d.D], i)
			d.Rows[d.N] = b.First + r
			d.N++
		}
		return nil
	})
	if err == nil && d.N > 0 { // some may have been dropped
		w.Cut(d.N)
		err = w.Write((d.N-1)/w.BlockRows(), x)
	}
	if err != nil {
		if w != nil {
			w.Close()
		}
		return nil, report, err
	}
	d.Target, d.Rows = d.Target[:d.N], d.Rows[:d.N]
	if d.N > 0 {
		d.X = w.Matrix()
	} else {
		w.Close()
		if d.X, err = design.NewDense(0, d.D, nil); err != nil {
			return nil, report, err
		}
	}
	d.Groups, report.MissingGroups, err = e.groupings(ctx, f, d.Rows, where.Room)
	return d, report, err
}
