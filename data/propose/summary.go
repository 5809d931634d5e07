package propose

import (
	"fmt"
	"hash/maphash"
	"math"
	"strings"

	"github.com/drotrain/drotrain/data"
)

// isIdentifier reports whether a numeric column is an identifier, judging by its name and its encoded values:
// whole numbers that are all different.
func isIdentifier(c data.Coding, v []float64) bool {
	const rounding = 1e-3 // what encoding may have taken from a whole number
	if !isIDName(c.Name) && !isIndexName(c.Name) {
		return false
	}
	seen := make(map[float64]bool, len(v))
	for _, x := range v {
		if whole := x*c.Scale + c.Shift; seen[x] || math.Abs(whole-math.Round(whole)) > rounding {
			return false
		}
		seen[x] = true
	}
	return len(v) > 20
}

// isIDName reports whether a name suggests an identifier.
func isIDName(name string) bool {
	w := words(name)
	if len(w) == 0 {
		return false
	}
	switch w[len(w)-1] {
	case "id", "ids", "uuid", "guid", "key", "index", "nr", "nbr", "no", "number", "num", "case", "rownames", "serial":
		return true
	}
	return w[0] == "id" || strings.HasSuffix(w[len(w)-1], "num") || strings.HasPrefix(name, "__index_level_") || strings.HasPrefix(strings.ToLower(name), "unnamed") || strings.HasSuffix(name, "ID") || strings.HasSuffix(name, "Id")
}

// isIndexName reports whether a name suggests an index column as written by pandas and R.
func isIndexName(name string) bool { return name == "column_1" }

// A summary holds the statistics of a column.
type summary struct {
	some                    int // a row with a value
	nulls, firstNull        int
	infinite, firstInfinite int
	distinct                int
	least, largest          float64 // of the finite numbers
	falls, rises            bool    // a number is below, or above, the one before
	hash                    uint64
}

// isRunningNumber reports whether whole numbers, all different, number the rows: they increase, or decrease, or
// leave few numbers out.
func (s summary) isRunningNumber(have int) bool {
	return !s.falls || !s.rises || s.largest-s.least < 3*float64(have)
}

var seed = maphash.MakeSeed()

// summarise returns the summary of a column whose values are in memory.
func summarise(c *data.Column) (s summary) {
	var h maphash.Hash
	h.SetSeed(seed)
	numbers, codes := map[float64]bool{}, map[int32]bool{}
	s.least, s.largest = math.Inf(1), math.Inf(-1)
	before := math.NaN()
	for r := range c.Len() {
		if c.IsNull(r) {
			if s.nulls++; s.firstNull == 0 {
				s.firstNull = r + 1
			}
			h.WriteByte(0)
			continue
		}
		if c.Kind == data.Categorical {
			s.some = r
			codes[c.Code[r]] = true
			maphash.WriteComparable(&h, c.Code[r])
			continue
		}
		v := c.Number[r]
		maphash.WriteComparable(&h, math.Float64bits(v))
		if math.IsNaN(v) || math.IsInf(v, 0) {
			if s.infinite++; s.firstInfinite == 0 {
				s.firstInfinite = r + 1
			}
			continue
		}
		s.some = r
		numbers[v] = true
		s.least, s.largest = min(s.least, v), max(s.largest, v)
		s.falls, s.rises = s.falls || v < before, s.rises || v > before
		before = v
	}
	s.distinct = len(numbers) + len(codes)
	fmt.Fprint(&h, c.Level)
	s.hash = h.Sum64()
	return s
}

// findMissingCode returns the number of rows, and the first row counted from 1, in which a column has its
// minimum, if that is one of the usual codes for missing values and the only negative value.
func findMissingCode(c *data.Column, s summary) (rows, first int) {
	switch s.least {
	case -9, -99, -999, -9999, -99999:
	default:
		return 0, 0
	}
	if c.Kind != data.Numeric || s.distinct < 3 {
		return 0, 0
	}
	for r := range c.Len() {
		switch v := c.Number[r]; {
		case c.IsNull(r) || v >= 0:
		case v != s.least:
			return 0, 0
		default:
			if rows++; first == 0 {
				first = r + 1
			}
		}
	}
	return rows, first
}
