package matrix

import "math"

// A Layout describes encoded rows.
type Layout struct {
	Width     int  // columns
	Intercept int  // index of the column of ones, or -1
	Zeros     bool // encoded numbers may be 0, since not all of them are standardised
}

// A Source is the source of encoded columns: a number, a category or sparse vectors.
type Source struct {
	Number   *Number
	Category *Category
	Vector   *Vector
}

// A Category encodes the codes of a category as indicators in Width columns, the first of which is First.
type Category struct {
	Codes
	First, Width int
}

// Codes holds the code of a category for every row: 0 for an unseen level, 1 for a level without a column, and k+2
// for a level with the k-th column.
type Codes struct {
	narrow []uint8
	wide   []int32 // used if there are too many columns for bytes
}

// NewCodes returns codes of 0 for all rows of a category with the given number of columns.
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

// Get returns the code of a row.
func (c *Codes) Get(row int) int {
	if c.narrow != nil {
		return int(c.narrow[row])
	}
	return int(c.wide[row])
}
