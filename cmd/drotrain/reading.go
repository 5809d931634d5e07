package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/data"
)

// readingOptions adds the options that say how a table is to be read.
func readingOptions(cmd *cobra.Command, r *data.Reading) {
	t := &r.Text
	mark := func(p *string, must string, of func(r *data.Reading, s string)) pflag.Value {
		return options.Word(p, must, func(s string) bool {
			var alone data.Reading
			of(&alone, s)
			return alone.Text.Validate() == nil
		})
	}
	options.Section(cmd, "Reading", func(fs *pflag.FlagSet) {
		fs.BoolVar(&t.NoHeader, "no-header", false, "the first line of text is a row: the columns are column_1, column_2, …")
		fs.Var(options.List(&t.Missing), "na", "`texts` that stand for no value: --na '?,-999'")
		fs.Var(mark(&t.Delimiter, "be one character, and no quote or line end", func(r *data.Reading, s string) { r.Text.Delimiter = s }),
			"delimiter", "`character` between the fields of text (default: , ; tab or | by the first lines)")
		fs.Var(mark(&t.Decimal, "be . or ,", func(r *data.Reading, s string) { r.Text.Decimal = s }),
			"decimal", "`mark` before the fraction of numbers in text: . or ,")
		fs.Var(mark(&t.Thousands, "be , . ' _ or a space", func(r *data.Reading, s string) {
			if r.Text.Thousands = s; s == "." {
				r.Text.Decimal = ","
			}
		}),
			"thousands", "`mark` between thousands of numbers in text: , . ' _ or a space")
		fs.Var(mark(&t.Strip, "hold no digits, signs, points or commas", func(r *data.Reading, s string) { r.Text.Strip = s }),
			"strip", "`marks` to take off both ends of numbers in text: '%$€'")
		fs.Var(options.Count(&t.MaxColumns), "max-columns", "columns that text may have (0: 100 000)")
		fs.Var(options.Names(&r.Relabel, "->"), "relabel", "other names for `texts`: --relabel '<=50K.-><=50K,>50K.->>50K'")
		fs.Var(options.Enum(&r.Dates, data.DateUses()), "dates", "columns of dates and times: as days since 1970, as year, month, weekday and hour, or left out")
	})
}

// orOf is how a table is read for a model: every option as in its training, unless the command line
// says otherwise.
func orOf(given, trained data.Reading) data.Reading {
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
