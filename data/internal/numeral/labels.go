package numeral

import (
	"cmp"
	"math/big"
)

// CompareNumbers compares two texts by the numbers that they represent. Whole numbers are compared with all their
// digits.
func CompareNumbers(a, b string) int {
	x, _, _ := ParseNumber(a)
	y, _, _ := ParseNumber(b)
	if order := cmp.Compare(x, y); order != 0 || a == b {
		return order
	}
	m, isWhole := new(big.Int).SetString(a, 10)
	n, areWhole := new(big.Int).SetString(b, 10)
	if isWhole && areWhole {
		return m.Cmp(n)
	}
	return 0
}
