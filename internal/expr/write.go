package expr

import (
	"slices"
	"strings"
	"unicode"
)

// QuoteName returns a name in the syntax of conditions, in backquotes if necessary.
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

// QuoteText returns a text in the syntax of conditions.
func QuoteText(s string) string { return quoteWith(`"`, s) }

// quoteWith puts s in quotes and doubles the quotes within it.
func quoteWith(quote, s string) string {
	return quote + strings.ReplaceAll(s, quote, quote+quote) + quote
}
