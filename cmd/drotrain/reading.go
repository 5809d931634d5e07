package main

import (
	"cmp"
	"maps"
	"slices"

	"github.com/drotrain/drotrain/data"
)

// mergeReading returns the reading options for a model. An option that is not given on the command line is the one
// with which the model was trained. Missing texts and new labels are combined from both.
func mergeReading(given, trained data.Reading) data.Reading {
	out, g := trained, given.Text
	t := &out.Text
	t.NoHeader = t.NoHeader || g.NoHeader
	t.Missing = slices.Concat(t.Missing, g.Missing)
	t.Delimiter, t.Decimal = cmp.Or(g.Delimiter, t.Delimiter), cmp.Or(g.Decimal, t.Decimal)
	t.Thousands, t.Strip = cmp.Or(g.Thousands, t.Thousands), cmp.Or(g.Strip, t.Strip)
	t.TrustMarks = g.Decimal != "" || g.Thousands != ""
	t.DateOrder = cmp.Or(g.DateOrder, t.DateOrder)
	out.Dates = cmp.Or(given.Dates, out.Dates)
	if len(given.Relabel) > 0 {
		out.Relabel = map[string]string{}
		maps.Copy(out.Relabel, trained.Relabel)
		maps.Copy(out.Relabel, given.Relabel)
	}
	return out
}
