package show

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/internal/printable"
)

// Percent formats 0.95 as 95 % and 0.00012 as 0.012 %.
func Percent(share float64) string {
	if share >= 0.01 {
		return fmt.Sprintf("%.0f %%", 100*share)
	}
	return fmt.Sprintf("%.2g %%", 100*share)
}

// Number6 formats a number with six significant digits; NaN is a dash.
func Number6(x float64) string { return significant(x, 6) }

// Number4 formats a number with four significant digits.
func Number4(x float64) string { return significant(x, 4) }

// Number3 formats a number with three significant digits.
func Number3(x float64) string { return significant(x, 3) }

func significant(x float64, digits int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	if x == 0 {
		return "0"
	}
	sign := ""
	if x < 0 {
		sign = "−"
	}
	return sign + strings.TrimSuffix(fmt.Sprintf("%#.*g", digits, math.Abs(x)), ".")
}

// shortNumber formats a number without trailing zeros.
func shortNumber(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// wholeOrShort formats a whole number with all digits, such as the code 20240131, and any other number like
// shortNumber. Whole numbers of 1e15 or more, which may be rounded, are short.
func wholeOrShort(x float64) string {
	if math.Abs(x) < 1e15 && x == math.Trunc(x) {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return shortNumber(x)
}

// Passes formats a number of passes with one decimal.
func Passes(x float64) string { return strconv.FormatFloat(math.Round(10*x)/10, 'f', -1, 64) }

// formatOptional formats a number with six significant digits, or returns the text none if p is nil.
func formatOptional(p *float64, none string) string {
	if p == nil {
		return none
	}
	return Number6(*p)
}

// Plural formats a number with its noun, as in "1 row" and "1 904 rows".
func Plural(n int, one, many string) string { return Thousands(n) + " " + printable.Noun(n, one, many) }

// ascii replaces the non-ASCII characters that printable.Count writes.
var ascii = strings.NewReplacer("\u202f", " ", "−", "-")

// Thousands formats 1904 as 1 904.
func Thousands(n int) string { return ascii.Replace(printable.Count(n)) }
