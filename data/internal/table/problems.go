package table

import (
	"errors"
	"fmt"
	"strings"
)

// Problems are all that is wrong with the columns of a table, in one error.
type Problems []*Error

// Err returns one error alone as it is, several together, or nil.
func (p Problems) Err() error {
	switch len(p) {
	case 0:
		return nil
	case 1:
		return p[0]
	}
	return p
}

// Add takes in an error: problems and lists of them are kept, anything else is
// returned.
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

// Error gives a line for every problem.
func (p Problems) Error() string {
	var b strings.Builder
	b.WriteString(p.Title())
	for _, e := range p {
		b.WriteString("\n  " + e.Error())
	}
	return b.String()
}

// Title reports how many there are.
func (p Problems) Title() string {
	return fmt.Sprintf("%d problems must be fixed before this table can be used:", len(p))
}

// Unwrap gives the errors.
func (p Problems) Unwrap() []error {
	out := make([]error, len(p))
	for i, e := range p {
		out[i] = e
	}
	return out
}
