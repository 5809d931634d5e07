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

// Problems collects the errors of the columns of a table, so that a user sees all of them at once.
type Problems []*Error

// Err returns nil if p is empty, the error if there is only one, and otherwise p itself.
func (p Problems) Err() error {
	switch len(p) {
	case 0:
		return nil
	case 1:
		return p[0]
	}
	return p
}

// Add adds to p an [Error], unless p holds the same problem of the same column, or a list of errors. It returns any
// other error, and also errors of the classes [ErrMemory], [ErrChanged] and [ErrDamaged], after which the caller
// should stop.
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

// Error returns the title, followed by one line per problem.
func (p Problems) Error() string {
	var b strings.Builder
	b.WriteString(p.Title())
	for _, e := range p {
		b.WriteString("\n  " + e.Error())
	}
	return b.String()
}

// Title returns the first line of the message, which states the number of problems.
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
