package csv

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/internal/text"
)

// detectDelimiter returns the delimiter of the fields, given by the options or inferred.
func detectDelimiter(t *textFile, o Options) rune {
	switch {
	case o.Delimiter != "":
		d, _ := utf8.DecodeRuneInString(o.Delimiter)
		return d
	case t.sep != 0:
		return t.sep
	case strings.HasSuffix(text.TrimCompression(t.Source.Name()), ".tsv"):
		return '\t'
	}
	lines := linesOf(t.Head, t.Whole)
	if c := findSeparator(lines); c != 0 {
		return rune(c)
	}
	if isSpaceAligned(lines) {
		return ' '
	}
	return ','
}

// linesOf returns the nonempty lines at the beginning head of a text, without quoted parts. whole reports whether
// head is the whole text; otherwise the last line may be incomplete and is omitted.
func linesOf(head []byte, whole bool) [][]byte {
	head = text.RemoveQuoted(head)
	if end := bytes.LastIndexByte(head, '\n'); end >= 0 && !whole {
		head = head[:end]
	}
	return bytes.FieldsFunc(head, func(r rune) bool { return r == '\n' || r == '\r' })
}

// findSeparator returns the delimiter of lines, or 0 if there is none. It prefers a candidate that occurs in the
// first line and equally often in every line, and otherwise chooses the most frequent candidate in the first line.
func findSeparator(lines [][]byte) (best byte) {
	bestCount, bestIsEven := 0, false
	for _, c := range []byte("\t;,|") { // the most likely first
		count, even := 0, true
		for i, line := range lines {
			n := bytes.Count(line, []byte{c})
			if i == 0 {
				count = n
			}
			even = even && n == count
		}
		if count > 0 && (even && !bestIsEven || even == bestIsEven && count > bestCount) {
			best, bestCount, bestIsEven = c, count, even
		}
	}
	return best
}

// isSpaceAligned reports whether spaces separate the fields of lines: the lines have the same number of fields, and
// some field after the first line is a number.
func isSpaceAligned(lines [][]byte) bool {
	fields, rows := 0, 0
	for _, line := range lines[:min(len(lines), 50)] {
		f := strings.Fields(string(line))
		if len(f) == 0 {
			continue
		}
		if rows++; rows == 1 {
			fields = len(f)
			continue
		}
		numbers := 0
		for _, v := range f {
			if _, _, ok := numeral.ParseNumber(v); ok {
				numbers++
			}
		}
		if len(f) != fields || numbers == 0 {
			return false
		}
	}
	return fields > 1 && rows > 1
}
