// Package expr is the language of conditions: those of rows (--filter) and those that
// fail a build (--fail-if).
//
//	age >= 18                      a name against a number: == != < <= > >= (= is ==)
//	state != "PR"                  against text in quotes, or against true and false
//	state in ("CA", "NY")
//	age is null, age is not null
//	a && b, a || b, !a, (a)        also and, or, not
//
// A name is made of letters, digits, '_', '.' and '-', and may hold brackets around
// anything, as in group[region=south].risk; other names are written in backquotes. A quote
// within quotes is written twice, as in SQL. What a name stands for, and which comparisons
// it takes, is settled by who evaluates. As in SQL a comparison with what has no value is
// neither true nor false.
//
// It imports nothing of the project. Start reading at Parse and Expr.Eval.
package expr

import "fmt"

// An Op is the operation of an [Expr].
type Op int

const (
	Or      Op = iota // of Args
	And               // of Args
	Not               // of the one in Args
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
	Cmp    string // "==", "!=", "<", "<=", ">" or ">="
	Values []Value
	At     int // the character, from 1, where it begins
}

// A Kind is the type of a [Value].
type Kind int

const (
	Number Kind = iota
	Text
	Word // true, false, or another word without quotes
)

// A Value is the right-hand side of a comparison.
type Value struct {
	Kind   Kind
	Number float64 // of a Number
	Text   string  // as it is written, without quotes
	At     int
}

// An Error is a syntax error at a character, counted from 1.
type Error struct {
	At  int
	Msg string
}

func (e *Error) Error() string { return fmt.Sprintf("at character %d: %s", e.At, e.Msg) }

// Errorf returns an Error at a character.
func Errorf(at int, format string, args ...any) *Error {
	return &Error{at, fmt.Sprintf(format, args...)}
}

// A Truth is the value of a condition: yes, no or unknown.
type Truth uint8

const (
	No Truth = iota
	Yes
	Unknown // something without a value is compared
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

// Leaves calls do for every comparison from left to right, and returns the first error.
func (e *Expr) Leaves(do func(*Expr) error) error {
	if e.Op > Not {
		return do(e)
	}
	for _, a := range e.Args {
		if err := a.Leaves(do); err != nil {
			return err
		}
	}
	return nil
}

// Eval returns the truth values of a condition, row by row. leaf returns the truth values of a comparison, always of
// the same length; Eval overwrites them.
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
	settles := Yes // a part like this settles the whole
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
