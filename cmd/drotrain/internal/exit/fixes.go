package exit

import (
	"regexp"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/internal/expr"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/setting"
	"github.com/drotrain/drotrain/losses"
)

// An optionFix is a fix of a table error, expressed by options of the command.
type optionFix struct {
	text   string // text in which VALUE stands for the value
	option string // option whose values may be combined with those for other problems; "" if there is none
	value  string // value of the option; if empty, the value is in the error
}

// optionFixes expresses fixes by options. COLUMN stands for the column of the error.
var optionFixes = map[fix.Fix]optionFix{
	fix.DropColumn:      {"leave the column out with --drop VALUE", "drop", "COLUMN"},
	fix.DropNullRows:    {"leave out the rows with nulls by --filter VALUE", "filter", "COLUMN is not null"},
	fix.Impute:          {"choose --impute mean, median or drop", "impute", "median"},
	fix.FillNulls:       {"choose --impute mean or median", "impute", "mean"},
	fix.SayDates:        {"set --dates to number, parts or drop", "dates", "parts"},
	fix.SayNumeric:      {"read the column as numbers with --numeric VALUE", "numeric", ""},
	fix.SayDateOrder:    {text: "set --date-order to day-first or month-first"},
	fix.SayTimeZone:     {text: "name the zone with --time-zone, as in --time-zone Europe/Berlin"},
	fix.SayDecimal:      {"name the decimal separator with --decimal", "decimal", ""},
	fix.SayThousands:    {"name the thousands separator with --thousands", "thousands", ""},
	fix.SayStrip:        {"name the characters to remove from numbers with --strip '%$€'", "strip", ""},
	fix.NameFeatures:    {text: "name features with --features"},
	fix.NameTarget:      {text: "name the target with --target COLUMN"},
	fix.NamePositive:    {text: "set --positive to one of these"},
	fix.ForgetPositive:  {text: "leave out --positive"},
	fix.SayNoHeader:     {text: "use --no-header"},
	fix.SayDelimiter:    {text: "name the separator with --delimiter"},
	fix.Standardise:     {text: "set --scale standard"},
	fix.KeepDouble:      {text: "store the rows in double precision with --storage float64"},
	fix.MergeRareLevels: {text: "merge rare levels with --min-count 20"},
	fix.RaiseMaxColumns: {text: "store the table as Parquet, which allows more columns"},
	fix.NameMissing:     {text: "use --na to name the values that mean a missing value"},
	fix.TakeAsClasses:   {text: "use --loss " + losses.DefaultName(true) + " if the values are classes"},
	fix.TakeAsQuantity: {text: "use --loss " + printable.JoinWords(
		losses.Names(func(k losses.Kind) bool { return !k.Classes && !k.HasLevel }), "or") + " if the target is a quantity"},
}

// separators maps options that accept values for several problems to the separators of these values.
var separators = map[string]string{"drop": ",", "filter": " && "}

// optionValue returns the value of the option for an error, which has the fix f.
func (r optionFix) optionValue(f fix.Fix, e *data.Error) string {
	switch r.option {
	case "drop":
		return setting.JoinNames([]string{e.Column})
	case "filter":
		return strings.Replace(r.value, "COLUMN", expr.QuoteName(e.Column), 1)
	}
	if r.value == "" {
		return e.FixValues[f]
	}
	return r.value
}

// option matches option names in a text.
var option = regexp.MustCompile(`--[a-z][a-z-]*`)

// advise returns the hint of an error, and its fixes in terms of the options that a command has.
func advise(e *data.Error, has func(option string) bool) string {
	return e.Advice(func(f fix.Fix) string {
		r := optionFixes[f]
		for _, name := range option.FindAllString(r.text, -1) {
			if !has(name[2:]) {
				return ""
			}
		}
		return strings.Replace(r.text, "VALUE", printable.QuoteShell(r.optionValue(f, e)), 1)
	})
}

// joinSettings returns options that together solve all problems for which an option exists.
func joinSettings(all data.Problems, has func(option string) bool) string {
	values := map[string][]string{}
	for _, e := range all {
		for _, f := range e.Fixes {
			r := optionFixes[f]
			value := r.optionValue(f, e)
			if r.option == "" || value == "" {
				continue
			}
			if !slices.Contains(values[r.option], value) {
				values[r.option] = append(values[r.option], value)
			}
			if r.value != "" {
				// the option is one of several alternatives, but texts of numbers need all that are
				// named
				break
			}
		}
	}
	text := ""
	for _, name := range []string{"drop", "decimal", "thousands", "strip", "impute", "dates", "filter"} {
		if of := values[name]; len(of) > 0 && has(name) {
			value := of[0]
			if between, several := separators[name]; several {
				value = strings.Join(of, between)
			}
			text += " --" + name + " " + printable.QuoteShell(value)
		}
	}
	if text != "" {
		text = "together:" + text
	}
	return text
}

// AddSuggestion adds the options that solve a problem to a note about a table, if the table has a remark for the
// note.
func AddSuggestion(f *data.Frame, note string) string {
	for _, r := range f.Remarks {
		bare := *r
		bare.Path = ""
		for _, e := range []*data.Error{&bare, r} { // a note on one of several files begins with the file's name
			if e.Error() == note {
				own := *e
				own.Hint, own.Fixes = advise(e, acceptAnyOption), nil
				return own.Error()
			}
		}
	}
	return note
}

// acceptAnyOption returns true, as for a command that has every option.
func acceptAnyOption(string) bool { return true }
