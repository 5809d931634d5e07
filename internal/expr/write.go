package expr

import (
	"slices"
	"strings"
	"unicode"
)

// QuoteName writes a name as it stands in a condition: in backquotes where it needs them.
func QuoteName(s string) string {
	plain := s != "" && !slices.Contains([]string{"not", "and", "or", "is", "in"}, strings.ToLower(s))
	for i, r := range s {
		plain = plain && (r == '_' || unicode.IsLetter(r) || i > 0 && (r == '.' || r == '-' || unicode.IsDigit(r)))
	}
	if plain {
		return s
	}
	return quoteWith("`", s)
}

// QuoteText writes a text as it stands in a condition.
func QuoteText(s string) string { return quoteWith(`"`, s) }

// quoteWith returns s between quotes, with quotes in s doubled.
func quoteWith(quote, s string) string {
	return quote + strings.ReplaceAll(s, quote, quote+quote) + quote
}
