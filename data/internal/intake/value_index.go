package intake

import (
	"github.com/drotrain/drotrain/data/table"
)

// A ValueIndex maps every distinct value of a column in memory to an index, which is computed once for each value.
type ValueIndex struct {
	column *table.Column
	find   func(row int) int // returns the index of the value in a row
	code   []int             // index plus one for each code of a category; 0 means not yet found
	number map[float64]int
}

// NewValueIndex returns an index of the values of c; find returns the index of the value in a row.
func NewValueIndex(c *table.Column, find func(row int) int) *ValueIndex {
	x := &ValueIndex{column: c, find: find}
	if c.Kind == table.Categorical {
		x.code = make([]int, len(c.Level))
	} else {
		x.number = map[float64]int{}
	}
	return x
}

// IndexOf returns the index of the value in a row, which must not be null.
func (x *ValueIndex) IndexOf(row int) int {
	if x.code != nil {
		k := &x.code[x.column.Code[row]]
		if *k == 0 {
			*k = x.find(row) + 1
		}
		return *k - 1
	}
	v := x.column.Number[row]
	i, known := x.number[v]
	if !known {
		i = x.find(row)
		x.number[v] = i
	}
	return i
}
