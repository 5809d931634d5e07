// Package quote writes names into options and words into shells, and reads them back.
package quote

import (
	"errors"
	"strings"
)

// Names writes a list of names that [Split] reads back: commas between them, and quotes, as
// in CSV, around those that would not come back as they are.
func Names(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		if quoted[i] = n; n == "" || n != strings.TrimSpace(n) || strings.HasPrefix(n, `"`) || strings.ContainsAny(n, ",\r\n") {
			quoted[i] = `"` + strings.ReplaceAll(n, `"`, `""`) + `"`
		}
	}
	return strings.Join(quoted, ",")
}

// ErrList says that a text is no list of names.
var ErrList = errors.New("no comma-separated list of names")

// Split reads a list of names. One in quotes is what stands between them, two for one of its
// own; of another the spaces around it are taken off. Both may be nothing, but a list of
// nothing but spaces has no names.
func Split(list string) (names []string, err error) {
	if list = strings.TrimSpace(list); list == "" {
		return nil, nil
	}
	for rest, more := list, true; more; {
		rest = strings.TrimLeft(rest, " \t")
		var name string
		if strings.HasPrefix(rest, `"`) {
			if name, rest, err = unquote(rest[1:]); err != nil {
				return nil, err
			}
			after := ""
			if after, rest, more = strings.Cut(rest, ","); strings.TrimSpace(after) != "" {
				return nil, ErrList
			}
		} else {
			name, rest, more = strings.Cut(rest, ",")
			name = strings.TrimSpace(name)
			if strings.ContainsAny(name, "\r\n") {
				return nil, ErrList
			}
		}
		names = append(names, name)
	}
	return names, nil
}

// unquote reads up to the quote that ends a name.
func unquote(s string) (name, rest string, err error) {
	var b strings.Builder
	for {
		part, after, ended := strings.Cut(s, `"`)
		b.WriteString(part)
		switch {
		case !ended:
			return "", "", ErrList
		case !strings.HasPrefix(after, `"`):
			return b.String(), after, nil
		}
		b.WriteByte('"')
		s = after[1:]
	}
}

// Shell quotes a word for a POSIX shell where it needs that.
func Shell(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-+=./,:@%", r)
	}
	if s != "" && strings.TrimFunc(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
