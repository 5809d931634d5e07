package printable

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Count formats an integer with narrow no-break spaces as thousands separators.
func Count(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, s = "−", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return sign + s
}

// Number formats x with a true minus sign and about four significant digits: no decimals from 1000 on, and one to four
// decimals below. It uses an exponent only for numbers from 10⁷ on or below 10⁻⁴.
func Number(x float64) string {
	switch a := math.Abs(x); {
	case isNotFinite(x):
		return "–"
	case a == 0:
		return "0"
	case a < 1e-4 || a >= 1e7:
		return Scientific(x)
	case a >= 1000:
		return Count(int(math.Round(x)))
	default:
		return formatFixed(x, decimals(a))
	}
}

// NumberAtScale formats x with as many decimals as Number would use for scale, so that a value and its interval, or
// the numbers in a column, are aligned.
func NumberAtScale(x, scale float64) string {
	a := math.Abs(scale)
	switch {
	case isNotFinite(x) || a < 1e-4 && a != 0 || !(a < 1e7):
		return Number(x)
	case a >= 1000:
		return Count(int(math.Round(x)))
	}
	s := formatFixed(x, decimals(a))
	if whole, fraction, ok := strings.Cut(s, "."); ok && math.Abs(x) >= 1000 { // a limit far from the scale
		n, _ := strconv.Atoi(strings.TrimPrefix(whole, "−"))
		s = strings.TrimSuffix(whole, strings.TrimPrefix(whole, "−")) + Count(n) + "." + fraction
	}
	return s
}

func isNotFinite(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// decimals returns the number of decimals for numbers of the given magnitude, which must be below 1000.
func decimals(magnitude float64) int {
	switch {
	case magnitude > 0 && magnitude < 0.1:
		return 4
	case magnitude < 10:
		return 3
	case magnitude < 100:
		return 2
	}
	return 1
}

// formatFixed formats x with the given number of decimals, a true minus sign, and zero without a sign.
func formatFixed(x float64, decimals int) string {
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return strings.ReplaceAll(s, "-", "−")
}

// Signed works like NumberAtScale, but writes an explicit plus sign.
func Signed(x, scale float64) string {
	s := NumberAtScale(x, scale)
	if s != "–" && !strings.HasPrefix(s, "−") && strings.Trim(s, "0.") != "" {
		return "+" + s
	}
	return s
}

var superscripts = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶",
	"7", "⁷", "8", "⁸", "9", "⁹")

// Scientific formats x as in 1.2 × 10⁻⁵.
func Scientific(x float64) string { return powerOfTen(x, 1) }

// powerOfTen formats x as a mantissa with the given number of decimals, times a power of ten.
func powerOfTen(x float64, decimals int) string {
	if isNotFinite(x) || x == 0 {
		return Number(x)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', decimals, 64), "e")
	e, _ := strconv.Atoi(exponent) // the exponent without leading zeros
	return strings.ReplaceAll(mantissa, "-", "−") + "\u00a0×\u00a010" + superscripts.Replace(strconv.Itoa(e))
}

// Significant formats x with three significant digits, as in 0.0250 and 3.00 × 10⁻⁴, or as a whole number if it is
// at least 1000.
func Significant(x float64) string {
	a := math.Abs(x)
	switch {
	case isNotFinite(x) || a == 0:
		return Number(x)
	case a < 1e-3 || a >= 1e7:
		return powerOfTen(x, 2)
	case a >= 999.5:
		return Count(int(math.Round(x)))
	}
	exponent := math.Floor(math.Log10(a))
	if a >= 9.995*math.Pow(10, exponent) { // three digits round a up to the next power of ten
		exponent++
	}
	return formatFixed(x, 2-int(exponent))
}

// Setting formats a setting, such as μ or a threshold, like Significant but without trailing zeros.
func Setting(x float64) string {
	if math.IsInf(x, 1) {
		return "∞"
	}
	s := Significant(x)
	mantissa, power, isPower := strings.Cut(s, "\u00a0×")
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimSuffix(strings.TrimRight(mantissa, "0"), ".")
	}
	if !isPower {
		return mantissa
	}
	return mantissa + "\u00a0×" + power
}

// Pair formats two numbers that a sentence compares. Both have as many decimals as Number would use for the larger
// one.
func Pair(x, y float64) (first, second string) {
	scale := max(math.Abs(x), math.Abs(y))
	return NumberAtScale(x, scale), NumberAtScale(y, scale)
}

// Percent formats a proportion with one decimal, as in 12.3 %, so that the proportions in a sentence or a column
// are aligned. Proportions that would be rounded to 0.0 % have as many decimals as necessary.
func Percent(x float64) string {
	if isNotFinite(x) {
		return "–"
	}
	d := 1
	if a := math.Abs(100 * x); a < 0.05 && a > 1e-9 {
		d = int(math.Ceil(-math.Log10(a)))
	}
	return formatFixed(100*x, d) + "\u00a0%"
}

// Points formats a difference of proportions in percentage points, with one decimal and without the unit.
func Points(x float64) string {
	if isNotFinite(x) {
		return "–"
	}
	return formatFixed(100*x, 1)
}

// Beside formats a number that is shown beside a limit, with the given number of decimals, or with as many more as
// are needed for the text to lie on the same side of the limit as the number.
func Beside(x, limit float64, decimals int) string {
	if isNotFinite(x) {
		return "–"
	}
	text := formatFixed(x, decimals)
	for d := decimals; x != limit && text == formatFixed(limit, d) && d < 17; d++ {
		text = formatFixed(x, d+1)
	}
	return text
}

// Group returns the label of a group, or "(empty)" if the label consists of spaces only.
func Group(label string) string {
	if strings.TrimSpace(label) == "" {
		return "(empty)"
	}
	return label
}

// Plural returns a number with its noun, as in "1 row" and "5 rows".
func Plural(n int, one, many string) string { return Count(n) + " " + Noun(n, one, many) }

// List joins at most k items, with "and" before the last item or the number of omitted items.
func List(items []string, k int) string {
	if len(items) <= k {
		return JoinWords(items, "and")
	}
	return strings.Join(items[:k], ", ") + fmt.Sprintf(" and %s more", Count(len(items)-k))
}

// WholePercent formats a confidence level without unnecessary decimals, as in 95 %.
func WholePercent(x float64) string {
	return strconv.FormatFloat(math.Round(1e4*x)/100, 'f', -1, 64) + "\u00a0%"
}

// WithUnit returns "s (unit)". If the unit begins with a bracket, it returns s, a comma and the unit.
func WithUnit(s, unit string) string {
	switch {
	case unit == "":
		return s
	case strings.HasPrefix(unit, "("):
		return s + ", " + unit // (standard deviations of wage)² needs no second pair of brackets
	}
	return s + " (" + unit + ")"
}

// FourDigits formats a round number, such as the end of an axis, with at most four digits.
func FourDigits(x float64) string {
	if a := math.Abs(x); a != 0 && (a < 1e-3 || a >= 1e6) {
		return Scientific(x)
	}
	return fmt.Sprintf("%.4g", x)
}
