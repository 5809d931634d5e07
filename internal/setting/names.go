package setting

import (
	"errors"
	"strings"
)

// JoinNames writes a list of names that [SplitNames] reads back: commas between them, and quotes, as
// in CSV, around those that would not come back as they are.
func JoinNames(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		if quoted[i] = n; n == "" || n != strings.TrimSpace(n) || strings.HasPrefix(n, `"`) || strings.ContainsAny(n, ",\r\n") {
			quoted[i] = `"` + strings.ReplaceAll(n, `"`, `""`) + `"`
		}
	}
	return strings.Join(quoted, ",")
}

// errList says that a text is no list of names.
var errList = errors.New("no comma-separated list of names")

// SplitNames reads a list of names. One in quotes is what stands between them, two for one of its
// own; of another the spaces around it are taken off. Both may be nothing, but a list of
// nothing but spaces has no names.
func SplitNames(list string) (names []string, err error) {
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
				return nil, errList
			}
		} else {
			name, rest, more = strings.Cut(rest, ",")
			name = strings.TrimSpace(name)
			if strings.ContainsAny(name, "\r\n") {
				return nil, errList
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
			return "", "", errList
		case !strings.HasPrefix(after, `"`):
			return b.String(), after, nil
		}
		b.WriteByte('"')
		s = after[1:]
	}
}
