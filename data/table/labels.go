package table

import (
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data/internal/numeral"
)

// Match returns the element of values that text denotes: the same number, the same bool regardless of case, or the
// same text. ok is false if there is no such element.
func (c *Column) Match(values []string, text string) (value string, ok bool) {
	if x, _, number := numeral.ParseNumber(text); number && c.Kind == Numeric && !slices.Contains(values, text) {
		text = numeral.FormatNumber(x)
	}
	for _, v := range values {
		if v == text || c.Kind == Bool && strings.EqualFold(v, text) {
			return v, true
		}
	}
	return "", false
}

// PositiveOf returns the value that is the positive class by default, and the rule by which it was chosen. This is
// the larger of two numbers; otherwise the value "true", "1" or "yes" regardless of case; otherwise the last value
// in alphabetical order. Both results are empty if values is empty.
func (c *Column) PositiveOf(values []string) (positive, rule string) {
	if len(values) == 0 {
		return "", ""
	}
	if c.Kind == Numeric {
		return slices.MaxFunc(values, numeral.CompareNumbers), "the greater number"
	}
	for _, word := range []string{"true", "1", "yes"} {
		if i := slices.IndexFunc(values, func(v string) bool { return strings.EqualFold(v, word) }); i >= 0 {
			return values[i], "guessed from the word"
		}
	}
	return slices.Max(values), "the last value in alphabetical order"
}
