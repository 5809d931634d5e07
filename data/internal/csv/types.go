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

// A columnGuess collects what the type of a column may be.
type columnGuess struct {
	options       *Options
	used          bool
	verbatim      bool
	nulls         int // empty fields, and texts that were said to stand for no value
	missing       int // NA and its like
	numbers       int
	integers      int
	bools         int
	words         int       // neither
	dates         int       // of the words
	order         order     // in which these may be written
	format        [2]string // of two dates that are not in one order, each an example
	unexpectedRow int
	unexpected    string
	count         numberCount    // in other styles of numbers
	marks         map[string]int // words that often stand for no value
}

// add adds a value. It returns false if the value is not valid text.
func (c *columnGuess) add(s string, row int) (valid bool) {
	if c.verbatim {
		if s == "" {
			c.nulls++
		} else if c.words++; !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
			return false
		}
		return true
	}
	s = strings.TrimSpace(s)
	switch {
	case s == "" || c.options.isMissing(s):
		c.nulls++
		return true
	case isMissingWord(s):
		c.missing++
		return true
	}
	if _, whole, ok := c.options.parseNumber(s); ok {
		c.numbers++
		c.count.addNumber(s, c.options)
		if whole {
			c.integers++
		}
		return true
	}
	if _, ok := table.ParseBool(s); ok {
		c.bools++
	} else {
		if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
			return false
		}
		c.addWord(s)
	}
	if c.dates == c.words && c.bools == 0 && c.numbers == 0 {
		return true
	}
	if c.unexpectedRow == 0 {
		c.unexpectedRow, c.unexpected = row+1, strings.Clone(s)
	}
	return true
}

// addWord adds a text value, and records what else the first ones may be.
func (c *columnGuess) addWord(s string) {
	if c.words++; c.dates == c.words-1 {
		if c.dates == 0 {
			c.order = anyOrder
		}
		o := dateOrders(s)
		if o != 0 && c.order&o == 0 {
			c.format[1] = strings.Clone(s)
		}
		if c.order &= o; c.order != 0 {
			if c.dates++; c.dates == 1 {
				c.format[0] = strings.Clone(s)
			}
			return
		}
	}
	if c.words > tried {
		return
	}
	c.count.addText(s, c.options)
	if often[s] {
		if c.marks == nil {
			c.marks = make(map[string]int)
		}
		c.marks[strings.Clone(s)]++
	}
}

// often lists words that usually stand for missing values.
var often = map[string]bool{"?": true, "-": true, "--": true, ".": true, "n/a": true, "na": true, "n.a.": true,
	"none": true, "missing": true, "unknown": true, "#N/A": true, "-999": true, "<NA>": true, "NaT": true}

// remark returns a remark on what a text column may be instead, given the style of the file, or nil.
func (c *columnGuess) remark(col *table.Column, rows int, v styleChoice) *table.Error {
	if c.verbatim || col.Kind != table.Categorical || c.words == 0 {
		return nil
	}
	if c.isOfDates() {
		return &table.Error{Column: col.Name, Msg: "it is read as text, but holds dates", Fixes: []fix.Fix{fix.SayDates}, FixValues: map[fix.Fix]string{fix.SayDates: "parts"}}
	}
	if c.format[1] != "" {
		return &table.Error{Column: col.Name, Msg: fmt.Sprintf("it is read as text, but holds dates in different formats, like %q and %q", c.format[0], c.format[1]), Class: table.ErrMixedDates, Hint: "write all dates as 2024-03-31"}
	}
	if e := c.numbersRemark(col.Name, v); e != nil {
		return e
	}
	tried := min(c.words, tried)
	marks := 0
	word := ""
	for _, w := range slices.Sorted(maps.Keys(c.marks)) {
		if marks += c.marks[w]; c.marks[w] > c.marks[word] {
			word = w
		}
	}
	if c.numbers > 0 && marks == tried && tried == c.words {
		return &table.Error{Column: col.Name, Row: c.unexpectedRow, Msg: fmt.Sprintf("it is read as text, but apart from %q it holds numbers", word),
			Fixes: []fix.Fix{fix.NameMissing}, FixValues: map[fix.Fix]string{fix.NameMissing: word}}
	}
	if col.UnexpectedRow > 0 && c.numbers >= rows/2 {
		return &table.Error{Column: col.Name, Row: col.UnexpectedRow, Msg: fmt.Sprintf("it is read as text: this row holds %q, though %d of %d rows are numbers", col.Unexpected, c.numbers, rows),
			Fixes: []fix.Fix{fix.NameMissing}, FixValues: map[fix.Fix]string{fix.NameMissing: col.Unexpected}}
	}
	return nil
}

// isOfDates reports whether all values are dates, in one order.
func (c *columnGuess) isOfDates() bool {
	return c.dates == c.words && c.bools == 0 && c.numbers == 0 && c.order.isDecided()
}

// column returns the empty column for the guess.
func (c *columnGuess) column(name string, rows int) *table.Column {
	out := &table.Column{Name: name}
	nulls := c.nulls > 0
	switch {
	case c.verbatim:
		out.Kind, out.Type = table.Categorical, "string"
	case c.options.Dates && c.isOfDates():
		out.Kind, out.Type, out.Clock, nulls = table.Numeric, "date", true, nulls || c.missing > 0
	case c.words == 0 && c.bools == 0 && c.numbers > 0:
		out.Kind, out.Type, nulls = table.Numeric, "float64", nulls || c.missing > 0
		if c.integers == c.numbers {
			out.Type, out.Integer = "int64", true
		}
	case c.words == 0 && c.numbers == 0 && c.bools > 0:
		out.Kind, out.Type, nulls = table.Bool, "bool", nulls || c.missing > 0
	case c.words == 0 && c.numbers == 0 && c.missing == 0 && c.nulls > 0:
		out.Kind, out.Type = table.Categorical, "null"
	default:
		out.Kind, out.Type = table.Categorical, "string"
		if c.numbers > 0 {
			out.UnexpectedRow, out.Unexpected = c.unexpectedRow, c.unexpected
		}
	}
	if nulls {
		out.Null = make([]bool, rows)
	}
	if out.Kind == table.Categorical {
		out.Code = make([]int32, rows)
	} else {
		out.Number = make([]float64, rows)
	}
	return out
}

// A builder fills a column with values.
type builder struct {
	*table.Column
	options  *Options
	verbatim bool
	levels   *table.Levels
	order    order // of dates
}

// add stores the value of a row.
func (c *builder) add(s string, row int) {
	if !c.verbatim {
		s = strings.TrimSpace(s)
	}
	if s == "" || !c.verbatim && (c.options.isMissing(s) || c.Kind != table.Categorical && isMissingWord(s)) {
		c.Null[row] = true
		if c.Kind == table.Categorical {
			c.Code[row] = -1
		}
		return
	}
	switch c.Kind {
	case table.Numeric:
		if c.Clock {
			c.Number[row], _ = parseDay(s, c.order)
			return
		}
		v, whole, _ := c.options.parseNumber(s)
		c.Number[row] = v
		if whole && math.Abs(v) >= 1<<53 && c.InexactRow == 0 && !c.isExact(s, v) {
			c.InexactRow = row + 1
		}
	case table.Bool:
		v, _ := table.ParseBool(s)
		if v {
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

func isMissingWord(s string) bool {
	switch s {
	case "NA", "N/A", "null", "NULL", "None":
		return true
	}
	return false
}

// isExact reports whether v is exactly the whole number written as s.
func (c *builder) isExact(s string, v float64) bool {
	s, _ = c.options.normaliseNumber(s)
	return strings.TrimLeft(strings.TrimLeft(s, "+-"), "0") == strconv.FormatFloat(math.Abs(v), 'f', 0, 64)
}
