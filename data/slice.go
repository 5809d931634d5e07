package data

import (
	"context"
	"slices"

	"github.com/drotrain/drotrain/data/internal/table"
)

// Slice returns the rows [lo, hi) of a table, without reading them. Errors name rows as the
// table does. It needs the table to stay open.
func (f *Frame) Slice(lo, hi int) *Frame {
	out := &Frame{Rows: hi - lo, Sources: f.Sources, Notes: f.Notes, Remarks: f.Remarks, inputs: f.inputs, how: f.how, joined: f.joined, first: f.first + lo, sideBySide: f.sideBySide}
	for _, c := range f.Columns {
		if c.Kind == table.Other {
			out.Columns = append(out.Columns, c)
			continue
		}
		out.Columns = append(out.Columns, c.Slice(lo, hi))
	}
	for _, c := range f.dates {
		out.dates = append(out.dates, c.Slice(lo, hi))
	}
	return out
}

// An Exacted is columns of a table as its files have them, see [Frame.Exact], of which rows
// can be had without the others where the files are Parquet.
type Exacted struct{ columns []*Column }

// Exacted prepares the copying of columns block by block.
func (f *Frame) Exacted(ctx context.Context, names []string) (*Exacted, error) {
	whole := len(f.inputs) == 0 || f.sideBySide
	for _, in := range f.inputs {
		whole = whole || !in.format.byPart
	}
	if whole {
		columns, err := f.Exact(ctx, names)
		return &Exacted{columns}, err
	}
	e := &Exacted{}
	var again []string
	for _, name := range names {
		if c, err := f.Lookup(name); err != nil || c.Vector == "" {
			again = append(again, name)
		}
	}
	all, err := f.openAgain(ctx, func(in *input) (*table.Table, error) { return in.exact(ctx, again, f.how) })
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		from := f
		if slices.Contains(again, name) {
			from = all
		}
		c, err := from.Lookup(name)
		if err != nil {
			return nil, err
		}
		e.columns = append(e.columns, c)
	}
	return e, nil
}

// Rows returns the rows [lo, hi) of the columns, with their values.
func (e *Exacted) Rows(ctx context.Context, lo, hi int) ([]*Column, error) {
	out := make([]*Column, len(e.columns))
	for i, c := range e.columns {
		nullable := c.Nullable()
		loaded, err := c.Slice(lo, hi).LoadInts(ctx)
		if err != nil {
			return nil, err
		}
		if nullable && loaded.Null == nil { // as the rows of other blocks
			same := *loaded
			same.Null = make([]bool, hi-lo)
			loaded = &same
		}
		out[i] = loaded
	}
	return out, nil
}
