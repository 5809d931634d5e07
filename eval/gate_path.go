package eval

import "strings"

// isPath reports whether text consists of names joined by dots. A name may have an argument in brackets, and the
// argument may contain dots and brackets. A regular expression is not used, since package regexp would double the
// size that this package adds to a program.
func isPath(text string) bool {
	failed := map[int]bool{} // lengths of prefixes after which the rest is not a path
	var matches func(rest string) bool
	matches = func(rest string) bool {
		if failed[len(rest)] {
			return false
		}
		failed[len(rest)] = true
		end := strings.IndexAny(rest, ".[]")
		switch {
		case end < 0:
			return rest != ""
		case end == 0 || rest[end] == ']':
			return false
		case rest[end] == '.':
			return matches(rest[end+1:])
		}
		for k := len(rest) - 1; k > end; k-- {
			if rest[k] != ']' {
				continue
			}
			after := rest[k+1:]
			if after == "" || after[0] == '.' && matches(after[1:]) {
				return true
			}
		}
		return false
	}
	return matches(text)
}

// A dividedPath holds the parts of a path without its model, such as change.group[a].tpr.low.
type dividedPath struct {
	comparison  string // "change", "since" or ""
	head        string
	argument    string
	hasArgument bool
	key, end    string // the key after the head; the limit, which is low, high or empty
}

// dividePath divides a path without its model into its parts; ok is false if that is impossible.
func dividePath(text string) (p dividedPath, ok bool) {
	for _, comparison := range []string{"change", "since"} {
		if rest, found := strings.CutPrefix(text, comparison+"."); found {
			if p, ok = divideHead(rest); ok {
				p.comparison = comparison
				return p, true
			}
		}
	}
	return divideHead(text)
}

// divideHead divides a path that has no comparison.
func divideHead(text string) (p dividedPath, ok bool) {
	end := strings.IndexAny(text, ".[")
	if end < 0 {
		return dividedPath{head: text}, text != ""
	}
	p.head = text[:end]
	if end == 0 {
		return p, false
	}
	if text[end] == '.' {
		return p, p.divideKey(text[end:])
	}
	for k := len(text) - 1; k > end; k-- { // try the longest argument first
		if text[k] == ']' && p.divideKey(text[k+1:]) {
			p.argument, p.hasArgument = text[end+1:k], true
			return p, true
		}
	}
	return p, false
}

// divideKey parses a text of the form .key.low, in which either part may be missing. It returns false if the text
// does not have this form.
func (p *dividedPath) divideKey(text string) bool {
	p.key, p.end = "", ""
	if text == "" {
		return true
	} else if text[0] != '.' {
		return false
	}
	key, end, two := strings.Cut(text[1:], ".")
	isEnd := func(word string) bool { return word == "low" || word == "high" }
	switch {
	case !two && isEnd(key):
		p.end = key
	case !two:
		p.key = key
	default:
		p.key, p.end = key, end
	}
	return key != "" && (!two || isEnd(end))
}
