package options

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
)

// FlagErrors words all that is wrong with arguments that the flag parser refused.
func FlagErrors(fs *pflag.FlagSet, args []string) error {
	var all []error
	tell := func(err error) {
		if !slices.ContainsFunc(all, func(e error) bool { return e.Error() == err.Error() }) {
			all = append(all, err)
		}
	}
	for {
		err := fs.ParseAll(args, func(f *pflag.Flag, value string) error {
			if err := f.Value.Set(value); err != nil {
				tell(invalidValue("--"+f.Name, value, err))
			}
			return nil
		})
		if err == nil {
			break
		}
		tell(flagError(fs, err))
		var unknown *pflag.NotExistError
		if !errors.As(err, &unknown) {
			break
		}
		written := "--" + unknown.GetSpecifiedName()
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			written = "-" + short
		}
		at := slices.IndexFunc(args, func(arg string) bool {
			name, _, _ := strings.Cut(arg, "=")
			return name == written
		})
		if at < 0 {
			break
		}
		args = args[at+1:]
	}
	return Together(all)
}

// Together is one error of all that is wrong with a command line.
func Together(all []error) error { return together("the command line", all) }

// together is one error of a command line or a configuration of all that is wrong with it.
func together(with string, all []error) error {
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	var lines strings.Builder
	for _, err := range all {
		msg, hint := exit.Describe(err)
		lines.WriteString("\n  " + msg)
		if hint != "" {
			lines.WriteString("\n    → " + hint)
		}
	}
	return exit.Usagef("", "%d things are wrong with %s:%s", len(all), with, lines.String())
}

// flagError rewords an error of the flag parser and adds what would help.
func flagError(fs *pflag.FlagSet, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown):
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			return exit.Usagef(fmt.Sprintf("long options take two dashes; did you mean --%s?", nearestFlag(fs, short)),
				"unknown option -%s", short)
		}
		name := unknown.GetSpecifiedName()
		return exit.Usagef(hintFor(fs, name), "unknown option --%s", name)
	case errors.As(err, &missing):
		name := missing.GetSpecifiedName()
		return exit.Usagef(fmt.Sprintf("write --%s %s", name, valueName(missing.GetFlag())), "option --%s needs a value", name)
	}
	return exit.Usagef("", "%w", err)
}

// elsewhere are options that others call otherwise, or that had another name, with what is meant.
var elsewhere = map[string]struct{ option, hint string }{
	"confidence": {"bound-confidence", "a bound of the population's risk is --bound-confidence; the intervals of the report are those of `drotrain report --confidence`"},
	"cvar":       {"protect", "CVaR is --protect SHARE, as in --protect 0.1"},
	"alpha":      {"protect", "CVaR is --protect SHARE, as in --protect 0.1"},
	"group-dro":  {"adversary", "group DRO is --adversary groups --nu 0"},
	"method":     {"adversary", "CVaR is --protect, group DRO --adversary groups --nu 0, a KL or χ² penalty --nu with --penalty"},
}

// hintFor returns what may be meant by an option that there is none of.
func hintFor(fs *pflag.FlagSet, name string) string {
	if e, ok := elsewhere[name]; ok && fs.Lookup(e.option) != nil {
		return e.hint
	}
	return DidYouMean(name, flagNames(fs), "--")
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
