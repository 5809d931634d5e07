package data

import (
	"errors"
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/internal/table"
)

// An Error describes a problem of a user's table and how to solve it. Use errors.As to get one, and errors.Is
// to test its class.
type Error struct {
	Path      string             // the file, or "" when no single file is to blame
	Column    string             // the column, or ""
	Rows      int                // in how many rows; 0 if that is not known or says nothing
	Row       int                // data row, counted from 1 within the file (header lines not counted); 0 for none
	Msg       string             // what is wrong
	Hint      string             // what to do, in words that fit any program; or ""
	Fixes     []fix.Fix          // what would fix it, for a program to put into its own words
	FixValues map[fix.Fix]string // of fixes that name something, what to name, as the mark of SayDecimal; or nil
	Err       error              // the cause, or nil
	Class     error              // what it is in general, for errors.Is: ErrNoColumn, ErrDamaged, …; or nil
}

// Classes of errors, for errors.Is.
var (
	ErrNoColumn = table.ErrNoColumn
	ErrDamaged  = table.ErrDamaged
	ErrChanged  = table.ErrChanged
	ErrMemory   = table.ErrMemory
)

// The readers below this package make errors of their own type, which has the same fields. Each type
// is found where errors.As looks for the other.
func init() {
	table.AsOuter = func(e *table.Error, target any) bool {
		to, is := target.(**Error)
		if is {
			*to = (*Error)(e)
		}
		return is
	}
}

// As lets errors.As find the error under the type that the readers use.
func (e *Error) As(target any) bool {
	to, is := target.(**table.Error)
	if is {
		*to = (*table.Error)(e)
	}
	return is
}

// Is reports whether the error is of a class.
func (e *Error) Is(class error) bool { return (*table.Error)(e).Is(class) }

// Error returns "path: column "x", row 7: what is wrong (what to do)".
func (e *Error) Error() string { return (*table.Error)(e).Error() }

// Advice returns the hint followed by the fixes. words gives the text of a fix; "" selects its default text.
func (e *Error) Advice(words func(fix.Fix) string) string { return (*table.Error)(e).Advice(words) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// A suggestion is the advice of an Error.
type suggestion struct {
	hint  string
	fixes []fix.Fix
}

// hint returns a suggestion with a text and optional fixes.
func hint(text string, fixes ...fix.Fix) suggestion { return suggestion{text, fixes} }

// fixes returns a suggestion of fixes without a text.
func fixes(all ...fix.Fix) suggestion { return suggestion{fixes: all} }

// Problems collects all errors of the columns of a table.
type Problems []*Error

// Err returns nil, the only error, or all of them as one error.
func (p Problems) Err() error {
	switch len(p) {
	case 0:
		return nil
	case 1:
		return p[0]
	}
	return p
}

// Add adds an Error, or a list of them, to p. It returns any other error.
func (p *Problems) Add(err error) error {
	var one *Error
	switch more, several := err.(Problems); {
	case err == nil:
	case several:
		*p = append(*p, more...)
	case errors.As(err, &one) && one.Class != ErrMemory && one.Class != ErrChanged && one.Class != ErrDamaged:
		for _, e := range *p {
			if e.Column == one.Column && (e.Msg == one.Msg || e.Class == ErrNoColumn && one.Class == ErrNoColumn) {
				return nil // a column that is absent, or wrong in the same way, in two roles
			}
		}
		*p = append(*p, one)
	default:
		return err
	}
	return nil
}

// Error returns one line per problem.
func (p Problems) Error() string {
	var b strings.Builder
	b.WriteString(p.Title())
	for _, e := range p {
		b.WriteString("\n  " + e.Error())
	}
	return b.String()
}

// Title returns a line that gives the number of problems.
func (p Problems) Title() string {
	return fmt.Sprintf("%d problems must be fixed before this table can be used:", len(p))
}

// Unwrap returns the errors.
func (p Problems) Unwrap() []error {
	out := make([]error, len(p))
	for i, e := range p {
		out[i] = e
	}
	return out
}
