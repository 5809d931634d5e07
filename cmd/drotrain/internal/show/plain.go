package show

import (
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/drotrain/drotrain/internal/printable"
)

// A Plain is a writer that escapes control characters and bidirectional marks, as in \u001b, so that names from
// the user's files cannot affect the terminal. JSON documents stay equivalent. Line breaks and tabs are kept.
type Plain struct {
	w    io.Writer
	rest []byte // the beginning of a character that the next write may end
}

// NewPlain returns a Plain that writes to w.
func NewPlain(w io.Writer) *Plain { return &Plain{w: w} }

func (p *Plain) Write(b []byte) (int, error) {
	in := append(p.rest, b...)
	out := make([]byte, 0, len(in))
	for len(in) > 0 && (utf8.FullRune(in) || len(in) >= utf8.UTFMax) {
		r, n := utf8.DecodeRune(in)
		switch {
		case r == utf8.RuneError && n == 1:
			out = append(out, "\uFFFD"...)
		case r == '\n' || r == '\t' || !printable.IsHidden(r):
			out = append(out, in[:n]...)
		case r >= 0x10000:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		in = in[n:]
	}
	p.rest = append([]byte(nil), in...)
	if _, err := p.w.Write(out); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush writes an incomplete character at the end of the input.
func (p *Plain) Flush() {
	if len(p.rest) > 0 {
		_, _ = io.WriteString(p.w, "\uFFFD")
		p.rest = nil
	}
}
