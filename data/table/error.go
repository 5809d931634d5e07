package table

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/drotrain/drotrain/data/fix"
)

// An Error describes a problem of a user's table and how to solve it. Use errors.As to obtain one, and errors.Is to
// test its class.
type Error struct {
	Path   string // the file, or "" if the error does not concern a single file
	Column string // name of the column, or ""
	Rows   int    // number of affected rows; 0 if unknown or irrelevant
	// row of data, counted from 1 within the file without header lines; 0 if the error does not concern a row
	Row   int
	Msg   string    // description of the error
	Hint  string    // what to do, in words that suit any program; may be ""
	Fixes []fix.Fix // what would fix the problem, for a program to express in its own words
	// values for fixes that need one, such as the separator for SayDecimal; may be nil
	FixValues map[fix.Fix]string
	Err       error // the cause, or nil
	// class of the error for errors.Is, such as ErrNoColumn or ErrDamaged; may be nil
	Class error
}

// Classes of errors. errors.Is(err, class) reports whether an [Error] belongs to a class; its fields state the
// place and the problem.
var (
	ErrNoColumn = errors.New("no such column")
	ErrDamaged  = errors.New("damaged file")
	ErrChanged  = errors.New("file changed while in use")
	ErrMemory   = errors.New("not enough memory")

	// ErrMixedDates is the class of remarks on text columns with dates in several formats.
	ErrMixedDates = errors.New("dates in several formats")

	// ErrDateOrder is the class of remarks on text columns of dates in which either the day or the month may
	// come first.
	ErrDateOrder = errors.New("dates of unknown order")

	// ErrLeadingZeros is the class of remarks on columns that are text because their numbers have leading
	// zeros.
	ErrLeadingZeros = errors.New("numbers with leading zeros")

	// ErrDottedThousands is the class of remarks on numbers whose points may be thousands separators.
	ErrDottedThousands = errors.New("fractions of three digits")

	// ErrTextOfNumbers is the class of remarks on text columns that are probably numbers.
	ErrTextOfNumbers = errors.New("numbers that are read as text")
)

// Is reports whether the error belongs to the class target.
func (e *Error) Is(target error) bool { return e.Class != nil && target == e.Class }

// Error returns the message in the form: path: column "x", row 7: problem (what to do).
func (e *Error) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(e.Path)
		b.WriteString(": ")
	}
	switch {
	case e.Class == ErrNoColumn: // Msg contains the name
	case e.Column != "" && e.Row > 0:
		fmt.Fprintf(&b, "column %q, row %d: ", e.Column, e.Row)
	case e.Column != "":
		fmt.Fprintf(&b, "column %q: ", e.Column)
	case e.Row > 0:
		fmt.Fprintf(&b, "row %d: ", e.Row)
	}
	b.WriteString(e.Msg)
	if e.Err != nil {
		if e.Msg != "" {
			b.WriteString(": ")
		}
		b.WriteString(e.Err.Error())
	}
	if advice := e.Advice(nil); advice != "" {
		b.WriteString(" (" + advice + ")")
	}
	return b.String()
}

// Advice returns the hint followed by the fixes. words returns the text of a fix, or "" to select the default text.
func (e *Error) Advice(words func(fix.Fix) string) string {
	var all []string
	if e.Hint != "" {
		all = append(all, e.Hint)
	}
	for _, r := range e.Fixes {
		text := ""
		if words != nil {
			text = words(r)
		}
		if text == "" {
			text = string(r)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", or ")
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Damaged returns an error about damage to a file. Readers return this error, or panic with it if Guard recovers
// it.
func Damaged(format string, args ...any) error {
	return &Error{Msg: "the file is damaged or not valid: " + fmt.Sprintf(format, args...), Class: ErrDamaged}
}

// Catch calls do and returns an *Error that do panics with, for example if the memory does not suffice for the
// levels. Other panics are not recovered.
func Catch(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			own, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			err = own
		}
	}()
	return do()
}

// Cause returns an error with the message of a file system error without its path.
func Cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
