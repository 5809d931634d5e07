package chart

import (
	"strconv"
	"strings"
)

// Thousands writes an integer with thin spaces between thousands.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, s = "−", s[1:]
	}
	if len(s) <= 3 {
		return sign + s
	}
	var out []string
	for len(s) > 3 {
		out = append([]string{s[len(s)-3:]}, out...)
		s = s[:len(s)-3]
	}
	return sign + strings.Join(append([]string{s}, out...), "\u2009")
}
