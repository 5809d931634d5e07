package data

import (
	"context"
)

// Slice returns the rows [lo, hi) of a table, without reading them. Errors name rows as the
// table does. It needs the table to stay open.
func (f *Frame) Slice(lo, hi int) *Frame {
	out := &Frame{Rows: hi - lo, Sources: f.Sources, Notes: f.Notes, Remarks: f.Remarks, inputs: f.inputs, how: f.how, joined: f.joined, first: f.first + lo, sideBySide: f.sideBySide}
	for _, c := range f.Columns {
		if c.Kind == Other {
			out.Columns = append(out.Columns, c)
			continue
		}
		out.Columns = append(out.Columns, c.slice(lo, hi))
	}
	for _, c := range f.dates {
		out.dates = append(out.dates, c.slice(lo, hi))
	}
	return out
}

// An Exacted is columns of a table as its files have them, see [Frame.Exact], of which rows
// can be had without the others where the files are Parquet.
type Exacted struct{ columns []*Column }

// Exacted prepares the copying of columns block by block.
func (f *Frame) Exacted(ctx context.Context, names []string) (*Exacted, error) {
	columns, err := f.exactColumns(ctx, names)
	return &Exacted{columns}, err
}

// Rows returns the rows [lo, hi) of the columns, with their values.
func (e *Exacted) Rows(ctx context.Context, lo, hi int) ([]*Column, error) {
	out := make([]*Column, len(e.columns))
	for i, c := range e.columns {
		nullable := c.inner().Nullable()
		loaded, err := c.slice(lo, hi).loadInts(ctx)
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
