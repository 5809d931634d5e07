package matrix

import (
	"math"

	"github.com/drotrain/drotrain/data/table"
)

// A Layout is what is known of encoded rows beside their sources.
type Layout struct {
	Width     int  // columns
	Intercept int  // the column of ones, or -1
	Raw       bool // numbers are as in the table, zeros among them
}

// A Source is what one input of an encoder gives to the matrices: one of them.
type Source struct {
	Number   *Number
	Category *Category
}

// A Category is that of a row in the columns from First on.
type Category struct {
	Codes
	First, Width int
}

// Codes say, by row, which level it has: 0 for one that training did not see,
// 1 for one without a column, k+2 for the k-th column of the category.
type Codes struct {
	narrow []uint8
	wide   []int32 // if there are too many columns for bytes
	first  int     // row of the table
}

// From says that the first of the rows is this one of the table.
func (c *Codes) From(row int) { c.first = row }

// Bytes is the memory that they take.
func (c *Codes) Bytes() int { return len(c.narrow) + 4*len(c.wide) }

// NewCodes are those of a category of so many columns: 0 in every row.
func NewCodes(rows, columns int) Codes {
	if columns <= math.MaxUint8-2 {
		return Codes{narrow: make([]uint8, rows)}
	}
	return Codes{wide: make([]int32, rows)}
}

// Set sets that of a row, counted from the first.
func (c *Codes) Set(row, code int) {
	if c.narrow != nil {
		c.narrow[row] = uint8(code)
	} else {
		c.wide[row] = int32(code)
	}
}

func (c *Codes) at(row int) int {
	row -= c.first
	if c.narrow != nil {
		return int(c.narrow[row])
	}
	return int(c.wide[row])
}

// ColumnsOf are those of numbers.
func ColumnsOf(numbers []*Number) []*table.Column {
	cols := make([]*table.Column, len(numbers))
	for j, x := range numbers {
		cols[j] = x.Column
	}
	return cols
}
