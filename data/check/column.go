package check

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/radix"
)

// A column holds the examined values of a column with their statistics.
type column struct {
	*data.Column           // the examined rows
	rows         []int     // numbers of the examined rows in the table, counted from 0
	number       []float64 // NaN for nulls; nil if the column is text; must not be changed
	distinct     int       // number of distinct values
	lowest       float64   // the lowest number; 0 if there is none
	nulls        int       // number of nulls, which include infinite numbers

	// distinct values with their rows, numbers in ascending order, texts in the order of their first rows, and the index
	// into values for each row, −1 for nulls; both are nil after dropCounts
	values   []count
	index    []int32
	unit     float64 // see roundingUnit; set by dropCounts
	decimals int
}

// A count is a value with the number of its rows.
type count struct {
	value float64 // the number, or the code of a text
	rows  int32
	first int32 // index of the first row with the value
}

// newColumn counts the values of a column.
func newColumn(c *data.Column, rows []int) *column {
	out := &column{Column: c, rows: rows, index: make([]int32, len(rows))}
	defer func() { out.distinct = len(out.values) }()
	if c.Kind == data.Categorical {
		place := make([]int32, len(c.Level))
		for i := range rows {
			out.index[i] = -1
			if c.IsNull(i) {
				out.nulls++
				continue
			}
			k := c.Code[i]
			if place[k] == 0 {
				out.values = append(out.values, count{value: float64(k), first: int32(i)})
				place[k] = int32(len(out.values))
			}
			out.index[i] = place[k] - 1
			out.values[place[k]-1].rows++
		}
		return out
	}
	out.number = c.Number
	isNumber := func(i int) bool { return !c.IsNull(i) && !math.IsNaN(c.Number[i]) && !math.IsInf(c.Number[i], 0) }
	for i := range rows {
		if out.index[i] = -1; !isNumber(i) {
			out.nulls++
		}
	}
	if out.nulls > 0 {
		out.number = make([]float64, len(rows))
		for i := range rows {
			if out.number[i] = math.NaN(); isNumber(i) {
				out.number[i] = c.Number[i]
			}
		}
	}
	order, different := radix.Argsort(out.number), 0 // NaN sorts to one end
	order = slices.DeleteFunc(order, func(i int32) bool { return math.IsNaN(out.number[i]) })
	for n, i := range order {
		if n == 0 || out.number[order[n-1]] != out.number[i] {
			different++
		}
	}
	out.values = make([]count, 0, different)
	for _, i := range order {
		n := len(out.values)
		if n == 0 || out.values[n-1].value != out.number[i] {
			// equal values keep their order
			out.values = append(out.values, count{value: out.number[i], first: i})
			n++
		}
		out.index[i] = int32(n - 1)
		out.values[n-1].rows++
	}
	if len(out.values) > 0 {
		out.lowest = out.values[0].value
	}
	return out
}

// dropCounts frees the distinct values of numbers and their rows, unless checks of several columns need them: if the
// column can be the key of averages or can be combined with another column. A wide table has too many columns to
// hold the numbers of each twice.
func (c *column) dropCounts() {
	if c.number == nil {
		return
	}
	c.unit, c.decimals = c.roundingUnit()
	if c.distinct > pairLevels && !c.canBeKey() {
		c.values, c.index = nil, nil
	}
}

// canBeKey reports whether enough rows share their value with other rows to compute averages of these rows.
func (c *column) canBeKey() bool { return c.distinct >= keyValues && 3*c.distinct <= 2*len(c.rows) }

// text returns the text of a value of a column of texts.
func (c *column) text(v count) string { return c.Level[int(v.value)] }

// isMissing reports whether a row, given by its index, has a null, which may be an infinite number.
func (c *column) isMissing(i int) bool {
	if c.number != nil {
		return math.IsNaN(c.number[i])
	}
	return c.index[i] < 0
}

// countValues returns the number of rows that are not null.
func (c *column) countValues() int { return len(c.rows) - c.nulls }

// row returns the row number in the table, counted from 1, of an examined row given by its index.
func (c *column) row(place int) int { return c.rows[place] + 1 }

// SplitName splits the name of a column into lower-case words: is_recid, isRecid and "is recid" become is, recid.
func SplitName(name string) []string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r):
			b.WriteByte(' ')
			lower = false
			continue
		case unicode.IsUpper(r) && lower:
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

// hasWord reports whether a name contains one of the given words.
func hasWord(name string, of ...string) bool {
	return slices.ContainsFunc(SplitName(name), func(w string) bool { return slices.Contains(of, w) })
}
