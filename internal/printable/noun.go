package printable

// Noun returns the form of a word beside a number: "row" for 1, "rows" for all others.
func Noun[N int | int64 | float64](n N, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
