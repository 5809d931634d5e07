package csv

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/internal/text"
)

// detectDelimiter returns the delimiter of the fields.
func detectDelimiter(t *textFile, o Options) rune {
	switch {
	case o.Delimiter != "":
		d, _ := utf8.DecodeRuneInString(o.Delimiter)
		return d
	case t.sep != 0:
		return t.sep
	case strings.HasSuffix(text.Unpacked(t.Source.Name()), ".tsv"):
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

// linesOf returns the lines of a text, given its first bytes, that are not empty, without what is between quotes.
// whole says that head is the whole text; otherwise the last line may be cut and is left out.
func linesOf(head []byte, whole bool) [][]byte {
	head = text.RemoveQuoted(head)
	if end := bytes.LastIndexByte(head, '\n'); end >= 0 && !whole {
		head = head[:end]
	}
	return bytes.FieldsFunc(head, func(r rune) bool { return r == '\n' || r == '\r' })
}

// findSeparator returns the delimiter of lines, or 0 if there is none: of those in the first line one that occurs
// equally often in every line, or else the most frequent.
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

// isSpaceAligned reports whether the fields of lines are separated by spaces: the first lines have the same number
// of fields and, after the first line, a number among them.
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
