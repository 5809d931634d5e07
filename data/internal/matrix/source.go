package matrix

import (
	"math"

	"github.com/drotrain/drotrain/data/internal/table"
)

// A Layout is what is known of encoded rows beside their sources.
type Layout struct {
	Width     int  // columns
	Intercept int  // the column of ones, or -1
	Zeros     bool // numbers may be 0: they are not all standardised
}

// A Source is a number or a category: one of them.
type Source struct {
	Number   *Number
	Category *Category
}

// A Category is a category of each row as indicators in Width columns from First on.
type Category struct {
	Codes
	First, Width int
}

// Codes are the levels of a category by row: 0 for one that training did not see, 1 for one
// without a column, k+2 for the k-th column of the category.
type Codes struct {
	narrow []uint8
	wide   []int32 // if there are too many columns for bytes
}

// NewCodes returns the codes of a category of the given number of columns: 0 in every row.
func NewCodes(rows, columns int) Codes {
	if columns <= math.MaxUint8-2 {
		return Codes{narrow: make([]uint8, rows)}
	}
	return Codes{wide: make([]int32, rows)}
}

// Set sets the code of a row.
func (c *Codes) Set(row, code int) {
	if c.narrow != nil {
		c.narrow[row] = uint8(code)
	} else {
		c.wide[row] = int32(code)
	}
}

// code returns the code of a row.
func (c *Codes) code(row int) int {
	if c.narrow != nil {
		return int(c.narrow[row])
	}
	return int(c.wide[row])
}

// numbersOf returns the numbers among sources, and their columns.
func numbersOf(sources []Source) (numbers []*Number, columns []*table.Column) {
	for _, o := range sources {
		if o.Number != nil {
			numbers, columns = append(numbers, o.Number), append(columns, o.Number.Column)
		}
	}
	return numbers, columns
}
