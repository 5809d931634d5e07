// Package exit defines how the command ends: the exit codes, errors with an exit code and a hint, and the signals
// that interrupt a run. It rewords the libraries' errors in terms of this program's options. The best place to
// start reading is Describe.
package exit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/drotrain/drotrain/data"
)

// Exit codes.
const (
	OK     = 0 // done; after train, the requested gap is certified
	Failed = 1
	Usage  = 2 // the command line or the configuration file is wrong
	Limit  = 3 // stopped before the requested gap; the model is written and marked uncertified
	Gate   = 4 // a --fail-if gate or --strict failed, the model is degenerate, or verify did not prove the certificate

	Pipe = 128 + 13 // the output is no longer read
)

// IssuesURL is the address for reporting bugs.
const IssuesURL = "https://github.com/drotrain/drotrain/issues"

// A statusError is an error with an exit code. If err is nil, the outcome has been printed.
type statusError struct {
	code int
	err  error
	hint string
}

func (e *statusError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *statusError) Unwrap() error { return e.err }
func (e *statusError) Hint() string  { return e.hint }

// WithCode returns an error with an exit code and, unless it is empty, a hint. A nil err means that the outcome has
// already been printed.
func WithCode(code int, err error, hint string) error { return &statusError{code, err, hint} }

// Usagef returns an error about the command line or a configuration file.
func Usagef(hint, format string, args ...any) error {
	return WithCode(Usage, fmt.Errorf(format, args...), hint)
}

// WithHint adds a hint to an error.
func WithHint(err error, hint string) error {
	return WithCode(Failed, err, hint)
}

// A hinter is an error with a hint.
type hinter interface{ Hint() string }

// Describe returns the message and the hint to print for err.
func Describe(err error) (msg, hint string) { return DescribeFor(err, acceptAnyOption) }

// DescribeFor works like Describe, but fixes of table errors only name options for which has returns true.
func DescribeFor(err error, has func(option string) bool) (msg, hint string) {
	msg = strings.TrimRight(err.Error(), "\n")
	for e := err; e != nil && hint == ""; e = errors.Unwrap(e) {
		if h, ok := e.(hinter); ok {
			hint = h.Hint()
		}
	}
	var several data.Problems
	var table *data.Error
	if errors.As(err, &several) {
		var options string
		msg, options = formatProblems(msg, several, has)
		if hint == "" {
			hint = options
		}
	} else if errors.As(err, &table) {
		plain := *table // the advice is printed on a separate line
		plain.Hint, plain.Fixes = "", nil
		msg = strings.Replace(msg, table.Error(), plain.Error(), 1)
		if hint == "" {
			hint = advise(table, has)
		}
	}
	for _, pkg := range []string{"eval: ", "dro: ", "train: ", "losses: "} {
		msg = strings.ReplaceAll(strings.TrimPrefix(msg, pkg), ": "+pkg, ": ")
	}
	return msg, hint
}

// Code returns the exit status for an error.
func Code(ctx context.Context, err error) int {
	var status *statusError
	if errors.As(err, &status) && status.code != Failed {
		return status.code
	}
	var sig Interrupted
	if errors.As(err, &sig) {
		return sig.ExitCode()
	}
	if errors.Is(err, context.Canceled) && errors.As(context.Cause(ctx), &sig) {
		return sig.ExitCode()
	}
	return Failed
}

// ReplaceHint adds a hint about --force to an error about an existing file.
func ReplaceHint(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return WithHint(err, "pass --force to overwrite the file, or choose another name")
	}
	return err
}
