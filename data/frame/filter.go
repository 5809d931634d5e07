package frame

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/drotrain/drotrain/data/table"
)

// Filter gives the rows of which an expression is true, in their order; the empty
// expression is true of all. It is made of
//
//	age >= 18        a number column against a number: == != < <= > >=
//	state != "PR"    text against text in quotes, == or !=; bools against true, false
//	state in ("CA", "NY")
//	age is null      also is not null
//	a && b, a || b, !a, (a)
//
// Names that are not words are written in backquotes: `annual income` > 0. As in
// SQL, a comparison with a null is neither true nor false, and such rows are left
// out. Errors name the character, counted from 1, and the column.
func (f *Frame) Filter(ctx context.Context, expression string) ([]int, error) {
	p := &filter{ctx: ctx, f: f, text: expression}
	var is []truth
	if strings.TrimSpace(expression) != "" {
		err := table.Guard(func() error {
			p.next()
			is = p.either()
			if p.token != "" {
				p.fail("%q is not expected here", p.token)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	rows := make([]int, 0, f.Rows)
	for r := range f.Rows {
		if is == nil || is[r] == yes {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// A truth is that of a row.
type truth uint8

const (
	no truth = iota
	yes
	unknown // a null is compared
)

// A filter parses an expression and finds its truth for all rows on the way.
type filter struct {
	ctx   context.Context
	f     *Frame
	text  string
	at    int // where the next token is looked for
	from  int // where the token is
	token string
	kind  rune // 'a' word, '`' quoted name, '"' text, '0' number, '=' operator, 0 end
}

func (p *filter) fail(format string, args ...any) {
	panic(&Error{Path: p.f.Name(), Msg: fmt.Sprintf("the filter, at character %d: ", utf8.RuneCountInString(p.text[:p.from])+1) + fmt.Sprintf(format, args...),
		Hint: `as in age >= 18 && state != "PR"`})
}

// next reads a token.
func (p *filter) next() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	p.from, p.token, p.kind = p.at, "", 0
	if p.at == len(p.text) {
		return
	}
	rest := p.text[p.at:]
	c, size := utf8.DecodeRuneInString(rest)
	switch {
	case c == '"' || c == '\'' || c == '`':
		end := strings.IndexRune(rest[1:], c)
		if end < 0 {
			p.fail("the quote is not closed")
		}
		p.token, p.at, p.kind = rest[1:1+end], p.at+end+2, c
		if c == '\'' {
			p.kind = '"'
		}
		return
	case c == '-' || c == '+' || c == '.' || c >= '0' && c <= '9':
		p.kind = '0'
		size = len(rest) - len(strings.TrimLeft(rest, "+-.eE0123456789"))
	case c == '_' || unicode.IsLetter(c):
		p.kind = 'a'
		size = len(rest)
		for i, r := range rest {
			if r != '_' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				size = i
				break
			}
		}
	default:
		p.kind = '='
		for _, two := range []string{"&&", "||", "==", "!=", "<=", ">="} {
			if strings.HasPrefix(rest, two) {
				size = 2
			}
		}
	}
	p.token, p.at = rest[:size], p.at+size
}

// is says that the token is an operator or a word that is one.
func (p *filter) is(words ...string) bool {
	for _, w := range words {
		if (p.kind == '=' || p.kind == 'a') && strings.EqualFold(p.token, w) {
			return true
		}
	}
	return false
}

func (p *filter) either() []truth {
	a := p.both()
	for p.is("||", "or") {
		p.next()
		for i, b := range p.both() {
			switch {
			case a[i] == yes || b == yes:
				a[i] = yes
			case a[i] == unknown || b == unknown:
				a[i] = unknown
			}
		}
	}
	return a
}

func (p *filter) both() []truth {
	a := p.one()
	for p.is("&&", "and") {
		p.next()
		for i, b := range p.one() {
			switch {
			case a[i] == no || b == no:
				a[i] = no
			case a[i] == unknown || b == unknown:
				a[i] = unknown
			}
		}
	}
	return a
}

func (p *filter) one() []truth {
	switch {
	case p.is("!", "not"):
		p.next()
		a := p.one()
		for i, t := range a {
			if t != unknown {
				a[i] = yes - t
			}
		}
		return a
	case p.is("("):
		p.next()
		a := p.either()
		p.want(")")
		return a
	case p.kind == 'a' || p.kind == '`':
		return p.comparison()
	case p.kind == 0:
		p.fail("the expression ends early")
	}
	p.fail("a column is expected, not %q", p.token)
	return nil
}

func (p *filter) want(word string) {
	if !p.is(word) {
		if p.kind == 0 {
			p.fail("%q is missing", word)
		}
		p.fail("%q is expected, not %q", word, p.token)
	}
	p.next()
}

// comparison is of a column with something.
func (p *filter) comparison() []truth {
	c, err := p.f.Lookup(p.token)
	if err == nil {
		c, err = c.Load(p.ctx)
	}
	if err != nil {
		panic(err)
	}
	p.next()
	if p.is("is") {
		p.next()
		not := p.is("not")
		if not {
			p.next()
		}
		p.want("null")
		return each(p.f.Rows, func(i int) truth { return truthOf(c.IsNull(i) != not) })
	}
	if c.Kind == Other {
		p.fail("the column %q has values of type %s, which cannot be compared", c.Name, c.Type)
	}
	if p.is("in") {
		p.next()
		p.want("(")
		out := each(p.f.Rows, func(int) truth { return no })
		for {
			for i, t := range p.literal(c, "==") {
				out[i] = max(out[i], t)
			}
			if !p.is(",") {
				break
			}
			p.next()
		}
		p.want(")")
		return out
	}
	if p.is("==", "!=", "<", "<=", ">", ">=", "=") {
		op := p.token
		p.next()
		return p.literal(c, op)
	}
	if c.Kind == Bool {
		return known(c, func(i int) truth { return truthOf(c.Number[i] != 0) })
	}
	p.fail("a comparison of the column %q is expected: == != < <= > >= in is", c.Name)
	return nil
}

// literal compares a column with the value that comes next.
func (p *filter) literal(c *Column, op string) []truth {
	defer p.next()
	switch c.Kind {
	case Numeric:
		v, err := strconv.ParseFloat(p.token, 64)
		if p.kind != '0' || err != nil {
			p.fail("the column %q holds numbers; %q is not one", c.Name, p.token)
		}
		var by func(x float64) bool
		switch op {
		case "==", "=":
			by = func(x float64) bool { return x == v }
		case "!=":
			by = func(x float64) bool { return x != v }
		case "<":
			by = func(x float64) bool { return x < v }
		case "<=":
			by = func(x float64) bool { return x <= v }
		case ">":
			by = func(x float64) bool { return x > v }
		default:
			by = func(x float64) bool { return x >= v }
		}
		return known(c, func(i int) truth { return truthOf(by(c.Number[i])) })
	case Bool:
		v, ok := table.ParseBool(p.token)
		if !ok || p.kind != 'a' {
			p.fail("the column %q holds true and false; %q is neither", c.Name, p.token)
		}
		p.equality(c, op)
		return known(c, func(i int) truth { return truthOf((c.Number[i] != 0) == v == (op != "!=")) })
	}
	if p.kind != '"' {
		p.fail("the column %q holds text: write \"%s\" in quotes", c.Name, p.token)
	}
	p.equality(c, op)
	code := int32(-2)
	for k, l := range c.Level {
		if l == p.token {
			code = int32(k)
		}
	}
	return known(c, func(i int) truth { return truthOf((c.Code[i] == code) == (op != "!=")) })
}

func (p *filter) equality(c *Column, op string) {
	if op != "==" && op != "!=" && op != "=" {
		p.fail("the column %q holds no numbers: compare it by == or !=", c.Name)
	}
}

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

func each(rows int, of func(i int) truth) []truth {
	out := make([]truth, rows)
	for i := range out {
		out[i] = of(i)
	}
	return out
}

// known is of the values; that of nulls is unknown.
func known(c *Column, of func(i int) truth) []truth {
	return each(c.Len(), func(i int) truth {
		if c.IsNull(i) {
			return unknown
		}
		return of(i)
	})
}

// SplitRows is [Split] of the rows that a filter leaves; empty leaves all.
func (f *Frame) SplitRows(ctx context.Context, filter string, fraction float64, seed uint64) (train, holdout []int, err error) {
	if strings.TrimSpace(filter) == "" {
		return Split(f.Rows, fraction, seed)
	}
	kept, err := f.Filter(ctx, filter)
	if err != nil {
		return nil, nil, err
	}
	if len(kept) == 0 {
		return nil, nil, &Error{Path: f.Name(), Msg: fmt.Sprintf("the filter %s leaves none of the %d rows", filter, f.Rows)}
	}
	train, holdout, err = Split(len(kept), fraction, seed)
	for _, list := range [][]int{train, holdout} {
		for i, r := range list {
			list[i] = kept[r]
		}
	}
	return train, holdout, err
}
