// Package show formats what the command prints on a terminal: the outcome of a training run or an evaluation in 80
// columns, numbers for people, progress, and text in which no character moves the cursor. The best place to start
// reading is layout.go.
package show

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/drotrain/drotrain/internal/printable"
)

// Width is the width of the output in columns.
const Width = 80

// Wrapped prints text in Width columns with a hanging indent.
func Wrapped(w io.Writer, indent, text string) {
	for i, line := range printable.Wrap(text, Width-len(indent)-2) {
		if i > 0 {
			line = "  " + line
		}
		fmt.Fprintf(w, "%s%s\n", indent, line)
	}
}

// PrintBeside prints a wrapped text that begins in column indent, with left before its first line.
func PrintBeside(w io.Writer, left, text string, indent int) {
	for _, line := range printable.Wrap(text, Width-indent) {
		fmt.Fprintf(w, "%-*s%s\n", indent, left, line)
		left = ""
	}
}

// Lines prints text line by line; a line that is too long continues on the next line, indented by two more columns.
func Lines(w io.Writer, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		indent := strings.Repeat(" ", len(line)-len(strings.TrimLeft(line, " "))+2)
		for utf8.RuneCountInString(line) > Width {
			end := strings.LastIndex(string([]rune(line)[:Width+1]), " ")
			if end <= len(indent) {
				break // the line is one long word
			}
			fmt.Fprintln(w, line[:end])
			line = indent + line[end+1:]
		}
		fmt.Fprintln(w, line)
	}
}

// FitWidth pads or truncates s to width characters.
func FitWidth(s string, width int) string {
	return fmt.Sprintf("%-*s", width, cut(s, width))
}

// PadLeft right-aligns s in width characters, truncating it if necessary.
func PadLeft(s string, width int) string {
	return fmt.Sprintf("%*s", width, cut(s, width))
}

// cut returns s as one line of at most width characters.
func cut(s string, width int) string {
	r := []rune(printable.EscapeLine(s))
	if len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return string(r)
}

// JSON writes v as one indented JSON object.
func JSON(w io.Writer, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
