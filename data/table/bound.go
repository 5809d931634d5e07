package table

import (
	"math/big"
	"slices"

	"github.com/drotrain/drotrain/data/internal/numeral"
)

// BigInt returns the integer in a row of a column of type e. The row must not be null.
func (c *Column) BigInt(e ExactType, row int) *big.Int {
	switch {
	case e.HasTexts():
		return numeral.Unscaled(c.Level[c.Code[row]], e.Scale)
	case e.Form == UnsignedForm:
		return new(big.Int).SetUint64(uint64(c.Int[row]))
	}
	return big.NewInt(c.Int[row])
}

// OrderKey returns a function that maps a row to a 64-bit integer. The integers sort in the order of the column's exact
// values of type e; null rows get arbitrary integers.
func (c *Column) OrderKey(e ExactType) func(row int) int64 {
	switch {
	case e.HasTexts():
		rank := rankTexts(c.Level, func(text string) *big.Int { return numeral.Unscaled(text, e.Scale) })
		return func(row int) int64 { return rank[max(c.Code[row], 0)] }
	case e.Form == UnsignedForm:
		return func(row int) int64 { return c.Int[row] ^ -1<<63 }
	}
	return func(row int) int64 { return c.Int[row] }
}

// rankTexts returns the rank of each text by its number. Texts with the same number have the same rank.
func rankTexts(texts []string, number func(text string) *big.Int) []int64 {
	numbers, order := make([]*big.Int, len(texts)), make([]int, len(texts))
	for k, text := range texts {
		numbers[k], order[k] = number(text), k
	}
	slices.SortFunc(order, func(a, b int) int { return numbers[a].Cmp(numbers[b]) })
	rank := make([]int64, len(texts)+1) // one extra element, so that rows without a text have a rank
	for i, k := range order {
		if rank[k] = int64(i); i > 0 && numbers[k].Cmp(numbers[order[i-1]]) == 0 {
			rank[k] = rank[order[i-1]]
		}
	}
	return rank
}
