package numeral

import (
	"math"
	"strconv"
)

// FormatTyped returns the shortest decimal number that reads back as v in a column of the given type. A float32 0.1
// yields "0.1", as in a table written as text. Any type other than float16 and float32 is treated as float64.
func FormatTyped(v float64, typ string) string {
	switch {
	case v == math.Trunc(v) && math.Abs(v) < 1<<53 || !IsFinite(v):
	case typ == "float32" && float64(float32(v)) == v:
		return strconv.FormatFloat(v, 'g', -1, 32)
	case typ == "float16" && HalfToFloat(FloatToHalf(v)) == v:
		for digits := 1; digits <= 5; digits++ { // a float16 never needs more digits
			text := strconv.FormatFloat(v, 'g', digits, 64)
			if x, err := strconv.ParseFloat(text, 64); err == nil && FloatToHalf(x) == FloatToHalf(v) {
				return text
			}
		}
	}
	return FormatNumber(v)
}

// FormatNumber returns the shortest decimal number that reads back as v, without an exponent for whole numbers
// below 2^53.
func FormatNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
