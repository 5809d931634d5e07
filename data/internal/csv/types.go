package csv

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/table"
)

// A column collects, in the first reading of a text, what the type of a column may be, and in the second one its
// values.
type column struct {
	missing  []string          // texts that stand for no value
	relabel  map[string]string // texts that are renamed
	found    map[string]bool   // of the texts in missing and relabel: those that occur
	asDates  bool              // dates are numbers
	verbatim bool
	used     bool

	nulls         int // empty fields, and texts that were said to stand for no value
	absent        int // NA and its like
	numbers       int
	integers      int
	bools         int
	words         int       // neither
	marks         int       // of the words, those that often stand for no value
	dates         int       // of the words
	order         layoutSet // in which these may be written
	format        [2]string // of two dates that are not in one order, each an example
	unexpectedRow int
	unexpected    string
	count         numberCount // in other styles of numbers

	*table.Column
	levels *table.Levels
}

// newColumn returns a column of that name without values.
func (r *reading) newColumn(name string) *column {
	return &column{missing: r.options.missingTexts(name, r.header), relabel: r.options.Relabel, found: map[string]bool{},
		asDates: r.options.Dates, verbatim: r.verbatim, used: true, order: anyOrder, count: numberCount{as: r.options.numberFormat()}}
}

// unusedTexts returns the items of Options.Missing and the keys of Options.Relabel that no column holds.
func (r *reading) unusedTexts() (missing, relabel []string) {
	occurs := func(name, text string) bool {
		return slices.ContainsFunc(r.columns, func(c *column) bool { return (name == "" || c.Column != nil && c.Name == name) && c.found[text] })
	}
	for _, item := range r.options.Missing {
		if of, text := splitMissing(item, r.header); !occurs(of, text) {
			missing = append(missing, item)
		}
	}
	for _, from := range slices.Sorted(maps.Keys(r.options.Relabel)) {
		if !occurs("", from) {
			relabel = append(relabel, from)
		}
	}
	return missing, relabel
}

// renamed returns the text that stands for s.
func (c *column) renamed(s string) string {
	if len(c.relabel) == 0 {
		return s
	}
	to, ok := c.relabel[s]
	if !ok {
		return s
	}
	c.found[s] = true
	return to
}

// isMissing reports whether s is one of the texts that were said to stand for no value.
func (c *column) isMissing(s string) bool {
	if len(c.missing) == 0 || !slices.Contains(c.missing, s) {
		return false
	}
	c.found[s] = true
	return true
}

// guess counts a value. It returns false if the value is not valid text.
func (c *column) guess(s string, row int) (valid bool) {
	if c.verbatim {
		if s == "" {
			c.nulls++
			return true
		}
		c.words++
		return isText(s)
	}
	s = c.renamed(strings.TrimSpace(s))
	switch {
	case s == "" || c.isMissing(s):
		c.nulls++
		return true
	case isMissingWord(s):
		c.absent++
		return true
	}
	if _, whole, ok := c.count.as.parse(s); ok {
		c.numbers++
		c.count.addNumber(s)
		if whole {
			c.integers++
		}
		return true
	}
	if _, ok := table.ParseBool(s); ok {
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

// guessWord counts a value that is neither a number nor a bool, and what else the first ones may be.
func (c *column) guessWord(s string) {
	c.words++
	if c.dates == c.words-1 {
		_, in := parseDate(s, c.order)
		if in != 0 {
			c.order = in.orders()
			if c.dates++; c.dates == 1 {
				c.format[0] = strings.Clone(s)
			}
			return
		}
		if _, in := parseDate(s, anyOrder); in != 0 {
			c.format[1] = strings.Clone(s)
		}
	}
	if often[s] {
		c.marks++
	}
	if c.words <= tried {
		c.count.addText(s)
	}
}

// often lists words that usually stand for missing values.
var often = map[string]bool{"?": true, "-": true, "--": true, ".": true, "n/a": true, "na": true, "n.a.": true,
	"none": true, "missing": true, "unknown": true, "#N/A": true, "-999": true, "<NA>": true, "NaT": true}

// isText reports whether s is UTF-8 without NUL characters.
func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

func isMissingWord(s string) bool {
	switch s {
	case "NA", "N/A", "null", "NULL", "None":
		return true
	}
	return false
}

// remark returns a remark on what a text column may be instead, given the style of the file, or nil.
func (c *column) remark(rows int, v styleChoice) *table.Error {
	if c.verbatim || c.Kind != table.Categorical || c.words == 0 {
		return nil
	}
	if c.isOfDates() {
		return &table.Error{Column: c.Name, Msg: "it is read as text, but holds dates", Fixes: []fix.Fix{fix.SayDates}, FixValues: map[fix.Fix]string{fix.SayDates: "parts"}}
	}
	if c.format[1] != "" {
		return &table.Error{Column: c.Name, Msg: fmt.Sprintf("it is read as text, but holds dates in different formats, like %q and %q", c.format[0], c.format[1]), Class: table.ErrMixedDates, Hint: "write all dates as 2024-03-31"}
	}
	if e := c.numbersRemark(c.Name, v); e != nil {
		return e
	}
	if c.numbers == 0 || c.marks < c.words && c.numbers < rows/2 {
		return nil
	}
	e := &table.Error{Column: c.Name, Row: c.unexpectedRow, Msg: fmt.Sprintf("it is read as text: this row holds %q, though %d of %d rows are numbers", c.unexpected, c.numbers, rows)}
	if !c.mayBeMissing(rows) {
		e.Hint = "if such a text stands for a number, rename it to that number, as 90+ to 95; name only texts without a value as missing"
		return e
	}
	e.Fixes, e.FixValues = []fix.Fix{fix.NameMissing}, map[fix.Fix]string{fix.NameMissing: c.unexpected}
	if !often[c.unexpected] { // it says something about this column alone
		e.FixValues[fix.NameMissing] = c.Name + "=" + c.unexpected
	}
	return e
}

// mayBeMissing reports whether the first text among numbers probably stands for no value: it is a usual mark, or it
// has no digit and at most one value in a hundred is a text. Texts with digits, such as 90+ or 136A, hold information.
func (c *column) mayBeMissing(rows int) bool {
	if often[c.unexpected] || strings.HasPrefix(c.unexpected, "#") {
		return true
	}
	return !strings.ContainsAny(c.unexpected, "0123456789") && 100*c.words <= rows
}

// isOfNumbers reports whether all values are numbers.
func (c *column) isOfNumbers() bool { return c.words == 0 && c.bools == 0 && c.numbers > 0 }

// isOfDates reports whether all values are dates, in one order.
func (c *column) isOfDates() bool {
	return c.dates == c.words && c.bools == 0 && c.numbers == 0 && c.order.isDecided()
}

// allocate sets the type of the column and allocates its values.
func (c *column) allocate(name string, rows int) {
	c.Column = &table.Column{Name: name, Kind: table.Categorical, Type: "string"}
	nulls := c.nulls + c.absent
	switch {
	case c.verbatim:
	case c.asDates && c.isOfDates():
		c.Kind, c.Type, c.Clock = table.Numeric, "date", true
	case c.isOfNumbers() && c.integers == c.numbers:
		c.Kind, c.Type, c.Integer = table.Numeric, "int64", true
	case c.isOfNumbers():
		c.Kind, c.Type = table.Numeric, "float64"
	case c.words == 0 && c.numbers == 0 && c.bools > 0:
		c.Kind, c.Type = table.Bool, "bool"
	default:
		nulls = c.nulls // NA is text
		if c.numbers > 0 {
			c.UnexpectedRow, c.Unexpected = c.unexpectedRow, c.unexpected
		} else if nulls > 0 && c.words+c.absent == 0 {
			c.Type = "null"
		}
	}
	if nulls > 0 {
		c.Null = make([]bool, rows)
	}
	if c.Kind == table.Categorical {
		c.Code, c.levels = make([]int32, rows), table.NewLevels()
	} else {
		c.Number = make([]float64, rows)
	}
}

// store stores the value of a row.
func (c *column) store(s string, row int) {
	if !c.verbatim {
		s = c.renamed(strings.TrimSpace(s))
	}
	if s == "" || !c.verbatim && (c.isMissing(s) || c.Kind != table.Categorical && isMissingWord(s)) {
		c.Null[row] = true
		if c.Kind == table.Categorical {
			c.Code[row] = -1
		}
		return
	}
	switch {
	case c.Clock:
		c.Number[row], _ = parseDate(s, c.order)
	case c.Kind == table.Numeric:
		v, whole, _ := c.count.as.parse(s)
		c.Number[row] = v
		if whole && math.Abs(v) >= 1<<53 && c.InexactRow == 0 && !c.isExact(s, v) {
			c.InexactRow = row + 1
		}
	case c.Kind == table.Bool:
		if v, _ := table.ParseBool(s); v {
			c.Number[row] = 1
		}
	default:
		code, ok := c.levels.Find(s)
		if !ok {
			code = c.levels.Code(strings.Clone(s)) // do not keep the record alive
		}
		c.Code[row] = code
	}
}

// isExact reports whether v is exactly the whole number written as s.
func (c *column) isExact(s string, v float64) bool {
	s, _ = c.count.as.normalise(s)
	return strings.TrimLeft(strings.TrimLeft(s, "+-"), "0") == strconv.FormatFloat(math.Abs(v), 'f', 0, 64)
}
