package printable

import (
	"strconv"
	"strings"
)

// QuoteList returns names in quotes as a list, such as "a", "b" and "c" where last is "and".
func QuoteList(names []string, last string) string {
	q := make([]string, len(names))
	for i, n := range names {
		q[i] = strconv.Quote(n)
	}
	if len(q) < 2 {
		return strings.Join(q, "")
	}
	return strings.Join(q[:len(q)-1], ", ") + " " + last + " " + q[len(q)-1]
}
