package csv

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
)

// Options specifies how text is read, including what other tables have shown of its columns. The zero value selects
// the rules documented at data.Read.
type Options struct {
	table.TextOptions

	// Dates selects that a column of dates, or of dates and times, is Numeric, in days since 1970-01-01 UTC. The
	// texts must be in ISO 8601 (2024-03-31, 2024-03-31T12:00:00Z), have the year first or last (2024/3/31,
	// 31.3.2024, 3/31/2024 12:00), or name the month in English (31 Mar 2024). All texts of a column have the same
	// order of day, month and year. If neither DateOrder nor a row shows it, the column is Categorical.
	Dates bool

	// Known holds the forms in which columns are to be read, indexed by name. The types of other columns are
	// inferred.
	Known map[string]table.ColumnForm

	// Relabel maps texts to the texts that replace them before the types of the columns are inferred.
	Relabel map[string]string
}

// MissingTexts returns the texts that mark missing values in a column. header lists the columns of the table.
func (o *Options) MissingTexts(column string, header []string) (texts []string) {
	for _, item := range o.Missing {
		of, text := splitMissing(item, header)
		if of == "" || of == column {
			texts = append(texts, text)
		}
	}
	return texts
}

// RenamingOf returns the renaming of the values of a column. header lists the columns of the table.
func (o *Options) RenamingOf(column string, header []string) *intake.Renaming {
	return intake.NewRenaming(o.Relabel, o.MissingTexts(column, header), func(text string) (v float64, ok bool) {
		v, _, ok = o.numberFormat().parse(text)
		return v, ok
	})
}

// UnusedTexts returns the items of Missing and the keys of Relabel that occur in no column of a table. header lists
// its columns, and of holds their renamings.
func (o *Options) UnusedTexts(header []string, of map[string]*intake.Renaming) (missing, relabel []string) {
	occurs := func(column, text string) bool {
		for name, r := range of {
			if (column == "" || column == name) && r.HasOccurred(text) {
				return true
			}
		}
		return false
	}
	for _, item := range o.Missing {
		if column, text := splitMissing(item, header); !occurs(column, text) {
			missing = append(missing, item)
		}
	}
	for _, from := range slices.Sorted(maps.Keys(o.Relabel)) {
		if !occurs("", from) {
			relabel = append(relabel, from)
		}
	}
	return missing, relabel
}

// splitMissing splits an item of Options.Missing into a column and a text. The column is "" if the text marks
// missing values in every column.
func splitMissing(item string, header []string) (column, text string) {
	for i, b := range []byte(item) {
		if b == '=' && slices.Contains(header, item[:i]) {
			return item[:i], item[i+1:]
		}
	}
	return "", item
}

// numberFormat returns the format in which numbers are written.
func (o Options) numberFormat() numberFormat {
	return numberFormat{o.DecimalSeparator(), o.Thousands, o.Strip}
}

// A numberFormat describes how numbers are written.
type numberFormat struct {
	decimal, thousands string
	strip              string // characters that are stripped from both ends of a field
}

// plain is the format of numbers in Go source code.
var plain = numberFormat{decimal: "."}

// parse parses a number. A negative number may also be in accounting notation: (50.00), 50.00- and −50.00.
func (f numberFormat) parse(s string) (v float64, whole, ok bool) {
	if f != plain || hasAccountSign(s) {
		if s, ok = f.normalise(s); !ok {
			return 0, false, false
		}
	}
	return numeral.ParseNumber(s)
}

// hasAccountSign reports whether a text begins or ends like a negative number in accounting notation.
func hasAccountSign(s string) bool {
	return len(s) > 1 && (s[0] == '(' || s[0] == "−"[0] || s[len(s)-1] == '-')
}

// cutAccountSign removes the sign of a negative number in accounting notation, and reports whether there was one.
func (f numberFormat) cutAccountSign(s string) (rest string, negative bool) {
	if f.strip != "" {
		s = strings.TrimSpace(strings.Trim(s, f.strip))
	}
	if !hasAccountSign(s) {
		return s, false
	}
	last := s[len(s)-1]
	switch {
	case s[0] == '(' && last == ')':
		rest = s[1 : len(s)-1]
	case last == '-' && strings.ContainsAny(s, ".,"):
		rest = s[:len(s)-1]
	case s[0] == "−"[0]:
		if rest, negative = strings.CutPrefix(s, "−"); !negative {
			return s, false
		}
	default:
		return s, false
	}
	if f.strip != "" {
		rest = strings.TrimSpace(strings.Trim(rest, f.strip))
	}
	if rest == "" || !strings.ContainsRune("0123456789.,", rune(rest[0])) {
		return s, false
	}
	return rest, true
}

// typeset maps the spaces and apostrophes that word processors use as thousands separators to those on a keyboard.
var typeset = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ", "\u2007", " ", "’", "'")

// NormaliseNumber rewrites a number in the format of Go; ok is false if s is not a number in the format of the options.
func (o Options) NormaliseNumber(s string) (plain string, ok bool) {
	return o.numberFormat().normalise(s)
}

// normalise rewrites a number in the format of Go; ok is false if s is not a number.
func (f numberFormat) normalise(s string) (string, bool) {
	if rest, negative := f.cutAccountSign(s); negative {
		number, ok := f.normaliseSigned(rest)
		return "-" + number, ok
	}
	return f.normaliseSigned(s)
}

// normaliseSigned works like normalise for a number whose sign, if any, comes first.
func (f numberFormat) normaliseSigned(s string) (string, bool) {
	if f.strip != "" {
		sign := ""
		if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
			sign, s = s[:1], s[1:]
		}
		s = sign + strings.TrimSpace(strings.Trim(strings.TrimSpace(s), f.strip))
	}
	whole, fraction, mark := strings.Cut(s, f.decimal)
	if f.thousands == " " || f.thousands == "'" {
		whole = typeset.Replace(whole)
	}
	if f.thousands != "" && strings.Contains(whole, f.thousands) {
		groups := strings.Split(strings.TrimLeft(whole, "+-"), f.thousands)
		for i, g := range groups {
			if len(g) > 3 || len(g) == 0 || i > 0 && len(g) != 3 || groups[0][0] == '0' {
				return "", false
			}
		}
		whole = strings.ReplaceAll(whole, f.thousands, "")
	}
	if f.decimal != "." && strings.Contains(whole, ".") {
		return "", false
	}
	if mark {
		whole += "." + fraction
	}
	return whole, true
}

// maxColumns returns the maximum number of columns.
func (o *Options) maxColumns() int { return cmp.Or(o.MaxColumns, table.DefaultMaxColumns) }

// checkColumnCount returns an error if there are too many columns.
func (o *Options) checkColumnCount(n int) error {
	if most := o.maxColumns(); n > most {
		return &table.Error{Msg: fmt.Sprintf("%d columns exceed the limit of %d for text files", n, most),
			Fixes: []fix.Fix{fix.SayDelimiter, fix.RaiseMaxColumns}}
	}
	return nil
}
