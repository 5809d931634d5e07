package exit

import (
	"regexp"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/internal/expr"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/setting"
	"github.com/drotrain/drotrain/losses"
)

// fixText returns a fix in terms of the options of a command, or "" if the command has none.
func fixText(r fix.Fix, column string, has func(option string) bool) string {
	switch r {
	case fix.DropNullRows:
		var ways []string
		if has("filter") {
			ways = append(ways, "leave such rows out with --filter "+printable.QuoteShell(expr.QuoteName(column)+" is not null"))
		}
		if has("impute") {
			ways = append(ways, "all rows with nulls with --impute drop")
		}
		if len(ways) == 0 {
			return "leave such rows out of the table"
		}
		return strings.Join(ways, ", or ")
	case fix.Impute, fix.FillNulls:
		if !has("impute") {
			return "fill them in the table, or train with --impute mean or median"
		}
	}
	words := optionFor(r, column)
	for _, name := range option.FindAllString(words, -1) {
		if !has(name[2:]) {
			return ""
		}
	}
	return words
}

// option matches option names in a text.
var option = regexp.MustCompile(`--[a-z][a-z-]*`)

// fixes maps fixes of table errors to options of train.
var fixes = map[fix.Fix]string{
	fix.Impute:          "choose --impute mean, median or drop",
	fix.FillNulls:       "choose --impute mean or median",
	fix.NameFeatures:    "name some with --features",
	fix.NameTarget:      "name it with --target COLUMN",
	fix.NamePositive:    "give --positive one of these",
	fix.ForgetPositive:  "leave --positive out",
	fix.SayNoHeader:     "say --no-header",
	fix.SayDelimiter:    "name the separator with --delimiter",
	fix.SayDecimal:      "name the decimal mark with --decimal",
	fix.SayThousands:    "name the mark between thousands with --thousands",
	fix.SayStrip:        "name the marks to take off numbers with --strip '%$€'",
	fix.SayDates:        "say --dates number, parts or drop",
	fix.Standardise:     "say --scale standard",
	fix.KeepDouble:      "keep the rows with --storage float64",
	fix.MergeRareLevels: "make one level of the rare ones with --min-count 20",
	fix.RaiseMaxColumns: "store the table as Parquet, which may have more",
	fix.NameMissing:     "name the texts that stand for no value with --na",
}

// optionFor returns the options of train that fix an error about a column.
func optionFor(r fix.Fix, column string) string {
	switch r {
	case fix.DropColumn:
		return "leave the column out with --drop " + printable.QuoteShell(setting.JoinNames([]string{column}))
	case fix.TakeAsClasses:
		return "use --loss " + losses.DefaultName(true) + " if they are classes"
	case fix.TakeAsQuantity:
		return "use --loss " + losses.Either(losses.Names(func(k losses.Kind) bool { return !k.Classes })) + " if it is a quantity"
	}
	return fixes[r]
}

// AddSuggestion adds the options that solve a problem to a note about a table, if there is a remark for the note.
func AddSuggestion(f *data.Frame, note string) string {
	all := func(string) bool { return true }
	for _, r := range f.Remarks {
		bare := *r
		if bare.Path = ""; bare.Error() != note {
			continue
		}
		words := bare.Advice(func(r fix.Fix) string { return fixText(r, bare.Column, all) })
		bare.Hint, bare.Fixes = words, nil
		return bare.Error()
	}
	return note
}
