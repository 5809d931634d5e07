package data

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/internal/expr"
)

// Filter returns the rows for which an expression is true, in ascending order; the empty expression is true for all
// rows. An expression consists of
//
//	age >= 18        a number column against a number: == != < <= > >=
//	day < "2024-03-31"    a column of dates or times against a date, 2024-03-31T23:59:59, or a time, 23:59
//	state != "PR"    text against text in quotes, == or !=; bools against true, false
//	state in ("CA", "NY")
//	age is null      also is not null
//	a && b, a || b, !a, (a)
//
// Names that contain characters other than letters, digits, underscores, points and hyphens are written in
// backquotes: `annual income` > 0. As in SQL, a comparison with a null is neither true nor false; a row for which
// the expression is neither is omitted. Integers, decimals, dates and times are compared exactly; a number is
// rounded to float32 for a column of that type. A date stands for its midnight. A time without an offset is in the
// time zone of the column. Errors name the character, counted from 1, and the column.
func (f *Frame) Filter(ctx context.Context, expression string) ([]int, error) {
	var is []expr.Truth
	if strings.TrimSpace(expression) != "" {
		e, err := expr.Parse(expression)
		if err == nil {
			is, err = e.Eval(func(leaf *expr.Expr) ([]expr.Truth, error) { return f.evaluateFilter(ctx, leaf) })
		}
		var wrong *expr.Error
		if errors.As(err, &wrong) {
			err = &Error{Path: f.Name(), Msg: fmt.Sprintf("filter, character %d: %s", wrong.At, wrong.Msg),
				Hint: `as in age >= 18 && state != "PR"`}
		}
		if err != nil {
			return nil, err
		}
	}
	rows := make([]int, 0, f.Rows)
	for r := range f.Rows {
		if is == nil || is[r] == expr.Yes {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// evaluateFilter returns the truth value of e for every row.
func (f *Frame) evaluateFilter(ctx context.Context, e *expr.Expr) ([]expr.Truth, error) {
	c := f.ReplacedDate(e.Name)
	if c == nil || f.Has(e.Name) {
		var err error
		if c, err = f.Lookup(e.Name); err != nil {
			return nil, err
		}
	}
	c, err := c.Load(ctx)
	if err != nil {
		return nil, err
	}
	if needsExact(c) {
		exact, err := f.exactColumn(ctx, c)
		if err != nil {
			return nil, err
		}
		return f.evaluateExact(c, exact, e)
	}
	out := make([]expr.Truth, f.Rows)
	if e.Op == expr.Null {
		for i := range out {
			out[i] = expr.TruthOf(c.IsNull(i))
		}
		return out, nil
	}
	is, err := f.compileCondition(c, e)
	if err != nil {
		return nil, err
	}
	return compareRows(c, f.Rows, is), nil
}

// compareRows returns the truth value of a comparison for every row: unknown for nulls, and the result of is for
// others.
func compareRows(c *Column, rows int, is func(row int) bool) []expr.Truth {
	out := make([]expr.Truth, rows)
	for i := range out {
		out[i] = expr.Unknown
		if !c.IsNull(i) {
			out[i] = expr.TruthOf(is(i))
		}
	}
	return out
}

// evaluateExact works like evaluateFilter for a column c with exact values.
func (f *Frame) evaluateExact(c, exact *Column, e *expr.Expr) ([]expr.Truth, error) {
	if e.Op == expr.Null {
		return compareRows(&Column{}, f.Rows, exact.IsNull), nil
	}
	if e.Op == expr.Bare {
		return nil, expr.Errorf(e.At, "the column %q must be followed by a comparison: ==, !=, <, <=, >, >=, in or is",
			c.Name)
	}
	o, ok := f.orderingOf(exact)
	if !ok && exact.Kind == Categorical {
		o, ok = f.textOrdering(c, exact)
	}
	days := c.Kind == Numeric && c.Clock && e.Values[0].Kind == expr.Number // compared as days
	if !ok || days {
		is, err := f.compileCondition(c, e)
		if err != nil {
			return nil, err
		}
		return compareRows(c, f.Rows, is), nil
	}
	is, err := o.compileCondition(e)
	if err != nil {
		return nil, err
	}
	return compareRows(exact, f.Rows, is), nil
}

// compileCondition returns a function that evaluates a comparison for a row whose value is not null.
func (f *Frame) compileCondition(c *Column, e *expr.Expr) (func(row int) bool, error) {
	fail := func(at int, format string, args ...any) (func(int) bool, error) {
		return nil, expr.Errorf(at, format, args...)
	}
	if !c.Kind.IsScalar() {
		return fail(e.At, "the column %q has values of type %s, which cannot be compared", c.Name, c.Type)
	}
	if e.Op == expr.Bare {
		if c.Kind != Bool {
			return fail(e.At, "the column %q must be followed by a comparison: ==, !=, <, <=, >, >=, in or is", c.Name)
		}
		return func(i int) bool { return c.Number[i] != 0 }, nil
	}
	if c.Kind == Numeric {
		if o, ok := f.orderingOf(c); ok {
			return o.compileCondition(e)
		}
	}
	if c.Kind != Numeric && e.Op == expr.Compare && e.Cmp != "==" && e.Cmp != "!=" {
		if o, ok := f.dateOrdering(c); ok && c.Kind == Categorical {
			return o.compileCondition(e)
		}
		return fail(e.At, "the column %q is not numeric: compare it with == or !=", c.Name)
	}
	same := e.Cmp != "!="
	numbers, texts, codes := map[float64]bool{}, map[string]bool{}, map[int32]bool{}
	for i, v := range e.Values {
		switch c.Kind {
		case Numeric:
			if v.Kind != expr.Number {
				return fail(v.At, "the column %q holds numbers, but %q is not a number", c.Name, v.Text)
			}
			if c.Type == "float32" {
				e.Values[i].Number = float64(float32(v.Number))
			}
			numbers[e.Values[i].Number] = true
		case Bool:
			b, ok := numeral.ParseBool(v.Text)
			if !ok || v.Kind != expr.Word {
				return fail(v.At, "the column %q holds true and false, but %q is neither", c.Name, v.Text)
			}
			x := 0.0
			if b {
				x = 1
			}
			numbers[x] = true
		default:
			if v.Kind != expr.Text {
				return fail(v.At, "the column %q holds text: write \"%s\" in quotes", c.Name, v.Text)
			}
			texts[v.Text] = true
		}
	}
	for k, l := range c.Level {
		codes[int32(k)] = texts[l]
	}
	switch {
	case c.Kind == Categorical:
		return func(i int) bool { return codes[c.Code[i]] == same }, nil
	case c.Kind == Numeric && e.Op == expr.Compare:
		return func(i int) bool { return expr.Holds(c.Number[i], e.Cmp, e.Values[0].Number) }, nil
	}
	return func(i int) bool { return numbers[c.Number[i]] == same }, nil
}
