package setting

import (
	"errors"
	"strings"
)

// JoinNames joins names with commas so that [SplitNames] returns them. Names are quoted as in CSV if necessary.
func JoinNames(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		if quoted[i] = n; n == "" || n != strings.TrimSpace(n) || strings.HasPrefix(n, `"`) || strings.ContainsAny(n,
			",\r\n") {
			quoted[i] = `"` + strings.ReplaceAll(n, `"`, `""`) + `"`
		}
	}
	return strings.Join(quoted, ",")
}

// errList reports that a text is not a list of names.
var errList = errors.New("not a comma-separated list of names")

// SplitNames splits a list of names at commas. A quoted name is taken literally, except that a doubled quote in it
// represents a single quote; spaces around other names are removed. Names may be empty, but a list that consists
// only of spaces is empty.
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

// unquote reads a name up to its closing quote.
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
