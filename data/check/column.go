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
	rows         []int     // of the table, from 0
	number       []float64 // NaN for nulls; nil for text
	values       []count   // the different values with their rows, in ascending order of numbers or by first row
	index        []int32   // by row: the value in values, or −1 for nulls
	nulls        int
}

// A count is a value and its rows.
type count struct {
	text  string  // of a text
	value float64 // of a number
	rows  int
	first int // place of the first row
}

// newColumn counts the values of a column.
func newColumn(c *data.Column, rows []int) *column {
	out := &column{Column: c, rows: rows, index: make([]int32, len(rows))}
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
				out.values = append(out.values, count{text: c.Level[k], first: i})
				place[k] = int32(len(out.values))
			}
			out.index[i] = place[k] - 1
			out.values[place[k]-1].rows++
		}
		return out
	}
	out.number = make([]float64, len(rows))
	known, values := make([]int32, 0, len(rows)), make([]float64, 0, len(rows)) // places with a number
	for i := range rows {
		out.index[i], out.number[i] = -1, math.NaN()
		if v := c.Number[i]; c.IsNull(i) || math.IsNaN(v) || math.IsInf(v, 0) {
			out.nulls++
		} else {
			out.number[i] = v
			known, values = append(known, int32(i)), append(values, v)
		}
	}
	order, different := radix.Argsort(values), 0
	for n, k := range order {
		if n == 0 || values[order[n-1]] != values[k] {
			different++
		}
	}
	out.values = make([]count, 0, different)
	for _, k := range order {
		i, n := known[k], len(out.values)
		if n == 0 || out.values[n-1].value != values[k] {
			out.values = append(out.values, count{value: values[k], first: int(i)}) // equal ones keep their order
			n++
		}
		out.index[i] = int32(n - 1)
		out.values[n-1].rows++
	}
	return out
}

// countValues returns the number of rows with a value.
func (c *column) countValues() int { return len(c.rows) - c.nulls }

// row returns the number of a place among the examined rows in the table, from 1.
func (c *column) row(place int) int { return c.rows[place] + 1 }

// SplitName splits the name of a column into words in lower case: is_recid, isRecid and "is recid" give is, recid.
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

// hasWord reports whether a name contains one of some words.
func hasWord(name string, of ...string) bool {
	return slices.ContainsFunc(SplitName(name), func(w string) bool { return slices.Contains(of, w) })
}
