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
	options.Section(cmd, "Reading", func(fs *pflag.FlagSet) {
		fs.BoolVar(&t.NoHeader, "no-header", false, "the first line of text is a row: the columns are column_1, column_2, …")
		fs.Var(options.List(&t.Missing), "na", "`texts` that stand for no value: --na '?,-999'")
		fs.StringVar(&t.Delimiter, "delimiter", "", "`character` between the fields of text (default: , ; tab or | by the first lines)")
		fs.StringVar(&t.Decimal, "decimal", "", "`mark` before the fraction of numbers in text: . or ,")
		fs.StringVar(&t.Thousands, "thousands", "", "`mark` between thousands of numbers in text: , . ' _ or a space")
		fs.StringVar(&t.Strip, "strip", "", "`marks` to take off both ends of numbers in text: '%$€'")
		fs.Var(options.Names(&r.Relabel, "->"), "relabel", "other names for `texts`: --relabel '<=50K.-><=50K,>50K.->>50K'")
		fs.Var(options.Enum(&r.Dates, data.DateUses()), "dates", "columns of dates and times: as days since 1970, as year, month, weekday and hour, or left out")
	})
}

// orOf is how a table is read for a model: as its training data were, unless the
// command line says otherwise.
func orOf(given, trained data.Reading) data.Reading {
	if given.IsZero() {
		return trained
	}
	return given
}
