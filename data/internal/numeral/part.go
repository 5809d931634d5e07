package numeral

// ReplaceNaNByNull replaces each NaN by a null, with the number 0, and returns the number of nulls.
func ReplaceNaNByNull(number []float64, null []bool) (nulls int) {
	for i, v := range number {
		if v != v && !null[i] {
			number[i], null[i] = 0, true
			nulls++
		}
	}
	return nulls
}
