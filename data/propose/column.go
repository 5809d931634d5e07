package propose

import (
	"fmt"
	"hash/maphash"
	"math"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/check"
	"github.com/drotrain/drotrain/data/internal/numeral"
)

// A column is a column of a table with statistics of its values.
type column struct {
	*data.Column
	present         int      // number of rows with a value
	nulls, infinite rowCount // infinite also counts NaN
	distinct        int      // number of distinct values that are not infinite
	least, largest  float64  // smallest and largest finite number
	falls, rises    bool     // some number is below, or above, its predecessor
	hash            uint64
}

// A rowCount counts rows and holds the first of them, counted from 1.
type rowCount struct{ n, first int }

// add counts a row, given by its index.
func (c *rowCount) add(row int) {
	if c.n++; c.n == 1 {
		c.first = row + 1
	}
}

var seed = maphash.MakeSeed()

// newColumn returns a column whose values are in memory. labels is the column itself or, if a float64 cannot hold all
// of its numbers, their exact texts, by which values are distinguished.
func newColumn(of, labels *data.Column) *column {
	c := &column{Column: of, least: math.Inf(1), largest: math.Inf(-1)}
	var h maphash.Hash
	h.SetSeed(seed)
	fmt.Fprint(&h, labels.Level)
	seen := map[float64]bool{}
	before := math.NaN()
	for r := range c.Len() {
		if c.IsNull(r) {
			c.nulls.add(r)
			h.WriteByte(0)
			continue
		}
		c.present++
		var v float64
		if c.Kind == data.Categorical {
			v = float64(c.Code[r])
		} else {
			v = c.Number[r]
		}
		key := v
		if labels.Kind == data.Categorical {
			key = float64(labels.Code[r])
		}
		maphash.WriteComparable(&h, math.Float64bits(key))
		if !numeral.IsFinite(v) {
			c.infinite.add(r)
			continue
		}
		if !seen[key] {
			seen[key] = true
			c.distinct++
		}
		c.least, c.largest = min(c.least, v), max(c.largest, v)
		c.falls, c.rises = c.falls || v < before, c.rises || v > before
		before = v
	}
	c.hash = h.Sum64()
	return c
}

// isRunningNumber reports whether a column of distinct whole numbers numbers the rows: the numbers increase or
// decrease, or they leave few gaps.
func (c *column) isRunningNumber() bool {
	return !c.falls || !c.rises || c.largest-c.least < 3*float64(c.present)
}

// isMostlyNull reports whether so many rows have no value that the column is dropped.
func (c *column) isMostlyNull() bool { return float64(c.nulls.n) > mostlyNull*float64(c.Len()) }

// levelCounts returns the number of rows of every level, or nil if there are more than most levels.
func (c *column) levelCounts(most int) map[string]int {
	if c.distinct > most {
		return nil
	}
	counts := map[string]int{}
	for r := range c.Len() {
		if !c.IsNull(r) {
			counts[c.Text(r)]++
		}
	}
	return counts
}

// wordSet returns the set of the words of a text.
func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// These words occur in the names of columns.
var (
	// groupWords usually define groups.
	groupWords = wordSet(`sex gender race ethnicity ethnic afam nationality region state country county province district
		site hospital clinic school branch location language dialect religion`)

	weightWords = wordSet("weight weights wt wgt pweight fnlwgt perwt finalweight")

	idWords = wordSet("id ids uuid guid key index nr nbr no number num case rownames serial")

	// futureWords are words for things that are known only after the outcome.
	futureWords = wordSet(`outcome result results final future next after later followup resolution resolved closed closing
		settled settlement discharge discharged death died alive recovered recoveries chargeoff cancelled canceled churned
		returned end ended event censored censors predicted prediction verdict`)

	// commonWords carry no meaning.
	commonWords = wordSet(`target label class flag year years month date time number count total score value values rate type
		code name group column level mean with from`)
)

// findWord returns the first word of a name that is in a set, or "" if there is none.
func findWord(name string, in map[string]bool) string {
	for _, w := range check.SplitName(name) {
		if in[w] {
			return w
		}
	}
	return ""
}

// isIDName reports whether a name suggests an identifier.
func isIDName(name string) bool {
	w := check.SplitName(name)
	if len(w) == 0 {
		return false
	}
	last := w[len(w)-1]
	return w[0] == "id" || idWords[last] || strings.HasSuffix(last, "num") || strings.HasSuffix(name, "ID") ||
		strings.HasSuffix(name, "Id") ||
		strings.HasPrefix(name, "__index_level_") || strings.HasPrefix(strings.ToLower(name), "unnamed")
}

// isIndexName reports whether a name is that of a first column without a name, as pandas and R write an index.
func isIndexName(name string) bool { return name == "column_1" }

// sharedWord returns a word that a name shares with the name of the target, or a prefix that is common to words of
// both, or "".
func sharedWord(name, target string) string {
	for _, w := range check.SplitName(name) {
		for _, v := range check.SplitName(target) {
			n := 0
			for n < min(len(w), len(v)) && w[n] == v[n] {
				n++
			}
			if n >= 4 && !commonWords[w] && !commonWords[v] {
				return w[:n]
			}
		}
	}
	return ""
}
