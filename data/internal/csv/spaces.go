package csv

import "io"

// between replaces the spaces between fields; this character does not occur in text.
const between = '\x1f'

// spaces replaces every run of unquoted spaces and tabs by one separator, and removes such runs at the ends of
// lines.
type spaces struct {
	r      io.Reader
	quoted bool
	begun  bool // the current line has a field
	due    bool // a separator must precede the next field
}

// Read implements io.Reader.
func (s *spaces) Read(p []byte) (int, error) {
	if len(p) < 2 {
		return 0, io.ErrShortBuffer
	}
	for {
		n, err := s.r.Read(p[1:]) // one byte is reserved for a pending separator
		out := p[:0]
		for _, b := range p[1 : 1+n] {
			switch {
			case b == '"':
				s.quoted = !s.quoted
			case s.quoted:
			case b == ' ' || b == '\t':
				s.due = s.begun
				continue
			case b == '\n' || b == '\r':
				s.begun, s.due = false, false
				out = append(out, b)
				continue
			}
			if s.due {
				out = append(out, between)
			}
			s.begun, s.due = true, false
			out = append(out, b)
		}
		if len(out) > 0 || err != nil {
			return len(out), err
		}
	}
}
