// Package printable makes text of unknown origin (column names, levels, paths) safe to show. It escapes characters
// that would move a terminal's cursor, end a line, change the direction of writing or break an XML document. It
// also formats numbers for people (numbers.go), with words beside them ([Noun]). It imports no package of this
// module; all packages that show text may import it.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// EscapeLine returns s as one line, with hidden characters, line breaks and tabs escaped.
func EscapeLine(s string) string { return escape(s, false) }

// EscapeText returns s with hidden characters escaped, but not line breaks and tabs.
func EscapeText(s string) string { return escape(s, true) }

// EscapeCell puts an apostrophe before text that a spreadsheet would evaluate as a formula, such as =1+1 and @SUM.
// It does so at the beginning of s and after characters that may separate cells. Numbers are unchanged.
func EscapeCell(s string) string {
	if _, err := strconv.ParseFloat(s, 64); err == nil || !strings.ContainsAny(s, formula+"\t\r\n") {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if i == 0 && strings.ContainsRune(formula+"\t\r\n", r) ||
			i > 0 && strings.IndexByte(";\t\r\n", s[i-1]) >= 0 && strings.ContainsRune(formula, r) {
			b.WriteByte('\'')
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		b.WriteString(s[i : i+n]) // a byte that is not UTF-8 is kept
	}
	return b.String()
}

const formula = "=+-@＝＋－＠" // characters that begin a formula

// escape escapes hidden characters as in \u202e, which JSON can decode, and bytes that are not UTF-8 as in \xff. If
// breaks is set, it also escapes line breaks and tabs.
func escape(s string, breaks bool) string {
	stays := func(r rune) bool { return breaks && (r == '\n' || r == '\t') || !IsHidden(r) }
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !stays(r) }) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		_, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case stays(r):
			b.WriteRune(r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
	}
	return b.String()
}

// ShortenMiddle returns s if it has at most most bytes, and otherwise its beginning and end with the number of omitted
// bytes between them.
func ShortenMiddle(s string, most int) string {
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

// IsHidden reports whether r is invisible but may have an effect. Such characters are control characters, line and
// paragraph separators, direction marks, noncharacters and tags. Joiners, which several scripts need, are not
// hidden.
func IsHidden(r rune) bool {
	if r >= 0x20 && r < 0x7f {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Cs, unicode.Bidi_Control,
		unicode.Noncharacter_Code_Point) ||
		r >= 0xe0000 && r <= 0xe007f || r == 0x00ad || r == 0x200b || r == 0xfeff
}
