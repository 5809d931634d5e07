package data

import (
	"context"
	"fmt"

	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
)

// ExactColumns holds columns to be copied exactly as their files have them. Int holds 64-bit integers, decimals,
// dates, times and durations; decimals of more than 18 digits are texts; text of CSV files is kept character by
// character. A CSV column is returned as numbers or bools only if writing it yields the same text, and as text
// otherwise.
type ExactColumns struct {
	rows    int
	columns []*Column
}

// Exact returns the named columns exactly as stored in the files. It reads the files again, so the frame must
// not be closed.
func (f *Frame) Exact(ctx context.Context, names []string) (*ExactColumns, error) {
	out := make([]*Column, len(names))
	var problems Problems
	var again []string // columns that may have more digits or characters in the files
	for i, name := range names {
		c := f.ReplacedDate(name)
		if c == nil || f.Has(name) {
			var err error
			if c, err = f.Lookup(name); err != nil {
				return nil, err
			}
		}
		if !c.Kind.IsScalar() && !c.Clock {
			problems = append(problems, f.unreadColumnError(c))
		}
		if out[i] = c; c.Vector == "" && !f.sideBySide && len(f.inputs) > 0 {
			again = append(again, name)
		}
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	if again != nil {
		all, err := f.reopen(ctx, func(in *input) (*intake.Table, error) { return in.readExact(ctx, again, f.how) })
		if err != nil {
			return nil, err
		}
		for i, c := range out {
			if c.Vector != "" {
				continue
			}
			if out[i], err = all.Lookup(names[i]); err != nil {
				return nil, err
			}
			if _, ok := out[i].ExactType(); ok || out[i].IsStored() || out[i].HoldsBits() {
				continue
			}
			if c, err = c.Load(ctx); err != nil {
				return nil, err
			}
			if areWrittenAlike(c, out[i]) {
				out[i] = c
			}
		}
	}
	for i, c := range out {
		if !c.Kind.IsScalar() {
			problems = append(problems, f.unreadColumnError(c))
		}
		out[i] = c.Exact()
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return &ExactColumns{f.Rows, out}, nil
}

// unreadColumnError returns an error for a column whose type cannot be read.
func (f *Frame) unreadColumnError(c *Column) *Error {
	return f.Fault(c.Name, fix.Advise("join the column to the predictions by row number: their column \"row\" counts "+
		"the rows from 1"),
		"values of type %s cannot be copied", c.Type)
}

// checkRange returns an error if the rows [lo, hi) are not among n rows.
func checkRange(lo, hi, n int) error {
	if lo < 0 || hi < lo || n < hi {
		return fmt.Errorf("the rows from %d up to, but not including, %d are not within 0 to %d", lo, hi, n)
	}
	return nil
}

// Rows returns the rows [lo, hi) of the columns.
func (e *ExactColumns) Rows(ctx context.Context, lo, hi int) ([]*Column, error) {
	if err := checkRange(lo, hi, e.rows); err != nil {
		return nil, err
	}
	out := make([]*Column, len(e.columns))
	for i, c := range e.columns {
		nullable := c.Nullable()
		loaded, err := c.Slice(lo, hi).LoadInts(ctx)
		if err != nil {
			return nil, err
		}
		if nullable && loaded.Null == nil { // as in the rows of other blocks
			same := *loaded
			same.Null = make([]bool, hi-lo)
			loaded = &same
		}
		out[i] = loaded
	}
	return out, nil
}

// reopen returns a table of the same files, each read by open.
func (f *Frame) reopen(ctx context.Context, open func(in *input) (*intake.Table, error)) (*Frame, error) {
	frames := make([]*Frame, len(f.inputs))
	for i, in := range f.inputs {
		t, err := open(in)
		if err != nil {
			return nil, intake.InFile(in.name, err)
		}
		frames[i] = &Frame{Rows: t.Rows, Columns: t.Columns, Sources: f.Sources[i : i+1]}
	}
	return concatFrames(ctx, frames)
}

// readExact reads the named columns exactly as stored in the file.
func (in *input) readExact(ctx context.Context, names []string, how Reading) (t *intake.Table, err error) {
	err = table.Catch(func() (err error) {
		t, err = in.format.read(ctx, in, names, how, true)
		return err
	})
	return t, err
}

// areWrittenAlike reports whether writing the values of c yields the texts in text.
func areWrittenAlike(c, text *Column) bool {
	if text.Kind != Categorical || c.Kind == Categorical || !c.Kind.IsScalar() || c.Len() != text.Len() {
		return false
	}
	for i := range text.Code {
		if c.Text(i) != text.Text(i) {
			return false
		}
	}
	return true
}
