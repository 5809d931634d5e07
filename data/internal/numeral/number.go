package numeral

import (
	"errors"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// IsExactInt64 reports whether a float64 represents v exactly.
func IsExactInt64(v int64) bool {
	// the bits as an unsigned number, which also holds the absolute value of the least int64
	return IsExactUint64(max(v, -v))
}

// IsExactUint64 reports whether a float64 represents an unsigned integer, given by its bits, exactly: the span from
// the first to the last bit that is set must not exceed the precision of a float64.
func IsExactUint64(v int64) bool {
	return bits.Len64(uint64(v)) <= bits.TrailingZeros64(uint64(v))+53
}

// ParseBool parses true or false in lower, upper or title case.
func ParseBool(s string) (value, ok bool) {
	switch s {
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	}
	return false, false
}

// ParseNumber parses a decimal number, or NaN, Inf or Infinity with an optional sign and regardless of case. whole
// reports whether s consists of digits with an optional sign. A number that overflows yields an infinite value.
func ParseNumber(s string) (v float64, whole, ok bool) {
	whole = true
	digits := false
	for i := 0; i < len(s); i++ {
		switch b := s[i]; {
		case b >= '0' && b <= '9':
			digits = true
		case (b == '+' || b == '-') && i == 0:
		case b == '.' || b == '+' || b == '-' || b == 'e' || b == 'E':
			whole = false
		default:
			switch strings.ToLower(strings.TrimLeft(s, "+-")) {
			case "nan", "inf", "infinity":
				v, err := strconv.ParseFloat(s, 64)
				return v, false, err == nil
			}
			return 0, false, false
		}
	}
	if !digits {
		return 0, false, false
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, false, false
	}
	return v, whole, true
}

// HalfToFloat converts an IEEE 754 half-precision number, given by its bits.
func HalfToFloat(b uint16) float64 {
	fraction, exponent := float64(b&0x3ff), int(b>>10&0x1f)
	v := math.Ldexp(fraction+0x400, exponent-25)
	switch {
	case exponent == 0:
		v = math.Ldexp(fraction, -24)
	case exponent == 0x1f && fraction == 0:
		v = math.Inf(1)
	case exponent == 0x1f:
		v = math.NaN()
	}
	if b>>15 == 1 {
		return -v
	}
	return v
}

// FloatToHalf returns the bits of the float16 nearest to v, with ties to even. Values beyond its range become
// infinite.
func FloatToHalf(v float64) uint16 {
	sign := uint16(math.Float64bits(v) >> 63 << 15)
	switch v = math.Abs(v); {
	case math.IsNaN(v):
		return sign | 0x7e00
	case v == 0:
		return sign
	case v >= 65520: // half a unit above the largest finite number, 65504
		return sign | 0x7c00
	}
	_, exponent := math.Frexp(v)
	exponent = max(exponent-1, -14) // the exponent of subnormal numbers is also -14
	units := math.RoundToEven(math.Ldexp(v, 10-exponent))
	// If units is 1024 or more, the implicit bit is set and adds one to the stored exponent; 2048 carries into
	// the exponent.
	return sign + uint16(exponent+14)<<10 + uint16(units)
}
