package csv

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
)

// styles lists the usual formats of numbers; those without a thousands separator come first.
var styles = [...]struct {
	decimal, thousands string
	words              string
}{
	{".", "", "with a decimal point"},
	{".", ",", "with commas between thousands"},
	{".", " ", "with spaces between thousands"},
	{".", "'", "with apostrophes between thousands"},
	{",", "", "with a decimal comma"},
	{",", ".", "with a decimal comma and points between thousands"},
	{",", " ", "with a decimal comma and spaces between thousands"},
}

// Two styles that cannot be distinguished if every comma is followed by three digits.
const commaThousands, commaDecimal = 1, 4

// strippable holds the marks, such as currency signs, that may surround numbers.
const strippable = "%$€£"

// tried is the maximum number of texts of a column that are tried in every style.
const tried = 1000

// isMark reports whether r may be a decimal separator or a thousands separator.
func isMark(r rune) bool { return r == '.' || r == ',' || r == '\'' || r == ' ' || r >= 0x80 }

// A numberCount counts the values of a column that are numbers in each style.
type numberCount struct {
	as   numberFormat      // format in which the file is read
	same [len(styles)]bool // styles that read all numbers in the same way
	// number of examined texts that are not numbers in the file's number format
	texts int
	reads [len(styles)]int // number of these that are numbers, by style
	// number of examined texts that are numbers in the file's number format
	numbers  int
	rejected [len(styles)]int // number of these that are not numbers, by style
	example  string           // first text that is a number in some style
	strip    string           // marks at the ends of texts that are numbers in some style

	whole     int    // count of numbers without any separator
	long      string // first of these with more than three digits
	fractions int    // of the numbers, those with a decimal separator
	// of these, those whose decimal separator may stand between thousands, as 1.234; not all, if fractions of both
	// kinds were found
	dotted        int
	dottedExample string        // the first such value
	dottedRow     int           // row of the first such number, counted from 1
	signed        [maxSigns]int // count of numbers with each of the stripped characters
}

// maxSigns is the maximum number of stripped characters that are counted.
const maxSigns = 8

// newNumberCount returns a count of numbers in the given format.
func newNumberCount(as numberFormat) numberCount {
	c := numberCount{as: as}
	for i, style := range styles {
		c.same[i] = style.decimal == as.decimal && (as.thousands == "" || style.thousands == as.thousands)
	}
	return c
}

// parse parses a number in a style.
func (c *numberCount) parse(s string, style int) (v float64, ok bool) {
	v, _, ok = numberFormat{styles[style].decimal, styles[style].thousands, strippable + c.as.strip}.parse(s)
	return v, ok
}

// addNumber counts a value that is a number in the file's number format.
func (c *numberCount) addNumber(s string, row int) {
	c.numbers++
	if c.as.strip != "" {
		s = c.countSigns(s)
	} else if hasAccountSign(s) {
		s, _ = c.as.cutAccountSign(s) // the sign must not be mistaken for a decimal separator
	}
	if !strings.ContainsFunc(s, isMark) {
		c.whole++
		if c.long == "" && len(strings.TrimLeft(s, "+-")) > 3 {
			c.long = strings.Clone(s)
		}
		return // the text is the same number in every style
	}
	if c.as.thousands == "" || strings.Contains(s, c.as.decimal) {
		c.fractions++
		decided := c.dotted > 0 && c.dotted < c.fractions-1 // the column has fractions of both kinds
		if !decided && c.looksLikeThousands(s) {
			if c.dotted++; c.dotted == 1 {
				c.dottedExample, c.dottedRow = strings.Clone(s), row+1
			}
		}
	}
	for i := range styles {
		if c.same[i] || c.rejected[i] > 0 && c.numbers > tried {
			continue
		}
		if _, ok := c.parse(s, i); !ok {
			c.rejected[i]++
		}
	}
}

// countSigns counts the stripped characters at the ends of a number, and returns the number without them.
func (c *numberCount) countSigns(s string) string {
	bare := strings.Trim(s, c.as.strip+" +-−()")
	for k, sign := range []rune(c.as.strip) {
		if k < maxSigns && len(bare) < len(s) && strings.ContainsRune(s, sign) {
			c.signed[k]++
		}
	}
	return bare
}

// marks returns a description of the separators and other marks in the numbers.
func (c *numberCount) marks() *table.NumberMarks {
	m := &table.NumberMarks{Long: c.long, Dotted: c.dottedExample}
	switch {
	case c.fractions == 0:
		m.Fractions = table.NoFractions
	case c.dotted == 0:
		m.Fractions = table.OtherFractions
	case c.dotted == c.fractions:
		m.Fractions = table.DottedFractions
	default:
		m.Fractions = table.MixedFractions
	}
	for k, sign := range []rune(c.as.strip) {
		switch {
		case k >= maxSigns || c.signed[k] == 0:
		case c.signed[k] == c.numbers:
			m.Always += string(sign)
		default:
			m.Sometimes += string(sign)
		}
	}
	return m
}

// looksLikeThousands reports whether the decimal separator of a number may be a thousands separator: it has one to
// three digits before it, the first of which is not 0, and three digits after it.
func (c *numberCount) looksLikeThousands(s string) bool {
	if len(s) < 5 || s[len(s)-4] != c.as.decimal[0] {
		return false
	}
	whole, fraction, _ := strings.Cut(strings.TrimLeft(s, "+-"), c.as.decimal)
	return len(fraction) == 3 && len(whole) > 0 && len(whole) <= 3 && whole[0] != '0' &&
		strings.Trim(whole+fraction, "0123456789") == ""
}

// holdsDottedThousands reports whether numbers read with a decimal point are probably whole numbers with points as
// thousands separators. Every fraction must have three digits, and numbers without a point must be below 1000; if
// there are no such numbers, the fields must be separated by semicolons.
func (c *numberCount) holdsDottedThousands(semicolons bool) bool {
	return c.as == plain && c.dotted >= 2 && c.dotted == c.fractions && c.long == "" && (c.whole > 0 || semicolons)
}

// addText counts a value that is not a number in the file's number format.
func (c *numberCount) addText(s string) {
	c.texts++
	is := false
	for i := range styles {
		if _, ok := c.parse(s, i); ok {
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
	for _, mark := range strings.Split(strippable, "") {
		surrounds := strings.HasPrefix(strings.TrimLeft(s, "+-"), mark) || strings.HasSuffix(s, mark)
		if surrounds && !strings.Contains(c.strip, mark) {
			c.strip += mark
		}
	}
}

// isNumeric reports whether at least nine in ten values of a text column are numbers in a style.
func (c *numberCount) isNumeric(style int) bool {
	have := c.reads[style] + c.numbers - c.rejected[style]
	return c.reads[style] > 0 && 10*have >= 9*(c.texts+c.numbers)
}

// A styleChoice is the number style chosen for a file.
type styleChoice struct {
	style     int    // index into styles, or -1 if there is none
	ambiguous bool   // commaThousands and commaDecimal fit the file equally well
	excluding string // name of a column that rules out the styles of other columns

	semicolons   bool // fields are separated by semicolons
	decimalGiven bool // the user named the decimal separator
}

// chooseStyle returns the style in which most columns are numeric, among those that keep every numeric column numeric.
// A comma before exactly three digits therefore separates thousands if another value of the file has a decimal point.
// If nothing in the file decides, a comma separates thousands. The style is ambiguous, however, if semicolons separate
// the fields, as is usual in countries in which the comma is the decimal separator.
func chooseStyle(columns []*column, names []string, semicolons bool) styleChoice {
	v := styleChoice{style: -1, semicolons: semicolons}
	var won, read [len(styles)]int // number of columns that are numeric in each style, and of the numbers in them
	var broken [len(styles)]bool
	for i, c := range columns {
		for s := range styles {
			switch {
			case c.isOfNumbers() && c.count.rejected[s] > 0:
				broken[s] = true
				v.excluding = cmp.Or(v.excluding, names[i])
			case c.words > 0 && !c.isOfDates() && c.count.isNumeric(s):
				won[s]++
				read[s] += c.count.reads[s] - c.count.rejected[s]
			}
		}
	}
	compare := func(a, b int) int { return cmp.Or(cmp.Compare(won[a], won[b]), cmp.Compare(read[a], read[b])) }
	for s := range styles {
		if !broken[s] && won[s] > 0 && (v.style < 0 || compare(s, v.style) > 0) {
			v.style = s
		}
	}
	v.ambiguous = semicolons && v.style == commaThousands && !broken[commaDecimal] && compare(commaDecimal, v.style) == 0
	return v
}

// numbersRemark returns a remark that a text column holds numbers in a style other than the file's, or
// nil.
func (c *column) numbersRemark(name string, v styleChoice) *table.Error {
	n := &c.count
	e := &table.Error{Column: name, Class: table.ErrTextOfNumbers,
		Msg: fmt.Sprintf("the column is read as text, but values like %q are numbers", n.example)}
	if n.example == c.unexpected {
		e.Row = c.unexpectedRow
	}
	readable := v.style >= 0 && n.isNumeric(v.style)
	switch {
	case readable && v.ambiguous:
		is := func(s int) string {
			x, _ := n.parse(n.example, s)
			return numeral.FormatNumber(x) + " " + styles[s].words
		}
		e.Msg += fmt.Sprintf(": %s, or %s; nothing in the file shows which", is(commaThousands), is(commaDecimal))
		e.Fixes = []fix.Fix{fix.SayThousands, fix.SayDecimal}
	case readable:
		s := styles[v.style]
		// if this column has no thousands separator, prefer a style without one
		for k, simple := range styles {
			if simple.decimal == s.decimal && simple.thousands == "" && n.reads[k] == n.reads[v.style] {
				s = simple
			}
		}
		e.Msg += " " + s.words
		if n.strip != "" {
			e.Msg += fmt.Sprintf(" after %q is stripped", n.strip)
		}
		e.FixValues = map[fix.Fix]string{}
		for _, f := range []struct {
			fix            fix.Fix
			value, instead string
		}{{fix.SayStrip, n.strip, n.as.strip}, {fix.SayDecimal, s.decimal, n.as.decimal},
			{fix.SayThousands, s.thousands, n.as.thousands}} {
			if f.value != "" && f.value != f.instead {
				e.Fixes, e.FixValues[f.fix] = append(e.Fixes, f.fix), f.value
			}
		}
	default:
		for k, style := range styles {
			if !n.isNumeric(k) {
				continue
			}
			e.Msg += " " + style.words
			if v.excluding != "" {
				e.Msg += fmt.Sprintf("; %q is not in this format", v.excluding)
			}
			e.Hint = "all numbers of a file need one format: write these like the others"
			return e
		}
		return nil
	}
	return e
}
