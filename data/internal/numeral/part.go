package numeral

// NullNaN replaces NaN by nulls, which it marks, and returns their number. A number of a null is 0.
func NullNaN(number []float64, null []bool) (nulls int) {
	for i, v := range number {
		if v != v && !null[i] {
			number[i], null[i] = 0, true
			nulls++
		}
	}
	return nulls
}
