package printable

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// QuoteList returns quoted names as a list: "a", "b" and "c" if last is "and".
func QuoteList(names []string, last string) string { return JoinWords(quoteAll(names), last) }

// QuoteFirst returns at most k quoted names as a list, with "and" before the last name or the number of omitted names.
func QuoteFirst(names []string, k int) string { return List(quoteAll(names), k) }

// NameList returns names in curly quotation marks as a list: “a”, “b” and “c” if last is "and". Hidden characters are
// escaped.
func NameList(names []string, last string) string {
	q := make([]string, len(names))
	for i, n := range names {
		q[i] = QuoteName(n)
	}
	return JoinWords(q, last)
}

// QuoteName returns a name in curly quotation marks, with hidden characters escaped.
func QuoteName(name string) string { return "“" + EscapeLine(name) + "”" }

func quoteAll(names []string) []string {
	q := make([]string, len(names))
	for i, n := range names {
		q[i] = strconv.Quote(n)
	}
	return q
}

// JoinWords joins words as in "a", "a or b" or "a, b or c" if last is "or".
func JoinWords(words []string, last string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " " + last + " " + words[n-1]
	}
	return strings.Join(words, "")
}

// Wrap breaks text into lines of at most width characters, at spaces.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	// a line is not broken within a number
	breaks := func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }
	for _, word := range strings.FieldsFunc(text, breaks) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// Capitalise returns s with its first letter in upper case.
func Capitalise(s string) string {
	if s == "" {
		return ""
	}
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
