package data

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/csv"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/internal/printable"
)

// A Reading says how text files and dates are read. With the zero value, text is read as in [Read] and dates
// are not used.
type Reading struct {
	Text  TextOptions `json:"text,omitzero"`
	Dates string      `json:"dates,omitempty"` // of DateUses; empty: columns of dates are text or of no use

	// Zone is the time zone in which the parts of times with a zone are taken; "" for the zone of each column.
	Zone string `json:"zone,omitempty"`

	// Columns are the forms of columns that are known from another table; the types of others are guessed. After the
	// reading of a table they are those of all its columns.
	Columns []ColumnForm `json:"columns,omitempty"`

	// Relabel gives texts other names, in every column of text: "<=50K." becomes "<=50K".
	Relabel map[string]string `json:"relabel,omitempty"`
}

// TextOptions says how text files are read. The zero value selects the rules documented at [Read].
type TextOptions struct {
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

	// MaxColumns is how many columns a text may have; 0 means 100 000.
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

	// TrustMarks reports whether the user named the marks of numbers for this table, whatever is known of its columns.
	TrustMarks bool `json:"-" yaml:"-"`
}

// options returns the options in the type of the reader.
func (o TextOptions) options() *csv.Options {
	return &csv.Options{
		NoHeader: o.NoHeader, Delimiter: o.Delimiter, Missing: o.Missing, Decimal: o.Decimal, Thousands: o.Thousands,
		Strip:      o.Strip,
		MaxColumns: o.MaxColumns, Dates: o.Dates, DateOrder: o.DateOrder, Numeric: o.Numeric, TrustMarks: o.TrustMarks,
	}
}

// IsZero reports whether o is the zero value.
func (o TextOptions) IsZero() bool { return o.options().IsZero() }

// Validate returns an error if options contradict each other.
func (o TextOptions) Validate() error { return o.options().Validate() }

// DateUses returns the words that say how columns of dates and times are used: as numbers (days since
// 1970-01-01 UTC), as parts (year, month, weekday with 0 for Sunday and, for times, hour), or not at all.
func DateUses() []string { return []string{"number", "parts", "drop"} }

// DateOrders returns the words for the order of day and month in dates such as 3/4/2024.
func DateOrders() []string { return []string{csv.DayFirst, csv.MonthFirst} }

// IsZero reports whether r is the zero value.
func (r Reading) IsZero() bool {
	return r.Text.IsZero() && r.Dates == "" && r.Zone == "" && len(r.Columns) == 0 && len(r.Relabel) == 0
}

// Validate returns an error if r is invalid.
func (r Reading) Validate() error {
	if r.Dates != "" && !slices.Contains(DateUses(), r.Dates) {
		return fmt.Errorf("dates %q: must be number, parts or drop", r.Dates)
	}
	if _, err := location(r.Zone); err != nil {
		return err
	}
	return r.Text.Validate()
}

// WithRemarks returns the reading with the changes that remarks on a table suggest, except to the header.
func (r Reading) WithRemarks(remarks []*Error) Reading {
	r.Text.Missing = slices.Clone(r.Text.Missing)
	for _, e := range remarks {
		r.Text.Decimal = cmp.Or(e.FixValues[fix.SayDecimal], r.Text.Decimal)
		r.Text.Thousands = cmp.Or(e.FixValues[fix.SayThousands], r.Text.Thousands)
		r.Dates = cmp.Or(r.Dates, e.FixValues[fix.SayDates])
		for _, mark := range e.FixValues[fix.SayStrip] {
			if !strings.ContainsRune(r.Text.Strip, mark) {
				r.Text.Strip += string(mark)
			}
		}
		if missing := e.FixValues[fix.NameMissing]; missing != "" && !slices.Contains(r.Text.Missing, missing) {
			r.Text.Missing = append(r.Text.Missing, missing)
		}
	}
	return r
}

// DateParts returns the names of the numbers that a column of dates is split into.
func DateParts() []string {
	var names []string
	for _, p := range dateParts {
		names = append(names, p.name)
	}
	return names
}

// A datePart is a number derived from a date, such as its month.
type datePart struct {
	name string
	of   func(t time.Time) int
}

var dateParts = []datePart{
	{"year", time.Time.Year},
	{"month", func(t time.Time) int { return int(t.Month()) }},
	{"weekday", func(t time.Time) int { return int(t.Weekday()) }},
	{"hour", time.Time.Hour},
}

// replaceDates replaces columns of dates by the columns that the reading asks for. It keeps the originals apart
// for holdoutColumn.
func (f *Frame) replaceDates() error {
	r := f.how
	if r.Dates == "" {
		return nil
	}
	var out []*Column
	var dates []string
	for _, c := range f.Columns {
		if !c.Clock || c.Kind != Numeric {
			out = append(out, c)
			continue
		}
		name := c.Name
		if r.Dates == "number" {
			dates = append(dates, name)
			out = append(out, c)
			continue
		}
		f.dates = append(f.dates, c)
		if r.Dates == "drop" {
			dates = append(dates, name)
			continue
		}
		zone, in, err := f.locationOf(c)
		if err != nil {
			return err
		}
		if zone != "" {
			name += " (" + zone + ")"
		}
		dates = append(dates, name)
		for _, p := range dateParts {
			if p.name == "hour" && c.Type == "date" && !slices.ContainsFunc(c.Number,
				func(v float64) bool { return v != math.Floor(v) }) {
				continue
			}
			part := matrix.ApplyFunction(c, c.Name+"."+p.name,
				func(days float64) float64 { return float64(p.of(csv.TimeOf(days).In(in))) }, f.Rows)
			part.Of = c.Name
			out = append(out, part)
		}
	}
	f.Columns = out
	if len(dates) > 0 {
		use := map[string]string{"number": "read as days since 1970-01-01 UTC",
			"parts": "split into year, month, weekday and, of times, hour", "drop": "left out"}
		f.Notes = append(f.Notes, fmt.Sprintf("%s of dates %s: %s", printable.Noun(len(dates), "column", "columns"),
			use[r.Dates], strings.Join(dates, ", ")))
	}
	return nil
}

// ReplacedDate returns the named column of dates if Reading.Dates split it into parts or left it out, else nil.
func (f *Frame) ReplacedDate(name string) *Column {
	for _, c := range f.dates {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// holdoutColumn works like Column, but also finds columns of dates that were taken apart or left out. It
// returns these as days.
func (f *Frame) holdoutColumn(ctx context.Context, name string) (*Column, error) {
	c := f.ReplacedDate(name)
	if c == nil || f.Has(name) {
		return f.Column(ctx, name)
	}
	c, err := c.Load(ctx)
	if err == nil {
		err = f.CheckUnchanged()
	}
	return c, intake.InFile(f.Name(), err)
}

// emptyPart returns a part of a column of dates that has no values, so that its type is unknown; nil if name is
// not such a part.
func (f *Frame) emptyPart(name string) *Column {
	at := strings.LastIndexByte(name, '.')
	if f.how.Dates != "parts" || at < 0 || !slices.ContainsFunc(dateParts,
		func(p datePart) bool { return p.name == name[at+1:] }) {
		return nil
	}
	i, ok := f.index[name[:at]]
	if !ok || i < 0 || f.Rows > 0 && f.Columns[i].Type != "null" {
		return nil
	}
	c := &Column{Name: name, Type: "int64", Kind: Numeric, Integer: true, Of: name[:at], Number: make([]float64, f.Rows),
		Null: make([]bool, f.Rows)}
	for k := range c.Null {
		c.Null[k] = true
	}
	return c
}

// DescribeAbsentPart explains why a part of a column of dates is absent: the column is not read as dates here.
func (f *Frame) DescribeAbsentPart(absent *Error) {
	at := strings.LastIndexByte(absent.Column, '.')
	if at < 0 || !f.Has(absent.Column[:at]) || !slices.ContainsFunc(dateParts,
		func(p datePart) bool { return p.name == absent.Column[at+1:] }) {
		return
	}
	c, err := f.Lookup(absent.Column[:at])
	if err != nil || c.Clock {
		return
	}
	absent.Class, absent.Column, absent.Hint = nil, c.Name, ""
	absent.Msg = fmt.Sprintf("the column is %s (%s), but in the training table it held dates", c.Kind, c.Type)
	if c.UnexpectedRow > 0 {
		absent.Path, absent.Row = f.Where(c.UnexpectedRow - 1)
		absent.Msg = fmt.Sprintf("the training table had dates (%s), but the value is %q",
			cmp.Or(f.orderOf(c.Name), "of a typed file"), c.Unexpected)
	}
}

// orderOf returns the order of the dates of a text column, "" if it is not known.
func (f *Frame) orderOf(column string) string {
	for _, of := range f.how.Columns {
		if of.Name == column && of.Order != "" {
			return of.Order
		}
	}
	return ""
}
