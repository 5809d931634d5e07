package encode

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/table"
)

// Contract returns the reading options for other tables, given the reading of the training table. If the reading
// lacks the kind of a column, as in models of earlier versions, Contract derives it from the encoder.
func (e *Encoder) Contract(r data.Reading) data.Reading {
	forms := slices.Clone(r.Columns)
	at := map[string]int{}
	for i, c := range forms {
		at[c.Name] = i
	}
	add := func(name string, kind data.Kind, levels []string, missing bool) {
		i, known := at[name]
		if !known {
			i = len(forms)
			at[name] = i
			forms = append(forms, data.ColumnForm{Name: name, Kind: kind, Clock: slices.Contains(e.Dates, name)})
		}
		f := &forms[i]
		for _, l := range levels {
			f.Blanks = f.Blanks || strings.TrimSpace(l) != l
		}
		switch empty := slices.Contains(levels, ""); {
		case empty && missing:
			f.Empty = table.EmptyUnknown
		case empty:
			f.Empty = table.EmptyText
		}
	}
	for _, in := range e.Inputs {
		kind := in.Kind
		switch {
		case in.Of != nil || in.Vector != "" || in.isVector():
			continue
		case kind == data.Categorical:
			kind = in.Stored // if the model does not record it, the kind is inferred
		}
		add(in.Name, kind, in.Levels, in.Missing)
	}
	for _, g := range e.Groups {
		if len(g.Sources) == 1 {
			add(g.Name, g.Kind, g.Labels, slices.Contains(g.Labels, MissingLabel))
		}
	}
	add(e.Target.Name, e.Target.Kind, e.Target.values(), false)
	for i := range forms {
		if forms[i].Clock && !e.usesDate(forms[i].Name) {
			forms[i].Type = "" // a different time zone is harmless
		}
	}
	r.Columns = forms
	return r
}

// usesDate reports whether a column of dates, or a part of one, is an input.
func (e *Encoder) usesDate(name string) bool {
	return e.Uses(name) || slices.ContainsFunc(data.DateParts(),
		func(part string) bool { return e.Uses(name + "." + part) })
}

// A refusal describes a value that matches no level but would match one if it were written as in training.
type refusal struct{ msg, hint string }

// levelCheck returns a function for values of c that are not levels in training. The function explains why a value is
// rejected; it returns nil for a value that is simply an unseen level. trained is the kind of the column in training,
// or Other if the model does not record it.
func levelCheck(c *data.Column, trained data.Kind, levels []string) func(text string) *refusal {
	digits := map[string]string{} // levels that consist of digits, indexed by the number that they represent
	example := ""
	for _, l := range levels {
		if number, is := trimZeros(l); is {
			digits[number] = l
		}
		example = cmp.Or(example, l)
	}
	kind := c.Kind
	if c.IsOfNumbers() {
		kind = data.Numeric
	}
	return func(text string) *refusal {
		if number, is := trimZeros(text); is && digits[number] != "" {
			l := digits[number]
			what := "leading zeros were lost or added"
			if strings.Contains(text, ".") != strings.Contains(l, ".") {
				what = "the value was stored as a number"
			}
			return &refusal{fmt.Sprintf("the value is %q, but the training table had %q: %s", text, l, what),
				"store such codes as text, as in the training table"}
		}
		kind := cmp.Or(c.Foreign[text], kind)
		switch {
		case trained == data.Categorical && kind == data.Numeric:
			return &refusal{fmt.Sprintf("the value is the number %s, but the training table had text such as %q", text, example),
				"store the column as text, as in the training table"}
		case trained == data.Categorical && kind == data.Bool:
			return &refusal{fmt.Sprintf("the value is the bool %s, but the training table had text such as %q", text, example),
				"store the column as text, as in the training table"}
		case trained == data.Numeric && kind == data.Categorical:
			return &refusal{fmt.Sprintf("the value is the text %q, but the training table had numbers such as %s", text,
				example),
				"write the value as a number, as in the training table"}
		case trained == data.Bool:
			return &refusal{fmt.Sprintf("the value is %s, but the training table had true and false", strconv.Quote(text)),
				"write true and false, or 1 and 0"}
		}
		return nil
	}
}

// trimZeros returns the whole number written as a code of digits. The code may have leading zeros, or a decimal
// point followed by zeros, which programs that treat codes as numbers append. is is false for other texts.
func trimZeros(s string) (number string, is bool) {
	whole, fraction, _ := strings.Cut(s, ".")
	if whole == "" || strings.Trim(whole, "0123456789") != "" || strings.Trim(fraction, "0") != "" {
		return "", false
	}
	return cmp.Or(strings.TrimLeft(whole, "0"), "0"), true
}
