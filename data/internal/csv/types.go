package csv

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
)

// A column collects the possible types of a column during the first reading of a text, and its values during the
// second.
type column struct {
	renaming *intake.Renaming
	asDates  bool // whether dates become numbers
	verbatim bool
	used     bool

	known   *table.ColumnForm // form in which the column is to be read; nil if the type is to be inferred
	numeric bool              // leading zeros do not make the column text
	nullNA  bool              // NA and similar words are nulls

	hasNulls bool // some row has a null

	emptyRow      int // first row with an empty field, counted from 1
	nulls         int // number of empty fields and of texts declared to mark missing values
	absent        int // number of texts such as NA
	numbers       int
	integers      int // number of the numbers that are whole
	bools         int
	words         int         // number of values that are neither numbers nor bools
	marks         int         // number of the words that often mark missing values
	dates         int         // number of dates among the words
	order         layoutSet   // layouts that these dates may have
	format        [2]string   // example dates in two different formats
	zone          string      // time zone of the dates
	shortYears    int         // number of the words that are dates with a two-digit year
	accounts      int         // number of the numbers in accounting notation
	account       string      // the first such number
	unexpectedRow int         // first row, counted from 1, that keeps the column from having another type
	unexpected    string      // the value in that row
	paddedRow     int         // first row with leading zeros, counted from 1
	padded        string      // the number in that row
	count         numberCount // counts of numbers in other styles

	*table.Column
	levels *table.Levels
	first  int          // row of the first value in memory; preceding values are in parts
	parts  []table.Part // parts of the preceding rows
}

// newColumn returns a column with the given name and without values.
func (r *reading) newColumn(name string) *column {
	c := &column{renaming: r.options.RenamingOf(name, r.header), asDates: r.options.Dates, verbatim: r.verbatim,
		used: true, order: layoutsOf(r.options.DateOrder).orUndecided(), count: newNumberCount(r.options.numberFormat())}
	if form, known := r.options.Known[name]; known && !r.verbatim {
		c.setForm(&form)
	}
	c.numeric = c.numeric || slices.Contains(r.options.Numeric, name)
	return c
}

// keepsBlanks reports whether blanks at the ends of a text are part of it.
func (c *column) keepsBlanks() bool { return c.isText() && c.known.Blanks }

// setForm sets the form in which the column is to be read.
func (c *column) setForm(form *table.ColumnForm) {
	if form.Kind == table.Other {
		return
	}
	c.known, c.asDates = form, form.Kind == table.Numeric && form.Clock
	c.numeric = form.Kind == table.Numeric && !form.Clock
	if c.asDates && form.Order != "" {
		c.order = layoutsOf(form.Order)
	}
}

// isText reports whether the column is known to be text.
func (c *column) isText() bool { return c.known != nil && c.known.Kind == table.Categorical }

// countValue updates the counts of possible types with the value of a row. It returns false if the value is not
// valid text.
func (c *column) countValue(s string, row int) (valid bool) {
	if c.verbatim {
		if s == "" {
			c.nulls++
			return true
		}
		c.words++
		return isText(s)
	}
	if !c.keepsBlanks() {
		s = strings.TrimSpace(s)
	}
	s = c.renaming.Rename(s)
	switch {
	case s == "" && c.isText() && c.known.Empty == table.EmptyText:
		c.words++
		return true
	case s == "" || c.renaming.IsMissing(s):
		c.nulls++
		if s == "" && c.emptyRow == 0 {
			c.emptyRow = row + 1
		}
		return true
	case isMissingWord(s) && !c.isText():
		c.absent++
		return true
	case c.isText():
		c.words++
		return isText(s)
	}
	if v, whole, ok := c.count.as.parse(s); ok {
		c.numbers++
		c.count.addNumber(s, row)
		if c.paddedRow == 0 && numeral.IsPadded(s) {
			c.paddedRow, c.padded = row+1, strings.Clone(s)
		}
		if v < 0 && s[0] != '-' {
			c.addAccount(s)
		}
		if whole {
			c.integers++
		}
		return true
	}
	if _, ok := numeral.ParseBool(s); ok {
		c.bools++
	} else if !isText(s) {
		return false
	} else {
		c.guessWord(s)
	}
	if c.unexpectedRow == 0 && (c.dates < c.words || c.bools > 0 || c.numbers > 0) {
		c.unexpectedRow, c.unexpected = row+1, strings.Clone(s)
	}
	return true
}

// addAccount counts a number if its sign is in accounting notation.
func (c *column) addAccount(s string) {
	// a typographic minus sign is not accounting notation
	if _, is := c.count.as.cutAccountSign(s); !is || strings.HasPrefix(s, "−") {
		return
	}
	if c.accounts++; c.accounts == 1 {
		c.account = strings.Clone(s)
	}
}

// guessWord counts a value that is neither a number nor a bool and, for the first such values, what else it may be.
func (c *column) guessWord(s string) {
	c.words++
	if c.dates == c.words-1 && c.addDate(s) {
		return
	}
	if c.shortYears == c.words-1 && hasShortYear(s) {
		if c.shortYears++; c.shortYears == 1 {
			c.format[0] = strings.Clone(s)
		}
		return
	}
	if usualMarks[s] {
		c.marks++
	}
	if c.words <= tried {
		c.count.addText(s)
	}
}

// addDate counts a value if it is a date in the same order as the preceding dates and, like them, with or without
// an offset from UTC. It reports whether the value was counted.
func (c *column) addDate(s string) bool {
	m := parseDate(s, c.order)
	zone := ""
	if m.zoned {
		zone = zoneOf(m.offset)
	}
	if joint, ok := joinZones(c.zone, zone); m.in != 0 && (ok || c.dates == 0) {
		if c.order = m.in.allOrders(); c.dates == 0 {
			joint = zone
		}
		c.zone = joint
		if c.dates++; c.dates == 1 {
			c.format[0] = strings.Clone(s)
		}
		return true
	}
	if parseDate(s, anyOrder).in != 0 && c.dates > 0 {
		c.format[1] = strings.Clone(s)
	}
	return false
}

// joinZones returns the zone of a column whose times have two zones; ok is false if only one of the zones has an
// offset from UTC.
func joinZones(a, b string) (joint string, ok bool) {
	switch {
	case a == b:
		return a, true
	case a != "" && b != "":
		return intake.VariousOffsets, true
	}
	return intake.UTC, a+b == intake.UTC
}

// usualMarks holds words that often mark missing values.
var usualMarks = map[string]bool{"?": true, "-": true, "--": true, ".": true, "n/a": true, "na": true, "n.a.": true,
	"none": true, "missing": true, "unknown": true, "#N/A": true, "-999": true, "<NA>": true, "NaT": true}

// isText reports whether s is UTF-8 without NUL characters.
func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// isMissingWord reports whether s marks a missing value in every column that is not text.
func isMissingWord(s string) bool {
	switch s {
	case "NA", "N/A", "null", "NULL", "None":
		return true
	}
	return false
}

// styleRemark returns a remark about a different possible type of the column, given the style of the file, or nil.
func (c *column) styleRemark(rows int, v styleChoice) *table.Error {
	switch {
	case c.verbatim:
		return nil
	case c.Kind == table.Numeric && !c.Clock:
		return c.numericRemark(v)
	case c.Kind != table.Categorical || c.words+c.numbers == 0:
		return nil
	}
	switch {
	case c.isOfCodes():
		return &table.Error{Column: c.Name, Row: c.paddedRow, Class: table.ErrLeadingZeros,
			Msg:   fmt.Sprintf("the column is read as text because of leading zeros: the value is %q", c.padded),
			Fixes: []fix.Fix{fix.SayNumeric}, FixValues: map[fix.Fix]string{fix.SayNumeric: c.Name}}
	case c.isText():
		return nil
	case c.isOfDates():
		return &table.Error{Column: c.Name, Msg: "the column is read as text, but holds dates",
			Fixes: []fix.Fix{fix.SayDates}, FixValues: map[fix.Fix]string{fix.SayDates: "parts"}}
	case c.format[1] != "":
		return &table.Error{Column: c.Name, Msg: fmt.Sprintf(
			"the column is read as text, but holds dates in different formats, such as %q and %q", c.format[0], c.format[1]),
			Class: table.ErrMixedDates, Hint: "write all dates as 2024-03-31"}
	case c.dates == c.words && c.bools == 0 && c.numbers == 0:
		return &table.Error{Column: c.Name, Class: table.ErrDateOrder,
			Msg: fmt.Sprintf("the column is read as text, but holds dates such as %q, and no row shows whether the day or the "+
				"month comes first", c.format[0]), Fixes: []fix.Fix{fix.SayDateOrder}}
	case c.shortYears == c.words && c.bools == 0 && c.numbers == 0:
		return &table.Error{Column: c.Name, Class: table.ErrMixedDates,
			Msg:  fmt.Sprintf("the column is read as text, but holds dates such as %q without a century", c.format[0]),
			Hint: "write years with four digits"}
	}
	if e := c.numbersRemark(c.Name, v); e != nil {
		return e
	}
	if c.numbers == 0 || c.marks < c.words && c.numbers < rows/2 {
		return nil
	}
	e := &table.Error{Column: c.Name, Row: c.unexpectedRow,
		Msg: fmt.Sprintf("the column is read as text because of %q in this row, but %d of %d rows hold numbers", c.unexpected,
			c.numbers, rows)}
	if !c.mayBeMissing(rows) {
		e.Hint = "replace values that mean a number, as in 90+ by 95; name as missing only values that mean a missing " +
			"value"
		return e
	}
	e.Fixes, e.FixValues = []fix.Fix{fix.NameMissing}, map[fix.Fix]string{fix.NameMissing: c.unexpected}
	if !usualMarks[c.unexpected] { // the style only concerns this column
		e.FixValues[fix.NameMissing] = c.Name + "=" + c.unexpected
	}
	return e
}

// mayBeMissing reports whether the first text among numbers probably marks a missing value: it is a common mark, or
// it contains no digit and at most 1 % of the values are texts. Texts with digits, such as 90+ or 136A, carry
// information.
func (c *column) mayBeMissing(rows int) bool {
	if usualMarks[c.unexpected] || strings.HasPrefix(c.unexpected, "#") {
		return true
	}
	return !strings.ContainsAny(c.unexpected, "0123456789") && 100*c.words <= rows
}

// numericRemark returns a remark about possible misreadings of the column's numbers, or nil.
func (c *column) numericRemark(v styleChoice) *table.Error {
	switch {
	case c.known != nil && c.known.Text:
		return nil
	case c.accounts > 0:
		return &table.Error{Column: c.Name, Msg: fmt.Sprintf(
			"values like %q are read as negative numbers in accounting notation (%d of %d numbers)", c.account, c.accounts,
			c.numbers)}
	case !v.decimalGiven && (v.style < 0 || styles[v.style].decimal == ".") && c.count.holdsDottedThousands(v.semicolons):
		return &table.Error{Column: c.Name, Class: table.ErrDottedThousands,
			Msg: fmt.Sprintf("values like %q are read as decimal numbers, but the point may be a thousands separator",
				c.count.dottedExample),
			Fixes: []fix.Fix{fix.SayThousands, fix.SayDecimal}}
	}
	return nil
}

// isOfNumbers reports whether all values are numbers.
func (c *column) isOfNumbers() bool {
	return c.words == 0 && c.bools == 0 && (c.numbers > c.accounts || c.numeric && c.numbers+c.absent > 0)
}

// isOfFloats reports whether the column is known to hold numbers that are not all whole. The labels of numbers then
// do not depend on the other numbers of the file.
func (c *column) isOfFloats() bool { return c.known != nil && strings.HasPrefix(c.known.Type, "float") }

// isOfCodes reports whether all values are numbers and some have leading zeros that make the column text.
func (c *column) isOfCodes() bool { return c.paddedRow > 0 && !c.numeric && c.isOfNumbers() }

// isOfDates reports whether all values are dates in the same order.
func (c *column) isOfDates() bool {
	return c.dates == c.words && c.bools == 0 && c.numbers == 0 && c.order.order() != ""
}

// inferType sets the type of the column, called name, by the texts that were counted.
func (c *column) inferType(name string) {
	c.Column = &table.Column{Name: name, Kind: table.Categorical, Type: "string", FromText: true}
	nulls := c.nulls + c.absent
	c.nullNA = true
	switch {
	case c.verbatim:
		c.nullNA = false
	case c.known != nil && !c.isText() && c.words+c.numbers+c.bools == 0 && nulls > 0:
		c.Type = "null"
	case c.isText():
		nulls, c.nullNA = c.nulls, false
		if nulls > 0 && c.words == 0 {
			c.Type = "null"
		}
	case c.asDates && c.words > 0 && c.isOfDates():
		c.Kind, c.Type, c.Clock, c.Order, c.Zone = table.Numeric, "date", true, c.order.order(), c.zone
		c.renaming.ReadAs(DayParser(c.Order))
	case c.isOfCodes():
		nulls, c.nullNA = c.nulls, false
	case c.isOfNumbers() && c.integers == c.numbers && c.numbers > 0 && !c.isOfFloats():
		c.Kind, c.Type, c.Integer, c.Marks = table.Numeric, "int64", true, c.count.marks()
	case c.isOfNumbers():
		c.Kind, c.Type, c.Marks = table.Numeric, "float64", c.count.marks()
	case c.words == 0 && c.numbers == 0 && c.bools > 0:
		c.Kind, c.Type = table.Bool, "bool"
	default:
		nulls, c.nullNA = c.nulls, false // NA is text in this column
		if c.numbers > 0 || c.asDates && c.known != nil {
			c.UnexpectedRow, c.Unexpected = c.unexpectedRow, c.unexpected
		} else if nulls > 0 && c.words+c.absent == 0 {
			c.Type = "null"
		}
	}
	c.hasNulls = nulls > 0
}

// allocate allocates memory for the values of the given number of rows.
func (c *column) allocate(rows int) {
	if c.hasNulls {
		c.Null = make([]bool, rows)
	}
	if c.Kind == table.Categorical {
		c.Code, c.levels = make([]int32, rows), table.NewLevels()
	} else {
		c.Number = make([]float64, rows)
	}
}

// isSpilled reports whether the values are stored in a file if they do not fit into memory. Dates stay in memory,
// where they are split into parts.
func (c *column) isSpilled() bool { return c.used && !c.Clock }

// spill moves the values of the rows from c.first on to a part.
func (c *column) spill(to *intake.Spill, rows int) error {
	p, err := to.Put(c.Column, rows, c.levels)
	if err != nil {
		return err
	}
	c.parts, c.first = append(c.parts, p), c.first+rows
	clear(c.Null)
	clear(c.Number)
	return nil
}

// store stores the value of a row.
func (c *column) store(s string, row int) {
	text := s // the text before it is relabelled
	if !c.verbatim {
		if !c.keepsBlanks() {
			s = strings.TrimSpace(s)
		}
		text, s = s, c.renaming.Rename(s)
	}
	if s == "" && !(c.isText() && c.known.Empty == table.EmptyText) ||
		!c.verbatim && (c.renaming.IsMissing(s) || c.nullNA && isMissingWord(s)) {
		c.setNull(row)
		return
	}
	at := row - c.first
	switch {
	case c.Clock:
		days := parseDate(s, c.order).days
		if to, missing := c.renaming.RenameNumber(days); missing {
			c.setNull(row)
		} else {
			c.Number[at] = to
		}
	case c.Kind == table.Numeric:
		v, _, _ := c.count.as.parse(s)
		if to, missing := c.renaming.RenameNumber(v); missing {
			c.setNull(row)
			return
		} else if text == s {
			v = to
		}
		c.Number[at] = v
		if math.Abs(v) >= 1<<53 && c.InexactRow == 0 && !c.isExact(s, v) {
			c.InexactRow = row + 1
		}
	case c.Kind == table.Bool:
		if v, _ := numeral.ParseBool(s); v {
			c.Number[at] = 1
		}
	default:
		code, ok := c.levels.Find(s)
		if !ok {
			code = c.levels.Code(strings.Clone(s)) // do not keep the memory of the record in use
		}
		c.Code[at] = code
	}
}

// setNull makes the value of a row null.
func (c *column) setNull(row int) {
	if c.Null == nil {
		c.Null = make([]bool, max(len(c.Number), len(c.Code)))
	}
	at := row - c.first
	if c.Null[at] = true; c.Kind == table.Categorical {
		c.Code[at] = -1
	}
}

// addUnquoted records that the text with the given code is unquoted in JSON Lines, as numbers and bools are.
func (c *column) addUnquoted(code int32, kind table.Kind) {
	if kind == table.Other {
		return
	}
	if c.Unquoted = true; !c.isText() || c.known.Unquoted {
		return
	}
	if c.Foreign == nil {
		c.Foreign = map[string]table.Kind{}
	}
	c.Foreign[c.levels.Text[code]] = kind
}

// isExact reports whether v, which is at least 2^53 in absolute value, has all digits of the number written as s. The
// digits of a number with an exponent, which is a rounded one, are not compared.
func (c *column) isExact(s string, v float64) bool {
	s, _ = c.count.as.normalise(s)
	if math.IsInf(v, 0) || strings.ContainsAny(s, "eE") {
		return true
	}
	if strings.Contains(s, ".") {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return strings.TrimLeft(strings.TrimLeft(s, "+-"), "0") == strconv.FormatFloat(math.Abs(v), 'f', 0, 64)
}

// ParseNumber parses a text of a table as a number. missing reports whether the text marks a missing value.
func (o Options) ParseNumber(s string) (v float64, missing, number bool) {
	s = strings.TrimSpace(s)
	if s == "" || isMissingWord(s) {
		return 0, true, false
	}
	v, _, number = o.numberFormat().parse(s)
	return v, false, number
}
