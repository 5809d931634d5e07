package data

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/data/internal/table"
	"github.com/drotrain/drotrain/internal/expr"
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
// Names of other characters than letters, digits and _ . - are written in
// backquotes: `annual income` > 0. As in SQL, a comparison with a null is neither true
// nor false, and such rows are left out. Errors name the character, counted from 1,
// and the column.
func (f *Frame) Filter(ctx context.Context, expression string) ([]int, error) {
	var is []expr.Truth
	if strings.TrimSpace(expression) != "" {
		e, err := expr.Parse(expression)
		if err == nil {
			is, err = e.Eval(func(leaf *expr.Expr) ([]expr.Truth, error) { return f.evaluateFilter(ctx, leaf) })
		}
		var wrong *expr.Error
		if errors.As(err, &wrong) {
			err = &Error{Path: f.Name(), Msg: fmt.Sprintf("the filter, at character %d: %s", wrong.At, wrong.Msg), Hint: `as in age >= 18 && state != "PR"`}
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

// evaluateFilter returns the truth of a comparison for every row.
func (f *Frame) evaluateFilter(ctx context.Context, e *expr.Expr) ([]expr.Truth, error) {
	c, err := f.Lookup(e.Name)
	if err != nil {
		return nil, err
	}
	if c, err = c.Load(ctx); err != nil {
		return nil, err
	}
	out := make([]expr.Truth, f.Rows)
	if e.Op == expr.Null {
		for i := range out {
			out[i] = expr.TruthOf(c.IsNull(i))
		}
		return out, nil
	}
	is, err := compileCondition(c, e)
	if err != nil {
		return nil, err
	}
	for i := range out {
		out[i] = expr.Unknown
		if !c.IsNull(i) {
			out[i] = expr.TruthOf(is(i))
		}
	}
	return out, nil
}

// compileCondition returns a function that evaluates a comparison for rows that are not null.
func compileCondition(c *Column, e *expr.Expr) (func(row int) bool, error) {
	fail := func(at int, format string, args ...any) (func(int) bool, error) {
		return nil, expr.Errorf(at, format, args...)
	}
	if c.Kind == Other {
		return fail(e.At, "the column %q has values of type %s, which cannot be compared", c.Name, c.Type)
	}
	if e.Op == expr.Bare {
		if c.Kind != Bool {
			return fail(e.At, "a comparison of the column %q is expected: == != < <= > >= in is", c.Name)
		}
		return func(i int) bool { return c.Number[i] != 0 }, nil
	}
	if c.Kind != Numeric && e.Op == expr.Compare && e.Cmp != "==" && e.Cmp != "!=" {
		return fail(e.At, "the column %q is not numeric: compare it by == or !=", c.Name)
	}
	same := e.Cmp != "!="
	numbers, texts, codes := map[float64]bool{}, map[string]bool{}, map[int32]bool{}
	for _, v := range e.Values {
		switch c.Kind {
		case Numeric:
			if v.Kind != expr.Number {
				return fail(v.At, "the column %q holds numbers; %q is not one", c.Name, v.Text)
			}
			numbers[v.Number] = true
		case Bool:
			b, ok := table.ParseBool(v.Text)
			if !ok || v.Kind != expr.Word {
				return fail(v.At, "the column %q holds true and false; %q is neither", c.Name, v.Text)
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
