package main

import "github.com/drotrain/drotrain/data"

// mergeReading returns the reading options for a model: those given on the command line, and otherwise those of
// its training.
func mergeReading(given, trained data.Reading) data.Reading {
	out, g := trained, given.Text
	t := &out.Text
	t.NoHeader = t.NoHeader || g.NoHeader
	if len(g.Missing) > 0 {
		t.Missing = g.Missing
	}
	for _, of := range []struct {
		to    *string
		given string
	}{{&t.Delimiter, g.Delimiter}, {&t.Decimal, g.Decimal}, {&t.Thousands, g.Thousands}, {&t.Strip, g.Strip}, {&out.Dates, given.Dates}} {
		if of.given != "" {
			*of.to = of.given
		}
	}
	if len(given.Relabel) > 0 {
		out.Relabel = given.Relabel
	}
	return out
}
