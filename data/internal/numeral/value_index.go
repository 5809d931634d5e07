package numeral

// IsFinite reports whether x is neither NaN nor infinite.
func IsFinite(x float64) bool { return x-x == 0 }
