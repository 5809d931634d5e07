package printable

// Noun returns the singular for 1 and the plural for other numbers.
func Noun[N int | int64 | float64](n N, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
