package csv

import (
	"strings"
	"unicode/utf8"
)

// detectDelimiter returns the delimiter of the fields.
func detectDelimiter(t *text, o Options) rune {
	if o.Delimiter != "" {
		d, _ := utf8.DecodeRuneInString(o.Delimiter)
		return d
	}
	if t.sep != 0 {
		return t.sep
	}
	if strings.HasSuffix(Unpacked(t.src.Name()), ".tsv") {
		return '\t'
	}
	if c := lineSeparatorOf(t.head, len(t.head) < headBytes); c != 0 {
		return rune(c)
	}
	if isSpaceAligned(t.head) {
		return ' '
	}
	return ','
}

// separators lists the possible delimiters, the most likely first.
const separators = "\t;,|"

// lineSeparatorOf returns the delimiter of a text, given its first bytes, or 0 if there is none: of the
// unquoted delimiters of the first line one that occurs equally often in every line, or else the most frequent.
// whole says that head is the whole text.
func lineSeparatorOf(head []byte, whole bool) byte {
	var first, line [len(separators)]int
	uneven, lines, quoted := [len(separators)]bool{}, 0, false
	end := func() {
		for k, n := range line {
			uneven[k] = uneven[k] || lines > 0 && n != first[k]
		}
		if lines == 0 {
			first = line
		}
		lines++
		line = [len(separators)]int{}
	}
	empty := true
	for _, c := range head {
		switch k := strings.IndexByte(separators, c); {
		case c == '"':
			quoted = !quoted
			empty = false
		case quoted || c == '\r':
		case c == '\n':
			if !empty {
				end()
			}
			empty = true
		default:
			if empty = false; k >= 0 {
				line[k]++
			}
		}
	}
	if whole && !empty || lines == 0 {
		end()
	}
	best := -1
	for k, n := range first {
		if n > 0 && (best < 0 || uneven[best] && !uneven[k] || uneven[best] == uneven[k] && n > first[best]) {
			best = k
		}
	}
	if best < 0 {
		return 0
	}
	return separators[best]
}
