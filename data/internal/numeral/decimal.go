package numeral

import (
	"math/big"
	"strconv"
)

var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// Decimal returns the float64 nearest to v·10^−scale.
func Decimal(v int64, scale int32) float64 {
	const limit = 1 << 53
	if v >= -limit && v <= limit && scale >= 0 && int(scale) < len(powersOfTen) {
		return float64(v) / powersOfTen[scale] // both are exact, so only the quotient is rounded
	}
	return parseScaled(strconv.FormatInt(v, 10), scale)
}

// parseScaled returns the float64 nearest to digits·10^−scale.
func parseScaled(digits string, scale int32) float64 {
	f, _ := strconv.ParseFloat(digits+"e"+strconv.Itoa(-int(scale)), 64)
	return f
}

// BigDecimal returns a big-endian two's complement number, divided by 10^scale. exact reports whether a float64
// represents all its digits.
func BigDecimal(b []byte, scale int32) (v float64, exact bool) {
	if len(b) <= 8 {
		var n int64
		if len(b) > 0 && b[0] >= 0x80 {
			n = -1
		}
		for _, x := range b {
			n = n<<8 | int64(x)
		}
		return Decimal(n, scale), IsExactInt64(n)
	}
	return BigScaled(ParseTwosComplement(b), scale)
}

// ParseTwosComplement returns a big-endian two's complement number.
func ParseTwosComplement(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// BigScaled returns n·10^−scale. exact reports whether a float64 represents all its digits.
func BigScaled(n *big.Int, scale int32) (v float64, exact bool) {
	if n.IsInt64() {
		i := n.Int64()
		return Decimal(i, scale), IsExactInt64(i)
	}
	trailing := n.TrailingZeroBits()
	return parseScaled(n.String(), scale), n.BitLen()-int(trailing) <= 53
}
