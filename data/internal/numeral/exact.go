package numeral

import (
	"math/big"
	"strings"
)

// FloorDiv returns the quotient v/by, rounded down, and the remainder, which is not negative.
func FloorDiv(v, by int64) (quotient, rest int64) {
	quotient, rest = v/by, v%by
	if rest < 0 {
		quotient, rest = quotient-1, rest+by
	}
	return quotient, rest
}

// FormatDecimal returns an integer, given by its digits, divided by 10^scale, with scale digits after the decimal
// point.
func FormatDecimal(digits string, scale int32) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	switch {
	case scale < 0 && digits != "0":
		digits += strings.Repeat("0", -int(scale))
	case scale > 0:
		if missing := int(scale) + 1 - len(digits); missing > 0 {
			digits = strings.Repeat("0", missing) + digits
		}
		at := len(digits) - int(scale)
		digits = digits[:at] + "." + digits[at:]
	}
	return sign + digits
}

// Unscaled returns the integer v·10^scale for a decimal v in the format of [FormatDecimal].
func Unscaled(text string, scale int32) *big.Int {
	n, ok := new(big.Int).SetString(strings.Replace(text, ".", "", 1), 10)
	if !ok {
		return new(big.Int)
	}
	if scale < 0 {
		n.Quo(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(-int64(scale)), nil))
	}
	return n
}
