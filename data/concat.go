package data

import (
	"context"
	"fmt"
	"slices"

	"github.com/drotrain/drotrain/data/internal/table"
)

// concat joins frames of one schema: the same names with the same kinds of
// values; their order may differ. A column that is all null in one file takes
// the kind it has in the others.
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
		joined, err := join(ctx, parts, frames, out.Rows)
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
		joined, err := join(ctx, parts, frames, out.Rows)
		if err != nil {
			return nil, err
		}
		out.dates = append(out.dates, joined)
	}
	return out, nil
}

// join joins the parts of a column, one of every frame.
func join(ctx context.Context, parts []*Column, frames []*Frame, rows int) (*Column, error) {
	if joined := joinLazily(parts, frames); joined != nil {
		return joined, nil
	}
	// What is all null decides on the kind.
	name := parts[0].Name
	parts, err := table.Load(ctx, parts)
	if err != nil {
		return nil, err
	}
	return joinColumn(name, parts, frames, rows)
}

// joinLazily joins columns of one type without reading values, if one of them
// is still in its file; else it returns nil.
func joinLazily(parts []*Column, frames []*Frame) *Column {
	first, lazy := parts[0], false
	var all []table.Part
	for i, p := range parts {
		if p.Kind == Other || p.Kind != first.Kind || p.Type != first.Type || p.Integer != first.Integer || p.StrayRow > 0 {
			return nil
		}
		lazy = lazy || p.Stored()
		if p.Stored() {
			all = append(all, p.Parts()...)
		} else {
			all = append(all, table.InMemory(frames[i].Rows, p))
		}
	}
	if !lazy {
		return nil
	}
	out := table.Stored(first.Name, first.Type, first.Kind, first.Integer, all)
	out.Clock, out.Of, out.Vector = first.Clock, first.Of, first.Vector
	return out
}

// joinColumn joins the values of a column.
func joinColumn(name string, parts []*Column, frames []*Frame, rows int) (*Column, error) {
	lead, err := leading(name, parts, frames)
	if err != nil {
		return nil, err
	}
	l := parts[lead]
	out := &Column{Name: name, Type: l.Type, Kind: l.Kind, Integer: l.Integer, Clock: l.Clock, Of: l.Of}
	nulls, exact := false, true // a part has nulls; every part has its integers digit for digit
	for i, p := range parts {
		nulls = nulls || p.Null != nil
		exact = exact && (p.Int != nil || frames[i].Rows == 0)
	}
	if nulls {
		out.Null = make([]bool, 0, rows)
	}
	switch out.Kind {
	case Numeric, Bool:
		out.Number = make([]float64, 0, rows)
	case Categorical:
		out.Code = make([]int32, 0, rows)
	}
	if exact && out.Kind == Numeric {
		out.Int = make([]int64, 0, rows)
	}
	at, codes := 0, map[string]int32{}
	for i, p := range parts {
		if out.InexactRow == 0 && p.InexactRow > 0 {
			out.InexactRow = at + p.InexactRow
		}
		if out.StrayRow == 0 && p.StrayRow > 0 {
			out.StrayRow, out.Stray = at+p.StrayRow, p.Stray
		}
		n := frames[i].Rows
		at += n
		if p.Kind == out.Kind && !p.Integer && n > 0 && !p.AllNull() {
			out.Integer = false
		}
		appendPart(out, p, n, codes)
	}
	return out, nil
}

// leading returns the first part whose values settle the kind, or the first where none has any.
func leading(name string, parts []*Column, frames []*Frame) (int, error) {
	lead := -1
	for i, p := range parts {
		if frames[i].Rows == 0 && p.Kind != Other || p.AllNull() {
			continue
		}
		if lead < 0 {
			lead = i
			continue
		}
		if l := parts[lead]; p.Kind != l.Kind {
			return 0, &Error{Path: frames[i].Name(), Column: name, Msg: fmt.Sprintf("%s (%s) here, but %s (%s) in %s", p.Kind, p.Type, l.Kind, l.Type, frames[lead].Name()),
				Hint: "files that are read together need one schema"}
		}
	}
	return max(0, lead), nil
}

// appendPart appends the n values of a part; codes are those of the levels so far.
func appendPart(out, p *Column, n int, codes map[string]int32) {
	if out.Null != nil {
		if p.Null != nil {
			out.Null = append(out.Null, p.Null...)
		} else {
			out.Null = append(out.Null, make([]bool, n)...)
		}
	}
	switch {
	case out.Kind == Other:
	case p.Kind != out.Kind && out.Kind == Categorical: // empty or all null, as below
		for range n {
			out.Code = append(out.Code, -1)
		}
	case p.Kind != out.Kind:
		out.Number = append(out.Number, make([]float64, n)...)
	case out.Kind == Categorical:
		renamed := make([]int32, len(p.Level))
		for k, s := range p.Level {
			code, ok := codes[s]
			if !ok {
				code = int32(len(out.Level))
				codes[s] = code
				out.Level = append(out.Level, s)
			}
			renamed[k] = code
		}
		for _, c := range p.Code {
			if c >= 0 {
				c = renamed[c]
			}
			out.Code = append(out.Code, c)
		}
	default:
		out.Number = append(out.Number, p.Number...)
		if out.Int != nil {
			out.Int = append(out.Int, p.Int...)
		}
	}
}
