// Package expr implements the language of conditions, which select rows (--filter) or fail a build (--fail-if).
//
//	age >= 18                      a name against a number: == != < <= > >= (= is ==)
//	state != "PR"                  against text in quotes, or against true and false
//	state in ("CA", "NY")
//	age is null, age is not null
//	a && b, a || b, !a, (a)        also and, or, not
//
// A name consists of letters, digits, '_', '.' and '-', and may contain brackets around any text, as in
// group[region=south].risk; other names are written in backquotes. A quote within quotes is doubled, as in SQL. The
// caller that evaluates a condition determines the meaning of names and the supported comparisons. As in SQL, a
// comparison with a missing value is neither true nor false.
//
// The package imports no package of the module. The best places to start reading are Parse and Expr.Eval.
package expr

import "fmt"

// An Op is the operation of an [Expr].
type Op int

const (
	Or      Op = iota // at least one of Args holds
	And               // all of Args hold
	Not               // the only one of Args does not hold
	Compare           // Name Cmp Values[0]
	In                // Name is one of Values
	Null              // Name has no value
	Bare              // Name alone
)

// An Expr is a condition, or a part of one.
type Expr struct {
	Op     Op
	Args   []*Expr
	Name   string
	Cmp    string // comparison: "==", "!=", "<", "<=", ">" or ">="
	Values []Value
	At     int // character at which it begins, counted from 1
}

// A Kind is the type of a [Value].
type Kind int

const (
	Number Kind = iota
	Text
	Word // true, false, or any other unquoted word
)

// A Value is the right-hand side of a comparison.
type Value struct {
	Kind   Kind
	Number float64 // value of a Number
	Text   string  // the text as written, without quotes
	At     int
}

// An Error is a syntax error at a character, counted from 1.
type Error struct {
	At      int
	Msg     string
	Example string // example of what to write instead; may be empty
}

func (e *Error) Error() string {
	text := fmt.Sprintf("at character %d: %s", e.At, e.Msg)
	if e.Example != "" {
		text += "; write e.g. " + e.Example
	}
	return text
}

// Errorf returns an Error at a character.
func Errorf(at int, format string, args ...any) *Error {
	return &Error{At: at, Msg: fmt.Sprintf(format, args...)}
}

// A Truth is the value of a condition: yes, no or unknown.
type Truth uint8

const (
	No Truth = iota
	Yes
	Unknown // a value in a comparison is missing
)

// TruthOf returns Yes or No.
func TruthOf(b bool) Truth {
	if b {
		return Yes
	}
	return No
}

// Holds reports whether x cmp y is true.
func Holds(x float64, cmp string, y float64) bool {
	switch cmp {
	case "==":
		return x == y
	case "!=":
		return x != y
	case "<":
		return x < y
	case "<=":
		return x <= y
	case ">":
		return x > y
	}
	return x >= y
}

// EachLeaf calls do for every comparison from left to right, and returns the first error.
func (e *Expr) EachLeaf(do func(*Expr) error) error {
	if e.Op > Not {
		return do(e)
	}
	for _, a := range e.Args {
		if err := a.EachLeaf(do); err != nil {
			return err
		}
	}
	return nil
}

// Eval returns the truth values of a condition for all rows. leaf returns the truth values of a comparison, always
// with the same length; Eval overwrites them.
func (e *Expr) Eval(leaf func(*Expr) ([]Truth, error)) ([]Truth, error) {
	if e.Op > Not {
		return leaf(e)
	}
	out, err := e.Args[0].Eval(leaf)
	if err != nil {
		return nil, err
	}
	if e.Op == Not {
		for i, t := range out {
			if t != Unknown {
				out[i] = Yes - t
			}
		}
		return out, nil
	}
	settles := Yes // a part with this value determines the value of the whole
	if e.Op == And {
		settles = No
	}
	for _, a := range e.Args[1:] {
		more, err := a.Eval(leaf)
		if err != nil {
			return nil, err
		}
		for i, t := range more {
			switch {
			case out[i] == settles || t == settles:
				out[i] = settles
			case out[i] == Unknown || t == Unknown:
				out[i] = Unknown
			}
		}
	}
	return out, nil
}
