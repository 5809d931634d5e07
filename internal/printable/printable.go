// Package printable makes text of unknown origin (column names, levels, paths)
// safe to show: what would move a terminal's cursor, end a line, turn the
// direction of writing or break an XML document is written out as an escape. And it
// writes numbers for people (numbers.go) and puts words beside them ([Noun]).
// It imports nothing of this module; whoever shows text may import it.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// EscapeLine returns s as one line, with hidden characters, line breaks and tabs escaped.
func EscapeLine(s string) string { return escape(s, false) }

// EscapeText returns s with hidden characters escaped, but not line breaks and tabs.
func EscapeText(s string) string { return escape(s, true) }

// EscapeCell puts an apostrophe before text that a spreadsheet would take for a formula, such as =1+1 and @SUM,
// at the beginning and after characters that may separate cells. Numbers stay as they are.
func EscapeCell(s string) string {
	if _, err := strconv.ParseFloat(s, 64); err == nil || !strings.ContainsAny(s, formula+"\t\r\n") {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if i == 0 && strings.ContainsRune(formula+"\t\r\n", r) || i > 0 && strings.IndexByte(";\t\r\n", s[i-1]) >= 0 && strings.ContainsRune(formula, r) {
			b.WriteByte('\'')
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		b.WriteString(s[i : i+n]) // a byte that is no UTF-8 stays
	}
	return b.String()
}

const formula = "=+-@＝＋－＠" // the first characters of formulas

// escape escapes hidden characters as in \x1b and \u202e, and bytes that are not UTF-8 as in \xff.
func escape(s string, breaks bool) string {
	clean := true
	for i := 0; i < len(s) && clean; i++ {
		clean = s[i] >= 0x20 && s[i] < 0x7f || breaks && (s[i] == '\n' || s[i] == '\t')
	}
	if clean { // most text is ASCII
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case breaks && (r == '\n' || r == '\t') || !IsHidden(r):
			b.WriteString(s[i : i+n])
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += n
	}
	return b.String()
}

// Shorten returns s if it has at most most bytes, and otherwise its beginning and end with the number of bytes
// left out.
func Shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	head, tail := most*3/4, len(s)-most/4
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return fmt.Sprintf("%s… (%d bytes) …%s", s[:head], tail-head, s[tail:])
}

// IsHidden reports whether r is invisible but may have an effect: control characters, line and paragraph
// separators, direction marks, noncharacters and tags. Joiners, which several scripts need, are not hidden.
func IsHidden(r rune) bool {
	switch {
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return true
	case r < 0x2000:
		return r == 0x00ad || r == 0x061c // soft hyphen, Arabic letter mark
	case r == 0x200b || r == 0x200e || r == 0x200f, r == 0x2028 || r == 0x2029:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	case r == 0xfeff, r&0xfffe == 0xfffe, r >= 0xfdd0 && r <= 0xfdef:
		return true
	case r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return unicode.Is(unicode.Cs, r)
}
