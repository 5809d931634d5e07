package encode

import (
	"context"
	"fmt"
	"slices"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/table"
)

// EncodeValidBlocks works like EncodeBlocks for all rows, without a target, but omits rows that cannot be encoded
// and states the reasons in Block.Invalid: a null that is not filled, a value that is not finite or not usable, or
// a text among the numbers or dates of a CSV or JSON Lines column. Problems of whole columns are still errors: a
// column that is absent, or one without any number or date although training had some.
func (e *Encoder) EncodeValidBlocks(
	ctx context.Context, f *data.Frame, size int, do func(Block) error,
) (report Report, err error) {
	g, texts, err := e.readValid(ctx, f)
	if err != nil {
		return report, err
	}
	return e.encodeBlocks(ctx, g, nil, size, do, func(features *Encoder, b *Block, _ []int) (own Report, err error) {
		b.Invalid = map[int]string{}
		for r := b.First; r < b.Last; r++ {
			if why, bad := texts[r]; bad {
				b.Invalid[r-b.First] = why
			}
		}
		if err := features.findNulls(ctx, b); err != nil {
			return own, err
		}
		valid := []int{}
		for r := range b.Frame.Rows {
			if _, bad := b.Invalid[r]; !bad {
				valid = append(valid, r)
			}
		}
		b.Rows, own, err = features.encode(ctx, b.Frame, valid, false)
		if err != nil {
			if err := features.findInvalid(ctx, b, valid, err); err != nil {
				return own, err
			}
			valid = slices.DeleteFunc(valid, func(r int) bool { _, bad := b.Invalid[r]; return bad })
			b.Rows, own, err = features.encode(ctx, b.Frame, valid, false)
		}
		own.Invalid = len(b.Invalid)
		return own, err
	})
}

// numericColumns returns the names of the columns that inputs use as numbers, except dates.
func (e *Encoder) numericColumns() (names []string) {
	add := func(name string, kind data.Kind) {
		if kind == data.Numeric && !slices.Contains(names, name) && !slices.Contains(e.Dates, name) {
			names = append(names, name)
		}
	}
	for _, in := range e.Inputs {
		for _, o := range in.Of {
			add(o.Column, o.Kind)
		}
		if in.Of == nil {
			add(in.Name, in.Kind)
		}
	}
	return names
}

// readValid returns f with numeric columns in place of columns of text that held numbers or dates in training, and,
// for each row with a text that cannot be read, the reason. A column without any readable value is an error.
func (e *Encoder) readValid(ctx context.Context, f *data.Frame) (g *data.Frame, why map[int]string, err error) {
	g, why = f, map[int]string{}
	read := func(name, what string, parse func(c *data.Column) (*data.Column, map[int]string)) error {
		c, err := f.Lookup(name)
		if err != nil || c.Kind != data.Categorical {
			return nil // the encoding reports the problem
		}
		if c, err = c.Load(ctx); err != nil || c.IsAllNull() {
			return err
		}
		first := 0
		for c.IsNull(first) {
			first++
		}
		if !c.FromText {
			return f.Fault(name, fix.Advise("store the column as in the training table"),
				"the column is text (%s), but in the training table it held %ss: the first value is %q", c.Type, what,
				c.Text(first))
		}
		values, invalid := parse(c)
		if values == nil {
			return f.Fault(name, fix.Advise("check that this is the same column as in the training table"),
				"the column has no %s, but in the training table it held %ss: the first value is %q", what, what, c.Text(first))
		}
		for r, text := range invalid {
			if why[r] == "" {
				why[r] = fmt.Sprintf("column %q: the value is %q, but the model needs a %s", name, text, what)
			}
		}
		g, err = g.WithColumn(values)
		return err
	}
	var problems data.Problems
	for _, name := range e.numericColumns() {
		if err := problems.Add(read(name, "number", f.ParseNumbers)); err != nil {
			return nil, nil, err
		}
	}
	for _, form := range f.Reading().Columns {
		if !form.Clock || form.Kind != data.Numeric || !e.usesDate(form.Name) {
			continue
		}
		parse := func(c *data.Column) (*data.Column, map[int]string) { return f.ParseDates(c, form) }
		if err := problems.Add(read(form.Name, "date", parse)); err != nil {
			return nil, nil, err
		}
	}
	return g, why, problems.Err()
}

// findNulls adds the rows of a block that have nulls that are not filled to its invalid rows.
func (e *Encoder) findNulls(ctx context.Context, b *Block) error {
	if e.Spec.Impute == "mean" || e.Spec.Impute == "median" {
		return nil
	}
	for _, name := range append(e.numericColumns(), e.Dates...) {
		c, err := b.Frame.Lookup(name)
		if err != nil || !c.Kind.IsScalar() {
			continue // the encoding reports the problem
		}
		if c, err = c.Load(ctx); err != nil {
			return err
		}
		if c.Kind == data.Categorical && !c.IsAllNull() {
			continue
		}
		for r := range c.Len() {
			if c.IsNull(r) && b.Invalid[r] == "" {
				b.Invalid[r] = fmt.Sprintf("column %q: the value is null", name)
			}
		}
	}
	return nil
}

// findInvalid encodes the given rows one by one, after encoding all of them failed with the error cause, and adds
// the rows that cannot be encoded to the invalid rows of the block. It returns an error that is not due to a row.
func (e *Encoder) findInvalid(ctx context.Context, b *Block, rows []int, cause error) error {
	var all data.Problems
	if err := all.Add(cause); err != nil || len(rows) == 0 {
		return cause
	}
	for _, p := range all {
		if p.Row == 0 || p.Class != nil {
			return cause
		}
	}
	if len(rows) == 1 {
		b.Invalid[rows[0]] = describeRow(all[0])
		return nil
	}
	for _, half := range [][]int{rows[:len(rows)/2], rows[len(rows)/2:]} {
		lo, hi := half[0], half[len(half)-1]+1
		local := make([]int, len(half))
		for i, r := range half {
			local[i] = r - lo
		}
		if _, _, err := e.encode(ctx, b.Frame.Slice(lo, hi), local, false); err != nil {
			if err := e.findInvalid(ctx, b, half, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// describeRow returns the text of an error about a row, without the file, the row and the advice.
func describeRow(e *data.Error) string {
	return (&table.Error{Column: e.Column, Msg: e.Msg, Err: e.Err}).Error()
}
