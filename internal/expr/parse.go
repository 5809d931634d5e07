package expr

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a condition: the depth of parentheses, bytes of text, and number of comparisons.
const (
	deepest     = 200
	longest     = 1 << 20
	comparisons = 10_000
)

// Parse parses a condition. The error is an [*Error].
func Parse(text string) (e *Expr, err error) {
	if len(text) > longest {
		return nil, Errorf(1, "the condition has %d bytes; at most %d are allowed", len(text), longest)
	}
	p := &parser{text: text}
	defer func() {
		if r := recover(); r != nil {
			own, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			e, err = nil, own
		}
	}()
	p.readToken()
	e = p.parseOr()
	if p.kind != end {
		p.fail("unexpected %q", p.token)
	}
	return e, nil
}

// A class is the class of a token.
type class int

const (
	end class = iota
	name
	quotedName
	text
	number
	operator
)

type parser struct {
	text  string
	at    int // offset at which the search for the next token begins
	from  int // offset of the token
	token string
	kind  class
	depth int
	terms int // number of comparisons so far

	counted, characters int // the first counted bytes contain this number of characters
}

// position returns the character at which the current token begins.
func (p *parser) position() int {
	p.characters += utf8.RuneCountInString(p.text[p.counted:p.from])
	p.counted = p.from
	return p.characters + 1
}

// fail panics with an Error at the current token.
func (p *parser) fail(format string, args ...any) { panic(Errorf(p.position(), format, args...)) }

// readToken reads the next token.
func (p *parser) readToken() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	p.from, p.token, p.kind = p.at, "", end
	if p.at == len(p.text) {
		return
	}
	rest := p.text[p.at:]
	c, size := utf8.DecodeRuneInString(rest)
	switch {
	case c == '"' || c == '\'' || c == '`':
		quote := string(c)
		var b strings.Builder
		for {
			part, after, closed := strings.Cut(rest[1:], quote)
			if !closed {
				p.fail("the closing quote is missing")
			}
			b.WriteString(part)
			if !strings.HasPrefix(after, quote) {
				p.at, p.kind = len(p.text)-len(after), text
				break
			}
			b.WriteString(quote)
			rest = after
		}
		p.token = b.String()
		if c == '`' {
			p.kind = quotedName
		}
		return
	case c == '-' || c == '+' || c == '.' || c >= '0' && c <= '9':
		p.kind, size = number, len(rest)-len(strings.TrimLeft(rest, "+-.eE0123456789"))
	case c == '_' || unicode.IsLetter(c):
		p.kind, size = name, p.nameSize(rest)
	default:
		p.kind = operator
		for _, two := range []string{"&&", "||", "==", "!=", "<=", ">="} {
			if strings.HasPrefix(rest, two) {
				size = 2
			}
		}
	}
	p.token, p.at = rest[:size], p.at+size
}

// nameSize returns the size of a name in bytes.
func (p *parser) nameSize(s string) int {
	depth := 0
	for i, r := range s {
		switch {
		case r == '[':
			depth++
		case r == ']' && depth > 0:
			depth--
		case depth > 0, r == '_', r == '.', r == '-', unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
		default:
			return i
		}
	}
	if depth > 0 {
		p.fail("the closing bracket is missing")
	}
	return len(s)
}

// hasToken reports whether the current token is one of the given operators.
func (p *parser) hasToken(words ...string) bool {
	for _, w := range words {
		if (p.kind == operator || p.kind == name) && strings.EqualFold(p.token, w) {
			return true
		}
	}
	return false
}

func (p *parser) expectToken(word string) {
	switch {
	case p.hasToken(word):
	case p.kind == end:
		p.fail("%q is missing", word)
	default:
		p.fail("expected %q, but found %q", word, p.token)
	}
	p.readToken()
}

// parseOr parses conditions joined by "or".
func (p *parser) parseOr() *Expr { return p.parseChain(Or, p.parseAnd, "||", "or") }

// parseAnd parses conditions joined by "and".
func (p *parser) parseAnd() *Expr { return p.parseChain(And, p.parseOperand, "&&", "and") }

// parseChain parses parts separated by an operator, given by its words.
func (p *parser) parseChain(op Op, part func() *Expr, words ...string) *Expr {
	at := p.position()
	all := []*Expr{part()}
	for p.hasToken(words...) {
		p.readToken()
		all = append(all, part())
	}
	if len(all) == 1 {
		return all[0]
	}
	return &Expr{Op: op, Args: all, At: at}
}

// parseOperand parses a negation, a condition in parentheses or a comparison.
func (p *parser) parseOperand() *Expr {
	if p.depth++; p.depth > deepest {
		p.fail("parentheses and negations are nested more than %d levels deep", deepest)
	}
	defer func() { p.depth-- }()
	at := p.position()
	switch {
	case p.hasToken("!", "not"):
		p.readToken()
		return &Expr{Op: Not, Args: []*Expr{p.parseOperand()}, At: at}
	case p.hasToken("("):
		p.readToken()
		e := p.parseOr()
		p.expectToken(")")
		return e
	case p.kind == name || p.kind == quotedName:
		if p.terms++; p.terms > comparisons {
			p.fail("more than %d comparisons; combine comparisons of one name, as in x in (1, 2, 3)", comparisons)
		}
		return p.parseComparison(at)
	case p.kind == end:
		p.fail("the condition is incomplete")
	}
	p.fail("expected a name, but found %q", p.token)
	return nil
}

// parseComparison parses the comparison of a name with a value.
func (p *parser) parseComparison(at int) *Expr {
	e := &Expr{Op: Bare, Name: p.token, At: at}
	p.readToken()
	switch {
	case p.hasToken("is"):
		p.readToken()
		e.Op = Null
		not := p.hasToken("not")
		if not {
			p.readToken()
		}
		p.expectToken("null")
		if not {
			return &Expr{Op: Not, Args: []*Expr{e}, At: at}
		}
	case p.hasToken("in"):
		p.readToken()
		p.expectToken("(")
		e.Op = In
		for {
			e.Values = append(e.Values, p.parseValue())
			if !p.hasToken(",") {
				break
			}
			p.readToken()
		}
		p.expectToken(")")
	case p.hasToken("==", "!=", "<", "<=", ">", ">=", "="):
		e.Op, e.Cmp = Compare, p.token
		if e.Cmp == "=" {
			e.Cmp = "=="
		}
		p.readToken()
		e.Values = []Value{p.parseValue()}
	}
	return e
}

// parseValue parses a number, a text or a word.
func (p *parser) parseValue() Value {
	v := Value{Text: p.token, At: p.position()}
	switch p.kind {
	case number:
		x, err := strconv.ParseFloat(p.token, 64)
		if err != nil || math.IsInf(x, 0) {
			p.fail("%q is not a number", p.token)
		}
		v.Number = x
	case text:
		v.Kind = Text
	case name:
		v.Kind = Word
	case end:
		p.fail("expected a number, a quoted text, true or false")
	default:
		p.fail("expected a number, a quoted text, true or false, but found %q", p.token)
	}
	p.readToken()
	return v
}
