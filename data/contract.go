package data

import (
	"cmp"
	"fmt"
	"slices"
	"time"
	_ "time/tzdata"

	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/csv"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
)

// A ColumnForm describes how the values of a column were read, so that another table's column of that name is read
// in the same way. A [Reading] with forms is the contract of a model.
type ColumnForm = table.ColumnForm

// formsByName returns the forms, indexed by column name.
func (r Reading) formsByName() map[string]ColumnForm {
	if r.Columns == nil {
		return nil
	}
	out := make(map[string]ColumnForm, len(r.Columns))
	for _, f := range r.Columns {
		out[f.Name] = f
	}
	return out
}

// formsOf returns the forms in which columns were read. A zone that is not empty replaces the time zones of the
// columns.
func formsOf(columns []*Column, zone string) []ColumnForm {
	out := make([]ColumnForm, 0, len(columns))
	for _, c := range columns {
		if c.Vector != "" {
			continue
		}
		f := intake.NewColumnForm(c)
		if f.Zone != "" && zone != "" {
			f.Zone = zone
		}
		out = append(out, f)
	}
	return out
}

// conform converts the columns of a table to the types that the contract states.
func (r Reading) conform(path string, columns []*Column, rows int) ([]*Column, error) {
	known := r.formsByName()
	out := slices.Clone(columns)
	for i, c := range columns {
		f, is := known[c.Name]
		switch {
		case !is || c.Vector != "":
		case f.Clock && f.Kind == Numeric && c.Clock && c.Kind == Numeric:
			if f.Type != "" && !sameClock(f.Zone, c.Zone) {
				return nil, &Error{Path: path, Column: c.Name,
					Msg: fmt.Sprintf("the times are %s, but in the training table they were %s", describeZone(c.Zone),
						describeZone(f.Zone)),
					Hint: "write the times with or without a time zone, as in the training table"}
			}
		case f.Text && f.Kind == Categorical && c.Kind == Categorical && !c.FromText:
			out[i] = intake.ConformText(c, rows)
		}
	}
	return out, nil
}

// sameClock reports whether times of zone a can be read as times of zone b: both have a zone, or neither has one. Times
// without a zone count as UTC.
func sameClock(a, b string) bool {
	hasZone := func(z string) bool { return z != "" && z != intake.UTC }
	return hasZone(a) == hasZone(b) || a != "" && b != ""
}

// describeZone returns a description of a time zone for messages.
func describeZone(zone string) string {
	switch zone {
	case "":
		return "without a time zone"
	case intake.VariousOffsets:
		return "with different UTC offsets"
	}
	return "in the time zone " + zone
}

// location returns the time zone with a name in the syntax of Column.Zone.
func location(zone string) (*time.Location, error) {
	if zone == "" || zone == intake.UTC {
		return time.UTC, nil
	}
	if zone[0] == '+' || zone[0] == '-' {
		t, err := time.Parse("Z07:00", zone)
		if err != nil {
			return nil, fmt.Errorf("unknown time zone %q", zone)
		}
		_, offset := t.Zone()
		return time.FixedZone(zone, offset), nil
	}
	if zone == "Local" { // the time zone of this machine
		return nil, fmt.Errorf("unknown time zone %q", zone)
	}
	l, err := time.LoadLocation(zone)
	if err != nil {
		return nil, fmt.Errorf("unknown time zone %q", zone)
	}
	return l, nil
}

// locationOf returns the time zone in which the year, month, weekday and hour of a column of times are determined.
func (f *Frame) locationOf(c *Column) (zone string, l *time.Location, err error) {
	zone = c.Zone
	if at := slices.IndexFunc(f.how.Columns, func(of ColumnForm) bool { return of.Name == c.Name }); at >= 0 &&
		f.how.Columns[at].Type != "" {
		zone = f.how.Columns[at].Zone
	}
	if zone == intake.VariousOffsets {
		return zone, nil, &Error{Path: f.Name(), Column: c.Name,
			Msg: "the times have different UTC offsets; set one time zone from which to take their " +
				"hours", Fixes: []fix.Fix{fix.SayTimeZone}}
	}
	if l, err = location(zone); err != nil {
		return zone, nil, &Error{Path: f.Name(), Column: c.Name, Msg: err.Error(), Fixes: []fix.Fix{fix.SayTimeZone}}
	}
	return zone, l, nil
}

// commonForms returns common forms for the columns of several tables that were read one by one, and whether every table
// already has these forms. A column that is text in one table is text in all.
func commonForms(frames []*Frame) (forms []ColumnForm, agreed bool) {
	agreed = true
	known := make([]map[string]ColumnForm, len(frames))
	for i, f := range frames {
		known[i] = f.how.formsByName()
	}
	for _, first := range frames[0].how.Columns {
		joint, found := first, false
		for i, f := range frames {
			of, is := known[i][first.Name]
			if !is || of.Type == "null" {
				continue
			}
			undecided := f.Remark(of.Name, table.ErrDateOrder) != nil
			switch {
			case !found:
				joint, found = of, true
			case undecided && joint.Clock:
			case joint.Kind == Categorical && of.Clock &&
				slices.ContainsFunc(frames, func(f *Frame) bool { return f.Remark(of.Name, table.ErrDateOrder) != nil }):
				joint = of
			case of.Text && joint.Text && (of.Kind != joint.Kind || of.Clock != joint.Clock || of.Order != joint.Order):
				joint.Kind, joint.Type, joint.Clock, joint.Order, joint.Zone = Categorical, "string", false, "", ""
			case of.Kind != joint.Kind && of.Kind == Categorical && joint.Text:
				joint = of
			case of.Zone != joint.Zone && of.Clock:
				joint.Zone = intake.VariousOffsets
			case of.Unquoted && joint.Kind == Categorical:
				joint.Unquoted = true
			case of.Type != joint.Type && of.Text && joint.Text && of.Kind == Numeric && !of.Clock:
				joint.Type = "float64"
			}
		}
		joint.Marks = nil
		for i := range frames {
			joint.Marks = intake.JoinMarks(joint.Marks, known[i][first.Name].Marks)
		}
		forms = append(forms, joint)
		for i := range frames {
			of := known[i][first.Name]
			agreed = agreed && (!of.Text || of.Type == "null" || of.Kind == joint.Kind && of.Clock == joint.Clock) &&
				(of.Zone == joint.Zone || !of.Clock)
		}
	}
	return forms, agreed
}

// ParseNumbers parses the texts of a column as numbers, by the rules that were used to read the table, and returns the
// other texts, indexed by row. The column is nil if no text is a number.
func (f *Frame) ParseNumbers(c *Column) (numbers *Column, invalid map[int]string) {
	return parseTexts(&Column{Name: c.Name, Type: "float64", Kind: Numeric, FromText: true}, c,
		csv.Options{TextOptions: f.how.Text}.ParseNumber)
}

// ParseDates parses the texts of a column as dates, with the order of day and month that the form states, and
// returns the other texts, indexed by row. The column is nil if no text is a date.
func (f *Frame) ParseDates(c *Column, form ColumnForm) (dates *Column, invalid map[int]string) {
	order := cmp.Or(form.Order, f.how.Text.DateOrder)
	dates = &Column{Name: c.Name, Type: "date", Kind: Numeric, FromText: true, Clock: true, Order: order, Zone: form.Zone}
	how := f.how.options()
	missing := how.MissingTexts(c.Name, f.Names())
	days := map[string]csv.Day{}
	for k, day := range csv.ParseDays(c.Level, order) {
		day.IsDate = day.IsDate && (form.Type == "" || sameClock(form.Zone, day.Zone))
		days[c.Level[k]] = day
	}
	return parseTexts(dates, c, func(text string) (float64, bool, bool) {
		return days[text].Days, slices.Contains(missing, text), days[text].IsDate
	})
}

// parseTexts stores in column to the numbers that parse returns for the texts of c, and returns the other texts,
// indexed by row. The resulting column is nil if no text is a number.
func parseTexts(to, c *Column, parse func(text string) (value float64, missing, ok bool)) (*Column, map[int]string) {
	value, missing, number := make([]float64, len(c.Level)), make([]bool, len(c.Level)), make([]bool, len(c.Level))
	for k, text := range c.Level {
		value[k], missing[k], number[k] = parse(text)
	}
	if !slices.Contains(number, true) {
		return nil, nil
	}
	invalid := map[int]string{}
	to.Number, to.Null = make([]float64, c.Len()), make([]bool, c.Len())
	for r := range to.Number {
		switch k := c.Code[r]; {
		case c.IsNull(r) || missing[k]:
			to.Null[r] = true
		case number[k]:
			to.Number[r] = value[k]
		default:
			to.Null[r], invalid[r] = true, c.Level[k]
		}
	}
	return to, invalid
}

// WithColumn returns the table with c in place of the column of the same name. If c holds dates, it is used as
// Reading.Dates states.
func (f *Frame) WithColumn(c *Column) (*Frame, error) {
	out := f.Slice(0, f.Rows)
	out.Notes = slices.Clone(f.Notes)
	at := slices.IndexFunc(out.Columns, func(o *Column) bool { return o.Name == c.Name })
	if at < 0 {
		return nil, intake.NoColumnError(f.Name(), c.Name, f.Names())
	}
	if differsFrom(c, f.Rows) || c.Kind.IsScalar() && c.Len() != f.Rows {
		return nil, f.Fault(c.Name, fix.Advice{}, "the column has %d rows, but the table has %d", c.Len(), f.Rows)
	}
	out.Columns[at] = c
	if !c.Clock {
		return out, nil
	}
	return out, out.replaceDates()
}
