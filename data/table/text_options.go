package table

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"
)

// TextOptions specifies how text files are read. The zero value selects the rules documented at
// data.Read.
type TextOptions struct {
	// NoHeader reports whether the first line is a row of values. The columns are then called column_1,
	// column_2, …
	NoHeader bool `json:"no_header,omitempty"`

	// Delimiter is the character that separates fields; a space stands for any number of spaces and tabs. If it
	// is empty, a line such as "sep=;" before the header decides, and then the extension .tsv, which stands for a
	// tab. Otherwise the delimiter is the one of tab, semicolon, comma and bar that occurs equally often in each
	// of the first lines or, if there is not exactly one, most often in the first line. If none of them occurs,
	// spaces separate the fields, provided that they divide each of these lines into the same number of fields
	// and that every line after the first has a number.
	Delimiter string `json:"delimiter,omitempty"`

	// Missing lists texts that mark missing values, in addition to the empty text: "text" applies to every
	// column, "COLUMN=text" to one column.
	Missing []string `json:"na,omitempty"`

	// Decimal is the decimal separator: "." (or empty) or ",".
	Decimal string `json:"decimal,omitempty"`

	// Thousands is the thousands separator: ",", ".", "'", " " or "_".
	Thousands string `json:"thousands,omitempty"`

	// Strip lists characters that are removed from both ends of numbers: "%$€" reads 10% and $10 as 10.
	Strip string `json:"strip,omitempty"`

	// MaxColumns is the maximum number of columns of a text file; 0 means DefaultMaxColumns.
	MaxColumns int `json:"max_columns,omitempty"`

	// DateOrder is DayFirst or MonthFirst. It applies to a column in which every date is ambiguous, such as
	// 3/4/2024; with "" such a column is text.
	DateOrder string `json:"date_order,omitempty"`

	// Numeric lists columns of numbers with leading zeros to be read as numbers. Such columns are otherwise
	// read as text, since they often hold codes.
	Numeric []string `json:"numeric,omitempty"`

	// TrustMarks reports whether the separators that the user gave for this table take precedence over the
	// known forms of its columns.
	TrustMarks bool `json:"-"`
}

// DefaultMaxColumns is the default maximum number of columns. A column takes about a kilobyte before its first
// value is stored, and a few kilobytes of compressed text may contain millions of columns.
const DefaultMaxColumns = 100_000

// DayFirst and MonthFirst are the possible orders of day and month in dates such as 3/4/2024.
const (
	DayFirst   = "day-first"
	MonthFirst = "month-first"
)

// IsZero reports whether o is the zero value; the decimal separator "." counts as none.
func (o TextOptions) IsZero() bool {
	return !o.NoHeader && o.Delimiter == "" && len(o.Missing) == 0 && o.DecimalSeparator() == "." && o.Thousands == "" &&
		o.Strip == "" && o.MaxColumns == 0 && o.DateOrder == "" && len(o.Numeric) == 0
}

// DecimalSeparator returns the decimal separator: Decimal or, if it is empty, a comma where points separate thousands
// and a point elsewhere.
func (o TextOptions) DecimalSeparator() string {
	if o.Thousands == "." && o.Decimal == "" {
		return ","
	}
	return cmp.Or(o.Decimal, ".")
}

// Validate returns an error if an option has an invalid value, or if two options contradict each other.
func (o TextOptions) Validate() error {
	switch {
	case o.Delimiter != "" && (utf8.RuneCountInString(o.Delimiter) != 1 ||
		strings.ContainsAny(o.Delimiter, "\"\r\n\ufffd")):
		return fmt.Errorf("the delimiter %q must be one character other than a quote or a line end", o.Delimiter)
	case o.MaxColumns < 0:
		return fmt.Errorf("the largest number of columns is %d; it must be positive", o.MaxColumns)
	case o.Decimal != "" && o.Decimal != "." && o.Decimal != ",":
		return fmt.Errorf("the decimal separator %q must be \".\" or \",\"", o.Decimal)
	case o.Thousands != "" && !strings.Contains(",.' _", o.Thousands) || len(o.Thousands) > 1:
		return fmt.Errorf("the thousands separator %q must be one of , . ' _ or a space", o.Thousands)
	case o.Thousands != "" && o.Thousands == o.DecimalSeparator():
		return fmt.Errorf("the decimal separator and the thousands separator are both %q", o.Thousands)
	case o.DateOrder != "" && o.DateOrder != DayFirst && o.DateOrder != MonthFirst:
		return fmt.Errorf("the order of dates %q must be %q or %q", o.DateOrder, DayFirst, MonthFirst)
	case strings.ContainsAny(o.Strip, "0123456789+-.,()"):
		return fmt.Errorf("the characters to strip, %q, include one that can occur in a number", o.Strip)
	}
	return nil
}
