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
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/printable"
)

// A Reading specifies how text files and dates are read. With the zero value, text is read as documented at [Read],
// and dates are not used.
type Reading struct {
	Text TextOptions `json:"text,omitzero"`
	// one of DateUses; if empty, a column of dates is text or of kind Other
	Dates string `json:"dates,omitempty"`

	// Zone is the time zone in which the year, month, weekday and hour of times are determined; "" selects the
	// zone of each column.
	Zone string `json:"zone,omitempty"`

	// Columns holds the forms of columns that are known from another table; the types of other columns are
	// inferred. Once a table has been read, its Reading holds the forms of all its columns.
	Columns []ColumnForm `json:"columns,omitempty"`

	// Relabel maps texts to the texts that replace them, in every column of text: "<=50K." becomes "<=50K".
	Relabel map[string]string `json:"relabel,omitempty"`
}

// TextOptions specifies how text files are read. The zero value selects the rules documented at [Read].
type TextOptions = table.TextOptions

// DateUses returns the possible uses of columns of dates and times: as numbers (days since 1970-01-01 UTC), as
// parts (year, month, weekday with 0 for Sunday and, for times, hour), or not at all.
func DateUses() []string { return []string{"number", "parts", "drop"} }

// DateOrders returns the possible orders of day and month in dates such as 3/4/2024.
func DateOrders() []string { return []string{table.DayFirst, table.MonthFirst} }

// IsZero reports whether r is the zero value.
func (r Reading) IsZero() bool {
	return r.Text.IsZero() && r.Dates == "" && r.Zone == "" && len(r.Columns) == 0 && len(r.Relabel) == 0
}

// options returns r in the type of the readers of text.
func (r Reading) options() csv.Options {
	return csv.Options{TextOptions: r.Text, Dates: r.Dates != "", Known: r.formsByName(), Relabel: r.Relabel}
}

// Validate returns an error if r is invalid.
func (r Reading) Validate() error {
	if r.Dates != "" && !slices.Contains(DateUses(), r.Dates) {
		return fmt.Errorf("the setting dates is %q; it must be number, parts or drop", r.Dates)
	}
	if _, err := location(r.Zone); err != nil {
		return err
	}
	return r.Text.Validate()
}

// WithRemarks returns the reading with the changes that the remarks on a table suggest, except changes of the
// header.
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

// DateParts returns the names of the numbers into which a column of dates can be split.
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

// replaceDates replaces each column of dates by the columns that the reading asks for, and keeps the original for
// holdoutColumn.
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

// ReplacedDate returns the named column of dates if Reading.Dates split it into parts or omitted it, and nil
// otherwise.
func (f *Frame) ReplacedDate(name string) *Column {
	for _, c := range f.dates {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// holdoutColumn works like Column, but also finds columns of dates that were split or omitted; it returns them in
// days.
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

// emptyPart returns a part of a column that has no values, so that it is not known to hold dates, or how long its lists
// are. It returns nil if name is not such a part.
func (f *Frame) emptyPart(name string) *Column {
	if base, _, isEntry := strings.Cut(name, "["); isEntry && f.Rows == 0 {
		if i, ok := f.index[base]; ok && i >= 0 && f.Columns[i].Kind == Other {
			return &Column{Name: name, Type: "float64", Kind: Numeric, Vector: base}
		}
	}
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

// DescribeAbsentPart adds to the error absent the reason why a part of a column of dates is absent: this table's
// column was not read as dates.
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
			cmp.Or(f.orderOf(c.Name), "from a file with typed columns"), c.Unexpected)
	}
}

// orderOf returns the order of day and month in a text column, or "" if it is unknown.
func (f *Frame) orderOf(column string) string {
	for _, of := range f.how.Columns {
		if of.Name == column && of.Order != "" {
			return of.Order
		}
	}
	return ""
}
