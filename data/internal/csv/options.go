package csv

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
)

// Options says how text is read, as data.TextOptions does, whose fields it has. The zero value selects the rules
// documented at [Read].
type Options struct {
	// NoHeader reports whether the first line is a row. The columns are then called
	// column_1, column_2, …
	NoHeader bool `json:"no_header,omitempty" yaml:"no_header,omitempty"`

	// Delimiter separates the fields: one character, of which a space stands for any
	// spaces and tabs. Empty means what a line "sep=;" before the header names, else the
	// comma, the semicolon, the tab or the bar, whichever the first line has, in this
	// order, else spaces, where these make as many fields of every line, with numbers.
	Delimiter string `json:"delimiter,omitempty" yaml:"delimiter,omitempty"`

	// Missing are texts that mark missing values, in addition to the empty one: "text" in every column, or
	// "COLUMN=text" in one column of the table.
	Missing []string `json:"na,omitempty" yaml:"na,omitempty"`

	// Decimal is the mark before the fraction of a number: "." (or empty) or ",".
	Decimal string `json:"decimal,omitempty" yaml:"decimal,omitempty"`

	// Thousands is the mark between groups of three digits: ",", ".", "'", " " or "_".
	Thousands string `json:"thousands,omitempty" yaml:"thousands,omitempty"`

	// Strip are characters taken off both ends of numbers: "%$€" reads 10% and $10 as 10.
	Strip string `json:"strip,omitempty" yaml:"strip,omitempty"`

	// MaxColumns is how many columns a text may have; 0 means DefaultMaxColumns.
	MaxColumns int `json:"max_columns,omitempty" yaml:"max_columns,omitempty"`

	// Dates reports whether a column of dates, or dates and times, is Numeric: days since
	// 1970-01-01 UTC. They are written as in ISO 8601 (2024-03-31, 2024-03-31T12:00:00Z),
	// or with the year first or last (2024/3/31, 31.3.2024, 3/31/2024 12:00), all in one
	// order that some row of the column decides.
	Dates bool `json:"dates,omitempty" yaml:"dates,omitempty"`

	// DateOrder is DayFirst or MonthFirst, for dates that leave it open, as 3/4/2024 does; "" if some row decides.
	DateOrder string `json:"date_order,omitempty" yaml:"date_order,omitempty"`

	// Numeric are columns of numbers with leading zeros, which are otherwise text, as codes are.
	Numeric []string `json:"numeric,omitempty" yaml:"numeric,omitempty"`

	// Known holds, by name, how columns are to be read. The types of others are guessed.
	Known map[string]table.ColumnForm `json:"-" yaml:"-"`

	// TrustMarks reports whether the user named the marks of numbers for this table, whatever Known says of their use.
	TrustMarks bool `json:"-" yaml:"-"`

	// Relabel gives texts other names before the types of the columns are decided.
	Relabel map[string]string `json:"-" yaml:"-"`
}

// MissingTexts returns the texts that mark missing values in a column of a table with the given header.
func (o *Options) MissingTexts(column string, header []string) (texts []string) {
	for _, item := range o.Missing {
		of, text := splitMissing(item, header)
		if of == "" || of == column {
			texts = append(texts, text)
		}
	}
	return texts
}

// RenamingOf returns the renaming of the values of a column of a table with the given header.
func (o *Options) RenamingOf(column string, header []string) *intake.Renaming {
	return intake.NewRenaming(o.Relabel, o.MissingTexts(column, header), func(text string) (v float64, ok bool) {
		v, _, ok = o.numberFormat().parse(text)
		return v, ok
	})
}

// UnusedTexts returns the items of Missing and the keys of Relabel that occur in no column of a table with the given
// header, given the renamings of its columns.
func (o *Options) UnusedTexts(header []string, of map[string]*intake.Renaming) (missing, relabel []string) {
	occurs := func(column, text string) bool {
		for name, r := range of {
			if (column == "" || column == name) && r.Found(text) {
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

// splitMissing returns the column and the text of an item of Options.Missing. The column is "" for a text that
// stands for no value in every column.
func splitMissing(item string, header []string) (column, text string) {
	for i, b := range []byte(item) {
		if b == '=' && slices.Contains(header, item[:i]) {
			return item[:i], item[i+1:]
		}
	}
	return "", item
}

// DefaultMaxColumns is the default limit on the number of columns. Each takes about a kilobyte before its first
// value, and a few kilobytes of compressed text may contain millions.
const DefaultMaxColumns = 100_000

// IsZero reports whether o is the zero value.
func (o Options) IsZero() bool {
	return !o.NoHeader && o.Delimiter == "" && len(o.Missing) == 0 && o.numberFormat() == plain && !o.Dates &&
		o.MaxColumns == 0 && o.DateOrder == "" && len(o.Numeric) == 0
}

// Validate returns an error if options contradict each other.
func (o Options) Validate() error {
	switch {
	case o.Delimiter != "" && (utf8.RuneCountInString(o.Delimiter) != 1 ||
		strings.ContainsAny(o.Delimiter, "\"\r\n\ufffd")):
		return fmt.Errorf("the delimiter %q must be one character other than a quote or a line end", o.Delimiter)
	case o.MaxColumns < 0:
		return fmt.Errorf("the limit of columns is %d: it must be positive", o.MaxColumns)
	case o.Decimal != "" && o.Decimal != "." && o.Decimal != ",":
		return fmt.Errorf("the decimal separator %q must be \".\" or \",\"", o.Decimal)
	case o.Thousands != "" && !strings.Contains(",.' _", o.Thousands) || len(o.Thousands) > 1:
		return fmt.Errorf("the thousands separator %q must be one of , . ' _ or a space", o.Thousands)
	case o.Thousands != "" && o.Thousands == o.numberFormat().decimal:
		return fmt.Errorf("the decimal separator and the thousands separator are both %q", o.Thousands)
	case o.DateOrder != "" && o.DateOrder != DayFirst && o.DateOrder != MonthFirst:
		return fmt.Errorf("the order of dates %q must be %q or %q", o.DateOrder, DayFirst, MonthFirst)
	case strings.ContainsAny(o.Strip, "0123456789+-.,()"):
		return fmt.Errorf("the characters to strip, %q, include one that can occur in a number", o.Strip)
	}
	return nil
}

// numberFormat returns how numbers are written.
func (o Options) numberFormat() numberFormat {
	decimal := cmp.Or(o.Decimal, ".")
	if o.Thousands == "." && o.Decimal == "" {
		decimal = ","
	}
	return numberFormat{decimal, o.Thousands, o.Strip}
}

// A numberFormat says how numbers are written.
type numberFormat struct {
	decimal, thousands string
	strip              string // characters stripped from both ends
}

// plain is the format of numbers in Go.
var plain = numberFormat{decimal: "."}

// parse parses a number. A negative one may also be written as in accounts: (50.00), 50.00- and −50.00.
func (f numberFormat) parse(s string) (v float64, whole, ok bool) {
	if f != plain || hasAccountSign(s) {
		if s, ok = f.normalise(s); !ok {
			return 0, false, false
		}
	}
	return numeral.ParseNumber(s)
}

// hasAccountSign reports whether a text begins or ends as a negative number of accounts does.
func hasAccountSign(s string) bool {
	return len(s) > 1 && (s[0] == '(' || s[0] == "−"[0] || s[len(s)-1] == '-')
}

// cutAccountSign removes the sign of a negative number of accounts, and reports whether there was one.
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

// typeset maps the spaces and the apostrophe that word processors put between thousands to the ones on a keyboard.
var typeset = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ", "\u2007", " ", "’", "'")

// Plain returns a number as Go writes it; ok is false if s is not a number in the format of the options.
func (o Options) Plain(s string) (plain string, ok bool) { return o.numberFormat().normalise(s) }

// normalise rewrites a number as Go writes it.
func (f numberFormat) normalise(s string) (string, bool) {
	if rest, negative := f.cutAccountSign(s); negative {
		number, ok := f.normaliseSigned(rest)
		return "-" + number, ok
	}
	return f.normaliseSigned(s)
}

// normaliseSigned rewrites a number whose sign, if any, comes first.
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

// maxColumns returns the largest number of columns.
func (o *Options) maxColumns() int { return cmp.Or(o.MaxColumns, DefaultMaxColumns) }

// checkColumnCount returns an error for too many columns.
func (o *Options) checkColumnCount(n int) error {
	if most := o.maxColumns(); n > most {
		return &table.Error{Msg: fmt.Sprintf("%d columns exceed the limit of %d for text files", n, most),
			Fixes: []fix.Fix{fix.SayDelimiter, fix.RaiseMaxColumns}}
	}
	return nil
}
