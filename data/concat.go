package data

import (
	"context"
	"fmt"
	"slices"

	"github.com/drotrain/drotrain/data/internal/table"
)

// concat appends frames with the same column names and kinds, in any order of columns. A column that is all
// null in one file takes the kind it has in the others.
func concat(ctx context.Context, frames []*Frame) (*Frame, error) {
	if len(frames) == 1 {
		return frames[0], nil
	}
	first := frames[0]
	out := &Frame{}
	for _, f := range frames {
		out.Rows += f.Rows
		if f.inMemory {
			if err := f.Fingerprint(); err != nil {
				return nil, err
			}
		}
		out.Sources = append(out.Sources, f.Sources...)
		out.inputs = append(out.inputs, f.inputs...)
		out.Remarks = append(out.Remarks, f.Remarks...)
		out.how = f.how
		for _, note := range f.Notes {
			out.Notes = append(out.Notes, f.Name()+": "+note)
		}
		for _, c := range first.Columns {
			if !f.Has(c.Name) {
				return nil, &Error{Path: f.Name(), Msg: fmt.Sprintf("there is no column %q, which %s has", c.Name, first.Name()),
					Hint: "files that are read together need the same columns"}
			}
		}
		for _, c := range f.Columns {
			if !first.Has(c.Name) {
				return nil, &Error{Path: f.Name(), Column: c.Name, Msg: fmt.Sprintf("%s has no column of this name", first.Name()),
					Hint: "files that are read together need the same columns"}
			}
		}
		if len(f.Columns) != len(first.Columns) {
			return nil, &Error{Path: f.Name(), Msg: fmt.Sprintf("%d columns, but %s has %d", len(f.Columns), first.Name(), len(first.Columns))}
		}
	}
	for _, c := range first.Columns {
		parts := make([]*Column, len(frames))
		for i, f := range frames {
			p, err := f.Lookup(c.Name)
			if err != nil {
				return nil, err
			}
			parts[i] = p
		}
		joined, err := joinColumns(ctx, parts, frames)
		if err != nil {
			return nil, err
		}
		out.Columns = append(out.Columns, joined)
	}
	for _, c := range first.dates {
		var parts []*Column
		for _, f := range frames {
			if i := slices.IndexFunc(f.dates, func(d *Column) bool { return d.Name == c.Name }); i >= 0 {
				parts = append(parts, f.dates[i])
			}
		}
		if len(parts) < len(frames) {
			continue
		}
		joined, err := joinColumns(ctx, parts, frames)
		if err != nil {
			return nil, err
		}
		out.dates = append(out.dates, joined)
	}
	return out, nil
}

// joinColumns appends the parts of a column, one from each frame. If a part is still in its file, and all parts
// have one type, the result stays in the files.
func joinColumns(ctx context.Context, parts []*Column, frames []*Frame) (*Column, error) {
	if slices.ContainsFunc(parts, func(p *Column) bool { return p.Type != parts[0].Type }) { // integers as bits and other numbers
		for i, p := range parts {
			var err error
			if parts[i], err = p.loadInts(ctx); err != nil {
				return nil, err
			}
		}
	}
	stored := slices.ContainsFunc(parts, (*Column).isStored)
	for _, p := range parts {
		l := parts[0]
		stored = stored && p.Kind != Other && p.Kind == l.Kind && p.Type == l.Type && p.Integer == l.Integer && p.UnexpectedRow == 0
	}
	if stored {
		return joinStored(parts[0], parts, frames), nil
	}
	parts, err := loadAll(ctx, parts)
	if err != nil {
		return nil, err
	}
	lead, err := decideKind(parts, frames)
	if err != nil {
		return nil, err
	}
	l := *parts[lead]
	if l.Kind == Other {
		return &Column{Name: l.Name, Type: l.Type, Clock: l.Clock, Of: l.Of}, nil
	}
	first := 0
	l.UnexpectedRow, l.Unexpected = 0, ""
	for i, p := range parts {
		n := frames[i].Rows
		if p.Kind != l.Kind { // it has no values
			parts[i] = emptyColumn(l.Kind, n)
		} else if n > 0 && !p.isAllNull() {
			l.Integer = l.Integer && p.Integer
		}
		if p.UnexpectedRow > 0 && l.UnexpectedRow == 0 {
			l.UnexpectedRow, l.Unexpected = first+p.UnexpectedRow, p.Unexpected
		}
		first += n
	}
	out := joinStored(&l, parts, frames)
	out.UnexpectedRow, out.Unexpected = l.UnexpectedRow, l.Unexpected
	return out.Load(ctx)
}

// joinStored returns a column with the values of parts, which stay in their files, and the type of l.
func joinStored(l *Column, parts []*Column, frames []*Frame) *Column {
	var all []table.Part
	for i, p := range parts {
		if p.isStored() {
			all = append(all, p.Parts...)
		} else {
			all = append(all, table.InMemory(frames[i].Rows, p.inner()))
		}
	}
	out := (*Column)(table.NewStored(l.Name, l.Type, l.Kind, l.Integer, all))
	out.Clock, out.Of, out.Vector = l.Clock, l.Of, l.Vector
	return out
}

// emptyColumn returns a column of n nulls.
func emptyColumn(kind Kind, n int) *Column {
	c := &Column{Kind: kind, Null: make([]bool, n), Number: make([]float64, n), Code: make([]int32, n)}
	for i := range n {
		c.Null[i], c.Code[i] = true, -1
	}
	return c
}

// decideKind returns the index of the first part that has values, or 0 if none has.
func decideKind(parts []*Column, frames []*Frame) (int, error) {
	lead := -1
	for i, p := range parts {
		if frames[i].Rows == 0 && p.Kind != Other || p.isAllNull() {
			continue
		}
		if lead < 0 {
			lead = i
			continue
		}
		if l := parts[lead]; p.Kind != l.Kind {
			return 0, &Error{Path: frames[i].Name(), Column: p.Name, Msg: fmt.Sprintf("%s (%s) here, but %s (%s) in %s", p.Kind, p.Type, l.Kind, l.Type, frames[lead].Name()),
				Hint: "files that are read together need one schema"}
		}
	}
	return max(0, lead), nil
}
