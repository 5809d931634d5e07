package printable

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Count formats an integer with thin spaces between thousands.
func Count(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, s = "−", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u2009" + s[i:]
	}
	return sign + s
}

// Number formats x with about three significant digits (below 1, with four decimals), a true minus sign, and an
// exponent only for very large or small numbers.
func Number(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	a := math.Abs(x)
	var s string
	switch {
	case a == 0:
		return "0"
	case a < 1e-4 || a >= 1e7:
		return Scientific(x)
	case a < 0.1:
		s = strconv.FormatFloat(x, 'f', 4, 64)
	case a < 10:
		s = strconv.FormatFloat(x, 'f', 3, 64)
	case a < 100:
		s = strconv.FormatFloat(x, 'f', 2, 64)
	case a < 1000:
		s = strconv.FormatFloat(x, 'f', 1, 64)
	default:
		return Count(int(math.Round(x)))
	}
	return strings.ReplaceAll(s, "-", "−")
}

// NumberAtScale formats x with the decimals that Number gives to scale, so that a value and its interval, or a
// column, line up.
func NumberAtScale(x, scale float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	a := math.Abs(scale)
	if a < 1e-4 && a != 0 || a >= 1000 || math.IsNaN(a) || math.IsInf(a, 0) {
		return Number(x)
	}
	d := 3
	switch {
	case a < 0.1 && a > 0:
		d = 4
	case a >= 100:
		d = 1
	case a >= 10:
		d = 2
	}
	s := strconv.FormatFloat(x, 'f', d, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return strings.ReplaceAll(s, "-", "−")
}

// Signed works like NumberAtScale with an explicit plus sign.
func Signed(x, scale float64) string {
	s := NumberAtScale(x, scale)
	if s != "–" && !strings.HasPrefix(s, "−") && strings.Trim(s, "0.") != "" {
		return "+" + s
	}
	return s
}

// Scientific formats x as in 1.2 × 10⁻⁵.
func Scientific(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	if x == 0 {
		return "0"
	}
	mant, exp, _ := strings.Cut(strconv.FormatFloat(x, 'e', 1, 64), "e")
	e, _ := strconv.Atoi(exp)
	return strings.ReplaceAll(mant, "-", "−") + " × 10" + superscript(e)
}

func superscript(e int) string {
	const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹"
	var b strings.Builder
	for _, c := range strconv.Itoa(e) {
		if c == '-' {
			b.WriteRune('⁻')
			continue
		}
		b.WriteRune([]rune(digits)[c-'0'])
	}
	return b.String()
}

// Percent formats a proportion as in 12.3 %.
func Percent(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	d := 1
	if a := math.Abs(x); a < 0.01 && a > 0 {
		d = 2
	}
	return strings.ReplaceAll(strconv.FormatFloat(100*x, 'f', d, 64), "-", "−") + "\u00a0%"
}

// PercentOf formats a proportion of n rows as in 12.3 %, or 12 % for fewer than 100 rows.
func PercentOf(x float64, n int) string {
	if n >= 100 || math.IsNaN(x) || math.IsInf(x, 0) {
		return Percent(x)
	}
	s := strings.TrimPrefix(strconv.FormatFloat(100*x, 'f', 0, 64), "-0")
	if s == "" {
		s = "0"
	}
	return strings.ReplaceAll(s, "-", "−") + "\u00a0%"
}

// Group returns the label of a group with hidden characters made visible.
func Group(label string) string {
	if strings.TrimSpace(label) == "" {
		return "(empty)"
	}
	return label
}

// Plural returns the number and the noun, as in "1 row" and "5 rows".
func Plural(n int, one, many string) string { return Count(n) + " " + Noun(n, one, many) }

// List joins at most k items and adds the number of the others.
func List(items []string, k int) string {
	if len(items) <= k {
		return strings.Join(items, ", ")
	}
	return strings.Join(items[:k], ", ") + fmt.Sprintf(" and %s more", Count(len(items)-k))
}

// WholePercent formats a confidence level without unnecessary decimals, as in 95 %.
func WholePercent(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", 100*x), "0"), "."), ".") + "\u00a0%"
}

// WithUnit returns "s (unit)", or a comma and the unit if that begins with a bracket.
func WithUnit(s, unit string) string {
	switch {
	case unit == "":
		return s
	case strings.HasPrefix(unit, "("):
		return s + ", " + unit // (standard deviations of wage)² needs no second pair
	}
	return s + " (" + unit + ")"
}

// FourDigits formats a setting with four digits.
func FourDigits(x float64) string {
	if math.IsInf(x, 1) {
		return "∞"
	}
	if a := math.Abs(x); a != 0 && (a < 1e-3 || a >= 1e6) {
		return Scientific(x)
	}
	return fmt.Sprintf("%.4g", x)
}
