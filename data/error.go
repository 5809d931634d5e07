package data

import (
	"errors"
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/data/table"
)

// An Error describes a problem of a user's table and how to solve it. Use errors.As to obtain one, and errors.Is to
// test its class.
type Error = table.Error

// Classes of errors, for errors.Is.
var (
	ErrNoColumn = table.ErrNoColumn
	ErrDamaged  = table.ErrDamaged
	ErrChanged  = table.ErrChanged
	ErrMemory   = table.ErrMemory
)

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
				return nil // the same column has the same problem in two roles
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
