package table

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/drotrain/drotrain/data/fix"
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

// Classes of errors, for errors.Is: an [Error] of a class is that class, and says
// where and what in its fields.
var (
	ErrNoColumn = errors.New("no such column")
	ErrDamaged  = errors.New("damaged file")
	ErrChanged  = errors.New("file changed while in use")
	ErrMemory   = errors.New("not enough memory")

	// ErrMixedDates is the class of remarks on text columns with dates in several formats.
	ErrMixedDates = errors.New("dates in several formats")

	// ErrDateOrder is the class of remarks on text columns of dates that may have the day or the month first.
	ErrDateOrder = errors.New("dates of unknown order")

	// ErrLeadingZeros is the class of remarks on columns that are text for the leading zeros of their numbers.
	ErrLeadingZeros = errors.New("numbers with leading zeros")

	// ErrDottedThousands is the class of remarks on numbers whose points may separate thousands.
	ErrDottedThousands = errors.New("fractions of three digits")

	// ErrTextOfNumbers is the class of remarks on text columns that are probably numbers.
	ErrTextOfNumbers = errors.New("numbers that are read as text")
)

// Is reports whether the error is of a class.
func (e *Error) Is(target error) bool { return e.Class != nil && target == e.Class }

// Error returns "path: column "x", row 7: what is wrong (what to do)".
func (e *Error) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(e.Path)
		b.WriteString(": ")
	}
	switch {
	case e.Class == ErrNoColumn: // Msg names it
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

// Advice returns the hint followed by the fixes. words gives the text of a fix; "" selects its default text.
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

// Damaged returns an error about damage to a file. Readers return it, or panic with it under Guard.
func Damaged(format string, args ...any) error {
	return &Error{Msg: "the file is damaged or not valid: " + fmt.Sprintf(format, args...), Class: ErrDamaged}
}

// Catch calls do and returns the *Error that do panics with, for example if memory does not suffice for levels.
// Other panics continue.
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

// Cause returns the message of a file system error without the path.
func Cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
