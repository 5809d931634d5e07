package csv

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/table"
)

// A style is a way of writing numbers: a decimal mark and a thousands separator.
type style struct {
	decimal, thousands string
	words              string
}

// styles lists the usual styles, those without a thousands separator first.
var styles = [...]style{
	{".", "", "with a decimal point"},
	{".", ",", "with commas between thousands"},
	{".", " ", "with spaces between thousands"},
	{".", "'", "with apostrophes between thousands"},
	{",", "", "with a decimal comma"},
	{",", ".", "with a decimal comma and points between thousands"},
	{",", " ", "with a decimal comma and spaces between thousands"},
}

// strippable holds the marks, such as currency signs, that may surround numbers.
const strippable = "%$€£"

// options returns o with the marks of the style and the marks to strip.
func (s style) options(o Options, strip string) *Options {
	o.Decimal, o.Thousands, o.Strip = s.decimal, s.thousands, strip
	return &o
}

// tried is the largest number of texts of a column that are tried in every style.
const tried = 1000

// isMark reports whether r may be a decimal mark or a thousands separator.
func isMark(r rune) bool { return r == '.' || r == ',' || r == '\'' || r == ' ' || r >= 0x80 }

// A numberCount counts the values of a column that are numbers in each style.
type numberCount struct {
	texts    int              // looked at, that are not numeric as the file is read
	reads    [len(styles)]int // of these, numbers in a style
	numbers  int              // looked at, that are numbers as the file is read
	rejected [len(styles)]int // of these, not numbers in a style
	example  string           // the first of them that is a number in some style
	strip    string           // the marks at the ends of texts that are numbers in some style
}

// addNumber counts a value that is a number under o.
func (c *numberCount) addNumber(s string, o *Options) {
	c.numbers++
	if strings.IndexFunc(s, isMark) < 0 {
		return // the same number in every style
	}
	for i, style := range styles {
		same := style.decimal == o.decimal() && (o.Thousands == "" || style.thousands == o.Thousands)
		if same || c.rejected[i] > 0 && c.numbers > tried {
			continue
		}
		if _, _, ok := style.options(Options{}, o.Strip).parseNumber(s); !ok {
			c.rejected[i]++
		}
	}
}

// addText counts a value that is not a number under o.
func (c *numberCount) addText(s string, o *Options) {
	if c.texts >= tried {
		return
	}
	c.texts++
	is := false
	for i, style := range styles {
		if _, _, ok := style.options(Options{}, strippable+o.Strip).parseNumber(s); ok {
			c.reads[i]++
			is = true
		}
	}
	if !is {
		return
	}
	if c.example == "" {
		c.example = strings.Clone(s)
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, "+-"))
	last, _ := utf8.DecodeLastRuneInString(s)
	for _, mark := range []rune{first, last} {
		if strings.ContainsRune(strippable, mark) && !strings.ContainsRune(c.strip, mark) {
			c.strip += string(mark)
		}
	}
}

// isNumeric reports whether at least nine of ten values of a text column are numbers in a style.
func (c *numberCount) isNumeric(style int) bool {
	have := c.reads[style] + max(0, c.numbers-c.rejected[style])
	return c.reads[style] > 0 && 10*have >= 9*(c.texts+c.numbers)
}

// A styleChoice is the style of a file, and the evidence for another one.
type styleChoice struct {
	style  int    // an index of styles; -1: none can be chosen
	other  int    // of two styles that read the file equally well, the other one; -1 without one
	prefer int    // where other is set, the first of the two
	column string // a column that excludes the styles of other columns
}

// chooseStyle returns the style in which most columns are numeric, among those that keep every numeric column
// numeric. So a comma before exactly three digits separates thousands if another value of the file has a
// decimal point. If nothing decides, a comma separates thousands as well, unless fields are separated by
// semicolons, which is usual where the comma is the decimal mark: then no style is chosen.
func chooseStyle(columns []columnGuess, names []string, semicolons bool) styleChoice {
	v := styleChoice{style: -1, other: -1}
	var won, read [len(styles)]int
	var broken [len(styles)]bool
	for i := range columns {
		c := &columns[i]
		numeric := c.words == 0 && c.bools == 0 && c.numbers > 0
		for s := range styles {
			switch {
			case numeric && c.count.rejected[s] > 0:
				broken[s] = true
				if v.column == "" {
					v.column = names[i]
				}
			case !numeric && c.words > 0 && !c.isOfDates() && c.count.isNumeric(s):
				won[s]++
				read[s] += c.count.reads[s] - c.count.rejected[s]
			}
		}
	}
	for s := range styles {
		if broken[s] || won[s] == 0 {
			continue
		}
		switch b := v.style; {
		case b < 0 || won[s] > won[b] || won[s] == won[b] && read[s] > read[b]:
			v.style, v.other = s, -1
		case won[s] == won[b] && read[s] == read[b] && styles[b].thousands == "," && styles[s].decimal == "," && v.other < 0:
			v.other = s // another value
		}
	}
	switch {
	case v.other < 0:
	case semicolons:
		v.prefer, v.style = v.style, -1
	default:
		v.other = -1
	}
	return v
}

// numbersRemark returns a remark that a text column holds numbers in a style other than that of the file, or
// nil.
func (c *columnGuess) numbersRemark(name string, v styleChoice) *table.Error {
	n := &c.count
	e := &table.Error{Column: name, Class: table.ErrTextOfNumbers}
	if n.example == c.unexpected {
		e.Row = c.unexpectedRow
	}
	if v.other >= 0 && n.isNumeric(v.prefer) {
		is := func(s int) string {
			x, _, _ := styles[s].options(Options{}, strippable+c.options.Strip).parseNumber(n.example)
			return table.FormatNumber(x) + " " + styles[s].words
		}
		e.Msg = fmt.Sprintf("it is read as text, but values like %q are numbers: %s, or %s; nothing in the file shows which", n.example, is(v.prefer), is(v.other))
		e.Fixes = []fix.Fix{fix.SayThousands, fix.SayDecimal}
		return e
	}
	if v.style >= 0 && n.isNumeric(v.style) {
		best := v.style
		for s := range styles[:v.style] { // the simplest one that does as well
			if styles[s].decimal == styles[v.style].decimal && styles[s].thousands == "" && n.reads[s] == n.reads[best] {
				best = s
				break
			}
		}
		s, words := styles[best], styles[best].words
		e.FixValues = map[fix.Fix]string{}
		if n.strip != "" {
			e.Fixes, e.FixValues[fix.SayStrip] = append(e.Fixes, fix.SayStrip), n.strip
			if words = "with a currency mark"; n.strip == "%" {
				words = "with a percent sign"
			}
		}
		if s.decimal != c.options.decimal() {
			e.Fixes, e.FixValues[fix.SayDecimal] = append(e.Fixes, fix.SayDecimal), s.decimal
		}
		if s.thousands != "" && s.thousands != c.options.Thousands {
			e.Fixes, e.FixValues[fix.SayThousands] = append(e.Fixes, fix.SayThousands), s.thousands
		}
		e.Msg = fmt.Sprintf("it is read as text, but values like %q are numbers %s", n.example, words)
		return e
	}
	for s := range styles {
		if !n.isNumeric(s) {
			continue
		}
		but := ""
		if v.column != "" {
			but = fmt.Sprintf(", which %q does not have", v.column)
		}
		e.Msg = fmt.Sprintf("it is read as text, but values like %q are numbers %s%s", n.example, styles[s].words, but)
		e.Hint = "one file has one way to write numbers: write these as the others"
		return e
	}
	return nil
}
