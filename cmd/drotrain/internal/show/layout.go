// Package show writes what the command prints on a terminal: the outcome of a training or
// an evaluation in 80 columns, numbers for people, progress, and text in which nothing
// moves the cursor. Start at layout.go.
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

// FitWidth pads or cuts s to width characters.
func FitWidth(s string, width int) string {
	s = printable.EscapeLine(s)
	n := utf8.RuneCountInString(s)
	if n > width {
		return string([]rune(s)[:width-1]) + "…"
	}
	return s + strings.Repeat(" ", width-n)
}

// PadLeft right-aligns s in width characters and cuts it if necessary.
func PadLeft(s string, width int) string {
	s = printable.EscapeLine(s)
	n := utf8.RuneCountInString(s)
	if n > width {
		r := []rune(s)
		return string(r[:width-1]) + "…"
	}
	return strings.Repeat(" ", width-n) + s
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
