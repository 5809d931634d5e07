package data

import (
	"context"
	"slices"

	"github.com/drotrain/drotrain/data/internal/table"
)

// Exact returns columns as the files have them, for copying: 64-bit integers digit
// for digit (in Int), texts of CSV character for character. A column of CSV comes
// as numbers or bools only if every one is written as this package writes it; else
// it is text. The files are read again; the frame must not be closed.
func (f *Frame) Exact(ctx context.Context, names []string) ([]*Column, error) {
	out := make([]*Column, len(names))
	for i, name := range names {
		c, err := f.Lookup(name)
		if err != nil {
			return nil, err
		}
		load := c.Load
		if f.sideBySide {
			load = c.LoadInts
		}
		if out[i], err = load(ctx); err != nil {
			return nil, err
		}
	}
	var again []string // columns whose files may have more digits
	for i, c := range out {
		if c.Vector == "" {
			again = append(again, names[i])
		}
	}
	if f.sideBySide || len(f.inputs) == 0 || len(again) == 0 {
		return out, nil
	}
	all, err := f.openAgain(ctx, func(in *input) (*table.Table, error) { return in.exact(ctx, again, f.how) })
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		if !slices.Contains(again, name) {
			continue
		}
		c, err := all.Lookup(name)
		if err != nil {
			return nil, err
		}
		if c, err = c.LoadInts(ctx); err != nil {
			return nil, err
		}
		if !writtenAlike(out[i], c) {
			out[i] = c
		}
	}
	return out, f.checkUnchanged()
}

// openAgain returns the table of the files, each opened in another way.
func (f *Frame) openAgain(ctx context.Context, open func(in *input) (*table.Table, error)) (*Frame, error) {
	frames := make([]*Frame, len(f.inputs))
	for i, in := range f.inputs {
		t, err := open(in)
		if err != nil {
			return nil, table.InFile(in.name, err)
		}
		frames[i] = &Frame{Rows: t.Rows, Columns: t.Columns, Sources: f.Sources[i : i+1]}
	}
	return concat(ctx, frames)
}

// exact reads columns of a file as it has them.
func (in *input) exact(ctx context.Context, names []string, how Reading) (t *table.Table, err error) {
	err = table.Catch(func() (err error) {
		t, err = in.format.readExact(ctx, in, names, how)
		return err
	})
	return t, err
}

// writtenAlike reports whether the values of a column, written, are the texts of another.
func writtenAlike(c, text *Column) bool {
	if text.Kind != Categorical || c.Kind == Categorical || c.Kind == Other || c.Len() != text.Len() {
		return false
	}
	for i := range text.Code {
		if c.Text(i) != text.Text(i) {
			return false
		}
	}
	return true
}
