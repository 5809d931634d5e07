package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/report"
)

// Exit codes.
const (
	exitOK     = 0 // done, and certified to the gap asked for
	exitFailed = 1
	exitUsage  = 2 // the command line or the configuration file is wrong
	exitLimit  = 3 // stopped before the gap; the model is written and marked
	exitGate   = 4 // a --fail-if gate failed, or the model is degenerate

	exitPipe = 128 + 13 // nobody reads the output any more
)

const issuesURL = "https://github.com/drotrain/drotrain/issues"

// A statusError carries an exit code. A nil err is an outcome already told.
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

// usagef is a mistake in the command line or in a configuration file.
func usagef(hint, format string, args ...any) error {
	return &statusError{code: exitUsage, err: fmt.Errorf(format, args...), hint: hint}
}

// asUsage turns an option that a library refused into a wrong command line.
func asUsage(err error) error {
	var option *report.OptionError
	if errors.As(err, &option) && option.Option != "" {
		return usagef(option.Help, "--%s %s", option.Option, option.Msg)
	}
	return err
}

// withHint adds a hint to a failure.
func withHint(err error, hint string) error {
	return &statusError{code: exitFailed, err: err, hint: hint}
}

// hinter is what errors with advice implement, here and in the libraries.
type hinter interface{ Hint() string }

// describe returns what to print for err: one message and perhaps one hint.
func describe(err error) (msg, hint string) {
	msg = strings.TrimRight(err.Error(), "\n")
	for e := err; e != nil && hint == ""; e = errors.Unwrap(e) {
		if h, ok := e.(hinter); ok {
			hint = h.Hint()
		}
	}
	var several data.Problems
	var table *data.Error
	if errors.As(err, &several) {
		msg = strings.Replace(msg, several.Error(), several.Text(func(e *data.Error) string {
			bare := *e
			bare.Hint, bare.Remedies = e.Advice(func(r data.Remedy) string { return remedy(r, e.Column) }), nil
			return bare.Error()
		}), 1)
	} else if errors.As(err, &table) {
		plain := *table // the advice goes on a line of its own
		plain.Hint, plain.Remedies = "", nil
		msg = strings.Replace(msg, table.Error(), plain.Error(), 1)
		if hint == "" {
			hint = table.Advice(func(r data.Remedy) string { return remedy(r, table.Column) })
		}
	}
	for _, pkg := range []string{"eval: ", "dro: ", "train: ", "losses: "} {
		msg = strings.TrimPrefix(msg, pkg)
	}
	return msg, hint
}

// exitCode maps an error to the exit status of the process.
func exitCode(ctx context.Context, err error) int {
	var status *statusError
	if errors.As(err, &status) && status.code != exitFailed {
		return status.code
	}
	var sig interrupted
	if errors.As(err, &sig) {
		return sig.code()
	}
	if errors.Is(err, context.Canceled) && errors.As(context.Cause(ctx), &sig) {
		return sig.code()
	}
	return exitFailed
}

// flagError rewords the errors of the flag parser and adds what would help.
func flagError(fs *pflag.FlagSet, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown):
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			return usagef(fmt.Sprintf("long options take two dashes; did you mean --%s?", nearestFlag(fs, short)),
				"unknown option -%s", short)
		}
		name := unknown.GetSpecifiedName()
		return usagef(didYouMean(name, flagNames(fs), "--"), "unknown option --%s", name)
	case errors.As(err, &invalid):
		return invalidValue("--"+invalid.GetFlag().Name, invalid.GetValue(), invalid.Unwrap())
	case errors.As(err, &missing):
		name := missing.GetSpecifiedName()
		return usagef(fmt.Sprintf("write --%s %s", name, valueName(missing.GetFlag())), "option --%s needs a value", name)
	}
	return usagef("", "%w", err)
}

// invalidValue words the refusal of a value, of an option or of a config key.
func invalidValue(what, value string, cause error) error {
	_, hint := describe(cause)
	return usagef(hint, "%s %q: %w", what, value, cause)
}

func valueName(f *pflag.Flag) string {
	name, _ := pflag.UnquoteUsage(f)
	return name
}

// flagNames lists the options a user may type.
func flagNames(fs *pflag.FlagSet) []string {
	var names []string
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}
