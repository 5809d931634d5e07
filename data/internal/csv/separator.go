package csv

import (
	"strings"
	"unicode/utf8"
)

// detectDelimiter reports what separates the fields.
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

// separators are what fields lie between, in the order in which they are believed where the
// lines do not decide: names of columns hold commas before anything else.
const separators = "\t;,|"

// lineSeparatorOf returns what separates the fields of a text by its head, 0 if it is not one of separators:
// of those in the first line that are not quoted, one that is in every line as often, and of
// several the most frequent. whole says that the text ends with its head.
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
