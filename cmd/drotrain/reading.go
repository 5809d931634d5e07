package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/data"
)

// readingOptions adds the options that say how a table is to be read.
func readingOptions(cmd *cobra.Command, r *data.Reading) {
	t := &r.Text
	section(cmd, "Reading", func(fs *pflag.FlagSet) {
		fs.BoolVar(&t.NoHeader, "no-header", false, "the first line of text is a row: the columns are column_1, column_2, …")
		fs.Var(&listValue{p: &t.Missing}, "na", "`texts` that stand for no value: --na '?,-999'")
		fs.StringVar(&t.Delimiter, "delimiter", "", "`character` between the fields of text (default: , ; tab or | by the first line)")
		fs.StringVar(&t.Decimal, "decimal", "", "`mark` before the fraction of numbers in text: . or ,")
		fs.StringVar(&t.Thousands, "thousands", "", "`mark` between thousands of numbers in text: , . ' _ or a space")
		fs.StringVar(&t.Strip, "strip", "", "`marks` to take off both ends of numbers in text: '%$€'")
		fs.Var(&enumValue{&r.Dates, data.DateUses()}, "dates", "columns of dates and times: as days since 1970, as year, month, weekday and hour, or left out")
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

// remarked gives a note of a table with what would mend it in the options of this
// program, where the table has a remark behind the note.
func remarked(f *data.Frame, note string) string {
	for _, r := range f.Remarks {
		bare := *r
		if bare.Path = ""; bare.Error() != note {
			continue
		}
		words := bare.Advice(func(r data.Remedy) string { return remedy(r, bare.Column) })
		bare.Hint, bare.Remedies = words, nil
		return bare.Error()
	}
	return note
}
