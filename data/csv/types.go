package csv

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/drotrain/drotrain/data/table"
)

// csvColumn gathers what a column may be.
type csvColumn struct {
	nulls    int // empty fields
	missing  int // NA and its like
	numbers  int
	integers int
	bools    int
	words    int // neither
	strayRow int
	stray    string
}

func (c *csvColumn) observe(s string, row int) (valid bool) {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		c.nulls++
		return true
	case isMissingWord(s):
		c.missing++
		return true
	}
	if _, whole, ok := table.ParseNumber(s); ok {
		c.numbers++
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
		c.words++
	}
	if c.strayRow == 0 {
		c.strayRow, c.stray = row+1, strings.Clone(s)
	}
	return true
}

func (c *csvColumn) column(name string, rows int) *table.Column {
	out := &table.Column{Name: name}
	nulls := c.nulls > 0
	switch {
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
			out.StrayRow, out.Stray = c.strayRow, c.stray
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

type csvBuilder struct {
	*table.Column
	index map[string]int32
}

func (c *csvBuilder) add(s string, row int) {
	s = strings.TrimSpace(s)
	if s == "" || c.Kind != table.Categorical && isMissingWord(s) {
		c.Null[row] = true
		if c.Kind == table.Categorical {
			c.Code[row] = -1
		}
		return
	}
	switch c.Kind {
	case table.Numeric:
		v, whole, _ := table.ParseNumber(s)
		c.Number[row] = v
		if whole && math.Abs(v) >= 1<<53 && c.InexactRow == 0 && !exactInteger(s, v) {
			c.InexactRow = row + 1
		}
	case table.Bool:
		v, _ := table.ParseBool(s)
		if v {
			c.Number[row] = 1
		}
	default:
		code, ok := c.index[s]
		if !ok {
			code = int32(len(c.Level))
			s = strings.Clone(s) // do not keep the record alive
			c.index[s] = code
			c.Level = append(c.Level, s)
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

// exactInteger says whether the whole number written as s is v.
func exactInteger(s string, v float64) bool {
	return strings.TrimLeft(strings.TrimLeft(s, "+-"), "0") == strconv.FormatFloat(math.Abs(v), 'f', 0, 64)
}
