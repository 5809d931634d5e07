package data

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
)

// concatFrames appends frames with the same column names and kinds, in any order of columns. A column that is all
// null in one file takes the kind it has in the others.
func concatFrames(ctx context.Context, frames []*Frame) (*Frame, error) {
	if len(frames) == 1 {
		return frames[0], nil
	}
	filled := slices.DeleteFunc(slices.Clone(frames), func(f *Frame) bool { return f.Rows == 0 })
	if len(filled) == 0 {
		filled = frames[:1]
	}
	first := filled[0]
	out := &Frame{exact: &exactColumns{}}
	for i, f := range frames {
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
		out.unusedMissing = intersect(f.unusedMissing, out.unusedMissing, i == 0)
		out.unusedRelabel = intersect(f.unusedRelabel, out.unusedRelabel, i == 0)
		for _, note := range f.Notes {
			out.Notes = append(out.Notes, f.Name()+": "+note)
		}
		for _, pair := range [][2]*Frame{{f, first}, {first, f}} {
			for _, c := range pair[1].Columns {
				if !pair[0].Has(c.Name) && pair[0].emptyPart(c.Name) == nil &&
					(pair[1].Rows > 0 || pair[0].PartsOf(c.Name) == nil) {
					return nil, &Error{Path: pair[0].Name(), Msg: fmt.Sprintf("the file lacks the column %q, which %s has", c.Name,
						pair[1].Name()),
						Hint: "all files of a table need the same columns"}
				}
			}
		}
	}
	// join appends the column that find returns for each frame with rows, if every such frame has one.
	join := func(to []*Column, find func(f *Frame) (*Column, error)) ([]*Column, error) {
		parts := make([]*Column, len(filled))
		for i, f := range filled {
			var err error
			if parts[i], err = find(f); parts[i] == nil {
				return to, err
			}
		}
		joined, err := joinColumns(ctx, parts, filled)
		return append(to, joined), err
	}
	var err error
	for _, c := range first.Columns {
		if out.Columns, err = join(out.Columns, func(f *Frame) (*Column, error) { return f.Lookup(c.Name) }); err != nil {
			return nil, err
		}
	}
	for _, c := range first.dates {
		if out.dates, err = join(out.dates, func(f *Frame) (*Column, error) {
			return f.ReplacedDate(c.Name), nil
		}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// intersect returns the texts of a that are in b, or all of them if a is the first list.
func intersect(a, b []string, first bool) (both []string) {
	for _, text := range a {
		if first || slices.Contains(b, text) {
			both = append(both, text)
		}
	}
	return both
}

// joinColumns appends the parts of a column, one part from each frame. If some part is still in its file and all
// parts have the same type, the result stays in the files.
func joinColumns(ctx context.Context, parts []*Column, frames []*Frame) (*Column, error) {
	isExact := func(p *Column) bool {
		_, ok := p.ExactType()
		return ok || p.HoldsBits()
	}
	if slices.ContainsFunc(parts, func(p *Column) bool { return p.Type != parts[0].Type }) &&
		slices.ContainsFunc(parts, isExact) {
		for i, p := range parts { // exact values of different types are joined as texts
			loaded, err := p.LoadInts(ctx)
			if err != nil {
				return nil, err
			}
			parts[i] = loaded
		}
		if slices.ContainsFunc(parts, isExact) { // some part does not hold floats
			for i, p := range parts {
				parts[i] = p.AsTexts()
			}
		}
	}
	if !slices.ContainsFunc(parts, func(p *Column) bool { return p.Kind != Vector }) {
		vectors := make([]*table.Sparse, len(parts))
		for i, p := range parts {
			vectors[i] = p.Sparse
		}
		return intake.NewSparse(parts[0].Name, table.JoinSparse(vectors)), nil
	}
	stored := slices.ContainsFunc(parts, (*Column).IsStored)
	for _, p := range parts {
		l := parts[0]
		stored = stored && p.Kind != Other && p.Kind == l.Kind && p.Type == l.Type && p.Integer == l.Integer &&
			p.UnexpectedRow == 0
	}
	if stored {
		return joinStored(parts[0], parts, frames), nil
	}
	parts, err := table.Load(ctx, parts)
	if err != nil {
		return nil, err
	}
	hasValues := func(p *Column) bool { return (p.Len() > 0 || p.Kind == Other) && !p.IsAllNull() }
	lead := max(0, slices.IndexFunc(parts, hasValues)) // all parts with values are of the same kind
	l := *parts[lead]
	l.UnexpectedRow, l.Unexpected = 0, ""
	first := 0
	for i, p := range parts {
		switch {
		case hasValues(p) && p.Kind != l.Kind:
			return nil, &Error{Path: frames[i].Name(), Column: p.Name,
				Msg: fmt.Sprintf("the type is %s (%s) here, but %s (%s) in %s", p.Kind, p.Type, l.Kind, l.Type,
					frames[lead].Name()),
				Hint: "all files of a table need the same schema"}
		case hasValues(p) && p.Clock != l.Clock:
			return nil, &Error{Path: frames[i].Name(), Column: p.Name,
				Msg: fmt.Sprintf("the column holds %s here, but %s in %s", datesOrNumbers(p), datesOrNumbers(&l),
					frames[lead].Name()),
				Hint: "all files of a table need the same schema"}
		case hasValues(p):
			if l.Kind == Numeric && strings.HasPrefix(p.Type, "float") && len(p.Type) == len("float64") && p.Type < l.Type {
				l.Type = p.Type // the narrowest type, so that 0.1 is one level
			}
			l.Integer = l.Integer && p.Integer
		case p.Kind != l.Kind:
			parts[i] = emptyColumn(l.Kind, frames[i].Rows)
		}
		if p.UnexpectedRow > 0 && l.UnexpectedRow == 0 {
			l.UnexpectedRow, l.Unexpected = first+p.UnexpectedRow, p.Unexpected
		}
		first += frames[i].Rows
	}
	if l.Kind == Other {
		return &Column{Name: l.Name, Type: l.Type, Clock: l.Clock, Of: l.Of}, nil
	}
	out := joinStored(&l, parts, frames)
	out.UnexpectedRow, out.Unexpected = l.UnexpectedRow, l.Unexpected
	return out.Load(ctx)
}

// datesOrNumbers returns "dates" for a column of numbers that stand for dates, and "numbers" for others.
func datesOrNumbers(c *Column) string {
	if c.Clock {
		return "dates"
	}
	return "numbers"
}

// joinStored returns a column of the type of l whose values are those of the parts, which stay in their files or in
// memory.
func joinStored(l *Column, parts []*Column, frames []*Frame) *Column {
	var all []table.Part
	for i, p := range parts {
		if p.IsStored() {
			all = append(all, p.Parts...)
		} else {
			all = append(all, intake.InMemory(frames[i].Rows, p))
		}
	}
	out := table.NewStored(l.Name, l.Type, l.Kind, l.Integer, all)
	out.Clock, out.Index, out.Of, out.Vector = l.Clock, l.Index, l.Of, l.Vector
	out.FromText = !slices.ContainsFunc(parts, func(p *Column) bool { return !p.FromText && !p.IsAllNull() })
	out.Order, out.Zone = l.Order, l.Zone
	for _, p := range parts {
		out.Marks = intake.JoinMarks(out.Marks, p.Marks)
		out.Unquoted = out.Unquoted || p.Unquoted
		if p.Foreign != nil && out.Foreign == nil {
			out.Foreign = map[string]Kind{}
		}
		maps.Copy(out.Foreign, p.Foreign)
	}
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
