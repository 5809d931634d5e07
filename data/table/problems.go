package table

import (
	"fmt"
	"strings"
)

// Problems are all that is wrong with the columns of a table, told at once.
type Problems []*Error

// Err is one error alone as it is, several together, or nil.
func (p Problems) Err() error {
	switch len(p) {
	case 0:
		return nil
	case 1:
		return p[0]
	}
	return p
}

// Error gives a line for every problem.
func (p Problems) Error() string { return p.Text((*Error).Error) }

// Text gives a line for every problem, in words of the caller.
func (p Problems) Text(of func(*Error) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d columns cannot be used as they are:", len(p))
	for _, e := range p {
		b.WriteString("\n  " + of(e))
	}
	return b.String()
}

// Unwrap gives the errors.
func (p Problems) Unwrap() []error {
	out := make([]error, len(p))
	for i, e := range p {
		out[i] = e
	}
	return out
}
