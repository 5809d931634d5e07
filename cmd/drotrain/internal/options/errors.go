package options

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
)

// FlagError rewords the errors of the flag parser and adds what would help.
func FlagError(fs *pflag.FlagSet, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown):
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			return exit.Usagef(fmt.Sprintf("long options take two dashes; did you mean --%s?", nearestFlag(fs, short)),
				"unknown option -%s", short)
		}
		name := unknown.GetSpecifiedName()
		return exit.Usagef(DidYouMean(name, flagNames(fs), "--"), "unknown option --%s", name)
	case errors.As(err, &invalid):
		return invalidValue("--"+invalid.GetFlag().Name, invalid.GetValue(), invalid.Unwrap())
	case errors.As(err, &missing):
		name := missing.GetSpecifiedName()
		return exit.Usagef(fmt.Sprintf("write --%s %s", name, valueName(missing.GetFlag())), "option --%s needs a value", name)
	}
	return exit.Usagef("", "%w", err)
}

// invalidValue words the refusal of a value, of an option or of a config key.
func invalidValue(what, value string, cause error) error {
	if number := new(strconv.NumError); errors.As(cause, &number) && number.Func == "ParseBool" {
		cause = Must("be true or false", "")
	}
	_, hint := exit.Describe(cause)
	return exit.Usagef(hint, "%s %q: %w", what, value, cause)
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
