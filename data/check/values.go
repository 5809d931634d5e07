package check

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/internal/printable"
)

// checkValues returns findings about the values of a column that do not depend on the target.
func checkValues(c *column, roles *Roles) (all []Finding) {
	role := roles.FindRole(c.Name)
	add := func(f Finding) {
		if f.Column = c.Name; f.Severity == "" {
			f.Severity = Warning
		}
		all = append(all, f)
	}
	if len(c.values) < 2 && (c.nulls == 0 || len(c.values) == 0) {
		add(Finding{What: Constant, Severity: Note, Evidence: "the column has at most one distinct value",
			Proposal: "not used for training"})
		return all
	}
	if c.Kind == data.Categorical {
		checkTexts(c, role, add)
		return all
	}
	if c.Kind != data.Numeric || c.Clock {
		return all
	}
	if role == "" {
		checkIndex(c, add)
	}
	if role == "" || role == "a group column" || role == "the target" && len(c.values) > 3 {
		checkSentinels(c, add)
	}
	if role == "" && !slices.Contains(roles.Categorical, c.Name) {
		checkCodes(c, add)
	}
	return all
}

// number matches a plain number within a longer text.
const number = `([-+]?\d[\d.,]*)`

// boundForms matches a bound such as 90+ or <0.3. The second list of patterns matches upper bounds.
var boundForms = regexp.MustCompile(`(?i)^(?:` + strings.Join([]string{
	number + `\s*\+`, `(?:>=?|<=?|≥|≤|⩾|⩽)\s*` + number, number + `\s*(?:>=?|<=?|≥|≤)`,
	number + `\s*(?:years?|yrs?)?\s*(?:or|and)\s*(?:more|over|older|above|less|under|younger|below|greater|fewer|up)`,
	`(?:under|over|above|below|less than|more than|fewer than|greater than|at least|at most|up to)\s*` + number,
}, "|") + `)$`)

// accountingForms matches the notations for negative numbers that are used in accounting.
var accountingForms = regexp.MustCompile(`^(?:\(\s*[$€£]?\s*\d[\d.,]*\s*\)|[$€£]?\d[\d.,]*\s*(?:-|CR|DR))$`)

// checkTexts examines the texts of a column for bounds and accounting notation among numbers, dates, and texts that
// differ in every row.
func checkTexts(c *column, role string, add func(Finding)) {
	numbers, bounds, accounts := 0, []count(nil), []count(nil)
	different := 0
	for _, v := range c.values {
		text := strings.TrimSpace(c.text(v))
		_, _, isNumber := numeral.ParseNumber(strings.ReplaceAll(text, ",", ""))
		switch {
		case isNumber:
			numbers += int(v.rows)
			different++
		case boundForms.MatchString(text):
			bounds = append(bounds, v)
		case accountingForms.MatchString(text):
			accounts = append(accounts, v)
		}
	}
	enough := different >= 3 && 2*numbers >= c.countValues() || different >= 10
	if len(bounds) > 0 && (enough || different >= 3 && len(bounds) <= 2) {
		n, first := countRows(bounds)
		fix, renames := make([]string, 0, 2), map[string]string{}
		for k, v := range bounds {
			text := c.text(v)
			if renames[text] = digitsOf(text); k < 2 {
				fix = append(fix, text+"->"+renames[text])
			}
		}
		add(Finding{What: Bounds, Renames: renames, Rows: n, First: c.row(first),
			Evidence: fmt.Sprintf("bounds such as %s among numbers turn the column into text with %d levels",
				c.quoteTexts(bounds),
				len(c.values)),
			Proposal: fmt.Sprintf("keep the column as text, or replace these values by numbers, as in %s",
				strings.Join(fix, ", "))})
		return
	}
	if len(accounts) > 0 && 10*(len(accounts)+different) >= 9*len(c.values) {
		n, first := countRows(accounts)
		add(Finding{What: Accounting, Rows: n, First: c.row(first),
			Evidence: fmt.Sprintf("negative numbers in accounting notation, such as %s, turn the column into text",
				c.quoteTexts(accounts)),
			Proposal: "write negative numbers with a minus sign"})
		return
	}
	if layout := dateLayout(c); layout != "" {
		add(Finding{What: Dates, Proposal: WriteDates, Evidence: fmt.Sprintf("dates such as %q are read as text with %d "+
			"levels",
			c.text(c.values[0]), len(c.values))})
		return
	}
	if role == "" && len(c.values) == c.countValues() && c.countValues() > 20 {
		add(Finding{What: UniqueText, Severity: Note, Evidence: "every row has a different text", Proposal: "leave it out"})
	}
}

// digitsOf returns the text of the number in a bound.
func digitsOf(bound string) string {
	return strings.TrimPrefix(strings.ReplaceAll(regexp.MustCompile(number).FindString(bound), ",", ""), "+")
}

// quoteTexts returns the most frequent texts, in quotes and in descending order of frequency.
func (c *column) quoteTexts(values []count) string {
	values = slices.Clone(values)
	slices.SortStableFunc(values, func(a, b count) int { return int(b.rows - a.rows) })
	var all []string
	for _, v := range values[:min(3, len(values))] {
		all = append(all, strconv.Quote(c.text(v)))
	}
	if n := len(values) - len(all); n > 0 {
		all = append(all, fmt.Sprintf("%d more", n))
	}
	return printable.JoinWords(all, "and")
}

// WriteDates is the advice about dates that are not read as dates.
const WriteDates = "write dates as 2024-03-31"

// exportLayouts lists layouts in which programs export dates and which are not read as dates by default.
var exportLayouts = []string{"2-Jan-2006", "2-Jan-06", "2 Jan 2006", "2Jan2006", "Jan 2, 2006", "January 2, 2006",
	"2 January 2006", "Jan 2006", "Jan-06", "January 2006", "2006-01", "2006/01",
	"1/2/06", "2/1/06", "2.1.06", "2006-Jan-02", "Mon, 02 Jan 2006 15:04:05 MST", "Mon Jan _2 15:04:05 2006",
	"2-Jan-2006 15:04:05", "Jan 2 2006 3:04PM", "02-JAN-06 03.04.05 PM", "1/2/2006", "2/1/2006", "1-2-2006", "2-1-2006"}

// dateLayout returns a layout that all examined texts of a column have, or "" if there is none.
func dateLayout(c *column) string {
	if len(c.values) < 5 {
		return ""
	}
	for _, layout := range exportLayouts {
		all := true
		for _, v := range c.values[:min(len(c.values), 200)] {
			if _, err := time.Parse(layout, strings.TrimSpace(c.text(v))); err != nil {
				all = false
				break
			}
		}
		if all {
			return layout
		}
	}
	return ""
}

// checkIndex finds row numbers, identifiers, and dates that are written in digits.
func checkIndex(c *column, add func(Finding)) {
	if !c.Integer {
		return
	}
	drop := "leave it out"
	if n := len(c.values); n > 20 && n == c.countValues() && c.nulls == 0 {
		inOrder, step := true, c.number[1]-c.number[0]
		for i := 1; i < len(c.rows) && inOrder; i++ {
			inOrder = (c.number[i]-c.number[i-1])*float64(c.rows[1]-c.rows[0]) == step*float64(c.rows[i]-c.rows[i-1])
		}
		switch {
		case inOrder && step != 0 || hasIndexName(c.Name):
			add(Finding{What: Index, Evidence: "the column numbers the rows, so it is an index and not a feature",
				Proposal: drop})
			return
		case isIDName(c.Name) && !hasWord(c.Name, "year", "age", "count", "amount"):
			add(Finding{What: Index, Evidence: "the column looks like an identifier: its name suggests one, and every row " +
				"has a different value",
				Proposal: drop})
			return
		}
	}
	if len(c.values) < 5 {
		return
	}
	for _, v := range c.values {
		if v.value < 19000101 || v.value > 21001231 {
			return
		}
		if _, err := time.Parse("20060102", strconv.FormatFloat(v.value, 'f', 0, 64)); err != nil {
			return
		}
	}
	add(Finding{What: Dates, Evidence: fmt.Sprintf("dates are written as whole numbers, such as %.0f, and are read as "+
		"numbers",
		c.values[0].value), Proposal: WriteDates})
}

// hasIndexName reports whether a name is one that programs give to the index of a table.
func hasIndexName(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasPrefix(lower, "__index_level_") || strings.HasPrefix(lower, "unnamed: ") || name == "column_1" ||
		lower == "rownames" || lower == "index" || lower == "_id"
}

// isIDName reports whether a name suggests an identifier.
func isIDName(name string) bool {
	w := SplitName(name)
	if len(w) == 0 {
		return false
	}
	ids := []string{"id", "ids", "uuid", "guid", "key", "nr", "nbr", "no", "number", "num", "case", "serial"}
	return w[0] == "id" || slices.Contains(ids, w[len(w)-1]) || strings.HasSuffix(name, "ID") ||
		strings.HasSuffix(name, "Id")
}

// sentinelCodes are numbers that often stand for a missing value.
var sentinelCodes = []float64{-1, -2, -7, -8, -9, -77, -88, -99, -777, -888, -999, -9999, -99999, 77, 88, 97, 98, 99,
	777, 888, 997, 998, 999, 7777, 8888, 9997, 9998, 9999, 99999, 999999, 9999999}

const (
	minDifferent = 5    // minimum number of different other values in a column with codes
	minCodeRows  = 3    // minimum number of rows with a code
	spike        = 5.0  // minimum number of rows of a code, relative to the average of the adjacent values
	farApart     = 0.25 // minimum distance, relative to the range of the other values
)

// checkSentinels finds codes for missing values at the ends of the range of a numeric column: a common code that is
// the only negative number, is far from the other values, or has many more rows than the adjacent values.
func checkSentinels(c *column, add func(Finding)) {
	lo, hi := 0, len(c.values)
	isCode := func(v count) bool { return slices.Contains(sentinelCodes, v.value) }
	for lo < hi && c.values[lo].value < 0 && isCode(c.values[lo]) {
		lo++
	}
	for hi > lo && c.values[hi-1].value > 0 && isCode(c.values[hi-1]) {
		hi--
	}
	rest := c.values[lo:hi]
	if len(rest) < minDifferent || lo == 0 && hi == len(c.values) {
		return
	}
	spread := rest[len(rest)-1].value - rest[0].value
	average := func(of []count) float64 {
		n := 0
		for _, v := range of {
			n += int(v.rows)
		}
		return float64(n) / float64(len(of))
	}
	above := average(rest[len(rest)-min(5, len(rest)):])
	integers := !slices.ContainsFunc(rest, func(v count) bool { return v.value != math.Trunc(v.value) })
	var found []count
	for _, v := range c.values[:lo] {
		alone := rest[0].value >= 0 && (len(rest) >= 8 || v.value < -2) && (integers || v.value < -2)
		far := rest[0].value-v.value > farApart*spread && v.value <= -7
		if v.rows >= minCodeRows && (alone || far) {
			found = append(found, v)
		}
	}
	for _, v := range c.values[hi:] {
		far := v.value-rest[len(rest)-1].value > farApart*spread
		if v.rows >= minCodeRows && (far && v.rows >= 2*minCodeRows || float64(v.rows) >= spike*above && v.rows >= 5) {
			found = append(found, v)
		}
	}
	if len(found) == 0 {
		return
	}
	f := newSentinels(c, found)
	f.Evidence += fmt.Sprintf(", and the other values range from %g to %g", rest[0].value, rest[len(rest)-1].value)
	add(f)
}

// checkCodes finds whole numbers that are probably codes, judging by the name of the column.
func checkCodes(c *column, add func(Finding)) {
	if !c.Integer || len(c.values) < 3 || len(c.values) > encode.DefaultMaxLevels || 5*len(c.values) > c.countValues() {
		return
	}
	if hasWord(c.Name, "zip", "zipcode", "postcode", "postal", "plz", "fips", "code", "codes", "icd", "naics", "sic",
		"isic", "branch", "msa", "tract", "cbsa") && !hasWord(c.Name, "count", "number", "score") {
		add(Finding{What: Codes, Evidence: fmt.Sprintf(
			"the name of the column suggests a code, but its %d different whole numbers are treated as a quantity with a "+
				"single slope",
			len(c.values)), Proposal: "use the column as a category"})
	}
}
