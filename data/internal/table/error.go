package table

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"strings"

	"github.com/drotrain/drotrain/data/fix"
)

// An Error says what is wrong with a user's table and what would help. Package data has a public type of the
// same fields.
type Error struct {
	Path      string             // the file, or "" when no single file is to blame
	Column    string             // the column, or ""
	Rows      int                // in how many rows; 0 if that is not known or says nothing
	Row       int                // data row, counted from 1 within the file (header lines not counted); 0 for none
	Msg       string             // what is wrong
	Hint      string             // what to do, in words that fit any program; or ""
	Fixes     []fix.Fix          // what would fix it, for a program to put into its own words
	FixValues map[fix.Fix]string // of fixes that name something, what to name; or nil
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

	// ErrMixedDates is of a remark on a column of text that holds dates in several formats.
	ErrMixedDates = errors.New("dates in several formats")

	// ErrTextOfNumbers is of a remark on a column of text that is probably meant as numbers.
	ErrTextOfNumbers = errors.New("numbers that are read as text")
)

// AsOuter makes errors.As find the public type of the same fields, which package data declares.
var AsOuter func(e *Error, target any) bool

// As reports whether the error is one of the target's type, and stores it there.
func (e *Error) As(target any) bool { return AsOuter != nil && AsOuter(e, target) }

// Is reports the class of the error.
func (e *Error) Is(target error) bool { return e.Class != nil && target == e.Class }

// Error gives "path: column "x", row 7: what is wrong (what to do)".
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

// Advice joins the hint and the fixes, each in the given words, or in its own where these are empty.
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

// Damaged returns a structural fault of a file. Readers return it, or panic with it
// under a Guard.
func Damaged(format string, args ...any) error {
	return &Error{Msg: "the file is damaged or not valid: " + fmt.Sprintf(format, args...), Class: ErrDamaged}
}

// TraceRecovered, if set, is called with every panic that becomes an error; for tests.
var TraceRecovered func(value any, stack []byte)

// Guard calls do and returns its error, or its panic, as of a decoder, as an error.
func Guard(do func() error) error { return GuardAs("its contents", do) }

// GuardAs works like Guard with words for what is decoded, in the plural.
func GuardAs(what string, do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = RecoveredError(what, r)
		}
	}()
	return do()
}

// Catch calls do and returns the *Error that do panics with, as a builder of levels does that
// runs out of memory. Any other panic is a defect of ours and goes on.
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

// RecoveredError makes an error of the value of a panic while what is named was decoded.
// The message of a decoder's own slip ("index out of range") says nothing to a user
// and is not shown.
func RecoveredError(what string, r any) error {
	if e, ok := r.(error); ok {
		var own *Error
		if errors.As(e, &own) {
			return own
		}
	}
	if TraceRecovered != nil {
		TraceRecovered(r, debug.Stack())
	}
	return Damaged("%s contradict each other and cannot be decoded", what)
}

// InColumn names the column in an error that names none.
func InColumn(name string, err error) error {
	if e, ok := err.(*Error); ok && e.Column == "" {
		e.Column = name
	}
	return err
}

// InFile makes err an *Error that names the file; cancellation stays as it is.
func InFile(name string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var e *Error
	if errors.As(err, &e) {
		if e.Path == "" {
			e.Path = name
		}
		return err
	}
	return &Error{Path: name, Err: err}
}

// Cause returns what an error of the file system says, without the path.
func Cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
