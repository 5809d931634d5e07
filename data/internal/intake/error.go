package intake

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/drotrain/drotrain/data/table"
)

// TraceRecovered, if not nil, is called with every panic that is converted to an error. It is set by tests.
var TraceRecovered func(value any, stack []byte)

// Guard calls do and returns its error. It converts a panic, such as one in a decoder, to an error.
func Guard(do func() error) error { return GuardAs("its contents", do) }

// GuardAs works like Guard; what describes the decoded data, as a noun in the plural.
func GuardAs(what string, do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = RecoveredError(what, r)
		}
	}()
	return do()
}

// RecoveredError converts the value of a panic during decoding to an error. It does not reveal messages of runtime
// errors to users.
func RecoveredError(what string, r any) error {
	if e, ok := r.(error); ok {
		var own *table.Error
		if errors.As(e, &own) {
			return own
		}
	}
	if TraceRecovered != nil {
		TraceRecovered(r, debug.Stack())
	}
	return table.Damaged("%s contradict each other", what)
}

// InColumn adds the name of the column to an error that has none.
func InColumn(name string, err error) error {
	if e, ok := err.(*table.Error); ok && e.Column == "" {
		e.Column = name
	}
	return err
}

// InFile converts err to an *Error with the name of the file, unless the error comes from a cancelled context.
func InFile(name string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var e *table.Error
	if errors.As(err, &e) {
		if e.Path == "" {
			e.Path = name
		}
		return err
	}
	return &table.Error{Path: name, Err: err}
}
