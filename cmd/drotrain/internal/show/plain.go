package show

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/drotrain/drotrain/internal/printable"
)

// A Plain is a writer that escapes control characters and bidirectional marks, as in \u001b, so that names from
// the user's files cannot affect the terminal. JSON documents stay equivalent. Line breaks and tabs are kept.
type Plain struct {
	w    io.Writer
	rest []byte // beginning of a character that the next write may complete

	Styled bool // w is a terminal that shows bold text
}

// NewPlain returns a Plain that writes to w.
func NewPlain(w io.Writer) *Plain { return &Plain{w: w} }

func (p *Plain) Write(b []byte) (int, error) {
	in := append(p.rest, b...)
	whole := len(in)
	for k := max(0, whole-utf8.UTFMax); k < len(in); k++ {
		if utf8.RuneStart(in[k]) && !utf8.FullRune(in[k:]) {
			whole = k
		}
	}
	p.rest = slices.Clone(in[whole:])
	if _, err := io.WriteString(p.w, escapeHidden(in[:whole])); err != nil {
		return 0, err
	}
	return len(b), nil
}

// WriteBold calls write. The output of write is bold if w is a Plain with Styled set.
func WriteBold(w io.Writer, write func()) {
	p, ok := w.(*Plain)
	if !ok || !p.Styled {
		write()
		return
	}
	_, _ = io.WriteString(p.w, "\x1b[1m")
	write()
	_, _ = io.WriteString(p.w, "\x1b[0m")
}

// Flush writes an incomplete character that remains at the end of the output.
func (p *Plain) Flush() {
	_, _ = io.WriteString(p.w, escapeHidden(p.rest))
	p.rest = nil
}

// escapeHidden returns b as UTF-8 with hidden characters escaped.
func escapeHidden(b []byte) string {
	return printable.EscapeText(strings.ToValidUTF8(string(b), "\uFFFD"))
}
