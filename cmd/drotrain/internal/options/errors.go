package options

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/setting"
	"github.com/drotrain/drotrain/train/level"
)

// FlagErrors returns an error with all problems of arguments that the flag parser rejected.
func FlagErrors(fs *pflag.FlagSet, args []string) error {
	var all []error
	add := func(err error) {
		if !slices.ContainsFunc(all, func(e error) bool { return e.Error() == err.Error() }) {
			all = append(all, err)
		}
	}
	for {
		err := fs.ParseAll(args, func(f *pflag.Flag, value string) error {
			if err := f.Value.Set(value); err != nil {
				add(exit.Usagef("", "--%s %q: %w", f.Name, printable.ShortenMiddle(value, 200), err))
			}
			return nil
		})
		if err == nil {
			break
		}
		add(flagError(fs, err))
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
	return JoinErrors(all)
}

// JoinErrors combines all errors of a command line.
func JoinErrors(all []error) error { return joinErrorsBy("the command line", all) }

// joinErrorsBy combines errors of a command line or a configuration.
func joinErrorsBy(with string, all []error) error {
	switch len(all) {
	case 0:
		return nil
	case 1:
		return exit.WithCode(exit.Usage, all[0], "")
	}
	var lines strings.Builder
	for _, err := range all {
		msg, hint := exit.Describe(err)
		lines.WriteString("\n  " + msg)
		if hint != "" {
			lines.WriteString("\n    → " + hint)
		}
	}
	return exit.Usagef("", "%d problems with %s:%s", len(all), with, lines.String())
}

// flagError rewords an error of the flag parser and adds a hint.
func flagError(fs *pflag.FlagSet, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown):
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			near := append(printable.Nearest(short, names(fs, isAny), 1), "help")
			return exit.Usagef(fmt.Sprintf("long options take two dashes; did you mean --%s?", near[0]), "unknown option -%s",
				short)
		}
		name := unknown.GetSpecifiedName()
		hint := foreignNameHint(fs, name)
		for _, command := range commands {
			if hint == "" && isOption(command, name) {
				hint = fmt.Sprintf("--%s is an option of drotrain %s; --help lists the options of this command", name, command)
			}
		}
		hint = cmp.Or(hint, setting.DidYouMean(name, names(fs, isAny), "--"), "--help lists the options")
		return exit.Usagef(hint, "unknown option --%s", name)
	case errors.As(err, &missing):
		name := missing.GetSpecifiedName()
		value, _ := pflag.UnquoteUsage(missing.GetFlag())
		return exit.Usagef(fmt.Sprintf("write --%s %s", name, value), "option --%s needs a value", name)
	}
	return exit.Usagef("", "%w", err)
}

// A foreignName holds names that an option has in other programs or earlier versions, the corresponding option of
// this program, and a hint.
type foreignName struct{ names, option, hint string }

// foreignSets returns the names of ambiguity sets in other programs, for kinds of levels and for divergences.
func foreignSets() (all []foreignName) {
	for _, k := range level.Kinds {
		if k.Foreign != "" {
			all = append(all, foreignName{k.Foreign, k.Option, k.Hint})
		}
	}
	var names, symbols []string
	for _, d := range dro.Divergences() {
		if d.HasPenalty() {
			names, symbols = append(names, string(d)), append(symbols, d.Symbol())
			continue
		}
		hint := fmt.Sprintf("set a ball of the %s with --penalty %s --radius ρ", d.Symbol(), d)
		all = append(all, foreignName{string(d) + " " + strings.ReplaceAll(d.Symbol(), " ", "-"), "penalty", hint})
	}
	return append(all,
		foreignName{strings.Join(names, " "), "penalty",
			"set the divergence with --penalty " + printable.JoinWords(names, "or") +
				", and its strength with --nu or --radius"},
		foreignName{"dro method group-dro groupdro", "adversary",
			"use --protect for CVaR, --adversary groups --nu 0 for group DRO, --nu for a " +
				printable.JoinWords(symbols, "or") + " penalty, and --radius with --penalty for a ball"})
}

var foreignNames = append(foreignSets(), []foreignName{
	{"lambda l2 ridge", "mu", "set the coefficient of the ridge penalty with --mu"},
	{"huber-delta", "loss", "write the δ of the Huber loss after its name: --loss huber:2"},
	{"test test-size holdout-data split group-holdout time evaluate", "holdout",
		"hold out rows with --holdout: 0.2, file:FILE, split:COLUMN, units:COLUMN, time:COLUMN or crossfit"},
	{"label", "target", "name the column to predict with --target"},
	{"compare", "score", "name the models in one option, the baseline first: --model A,B"},
	{"log square spline", "transform",
		"transform columns with --transform COLUMN:log, COLUMN:square or COLUMN:spline4"},
	{"scale-target", "scale", "--scale none leaves the features and the target in their units"},
	{"max-levels", "min-count", "--min-count 20 merges rare levels into one"},
	{"group-coefficients", "group-features",
		"control coefficients by group with --group-features no, shared, pooled or auto"},
	{"random-state", "seed", "set the seed with --seed"},
	{"n-jobs jobs", "threads", "set the number of threads with --threads"},
	{"on-disk", "memory", "--memory 0 stores the rows on disk"},
	{"checkpoint-every", "resume", "a checkpoint for --resume is written every 30 seconds"},
	{"sep", "delimiter", "set the character between fields with --delimiter"},
	{"na-values", "na", "name the values that mean missing with --na"},
	{"confidence", "radius", "set the confidence level of a report with `drotrain eval --confidence`"},
	{"unit", "card", "state the unit of the target in the model card (--card), in a line such as unit: USD per week"},
	{"fast quick no-report", "report",
		"--report fast evaluates without intervals, slices and plots; --report none writes only the model"},
	{"plots", "report", "train writes figures as .svg; drotrain eval --model MODEL --out DIR --format png,pdf writes " +
		"other formats"},
	{"no-progress", "quiet", "--quiet suppresses progress and notes; without a terminal, progress is one line per minute"},
}...)

// foreignNameHint returns a hint about a name that an option has in another program or in an earlier version. It
// returns "" if the name is unknown or fs lacks the corresponding option.
func foreignNameHint(fs *pflag.FlagSet, name string) string {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	for _, e := range foreignNames {
		if slices.Contains(strings.Fields(e.names), name) && fs.Lookup(e.option) != nil {
			return e.hint
		}
	}
	return ""
}

// names returns the names of the options that are suitable.
func names(fs *pflag.FlagSet, suitable func(*pflag.Flag) bool) (out []string) {
	fs.VisitAll(func(f *pflag.Flag) {
		if suitable(f) {
			out = append(out, f.Name)
		}
	})
	return out
}

func isAny(*pflag.Flag) bool { return true }

// isOption reports whether a command has an option of this name.
func isOption(command, name string) bool {
	return slices.ContainsFunc(registry, func(s section) bool {
		return slices.ContainsFunc(s.options, func(o Option) bool {
			takes, _ := o.isTakenBy(command)
			return takes && o.Name == name
		})
	})
}

// fieldName matches names of library settings in a text, such as Config.GroupFeatures.
var fieldName = regexp.MustCompile(`\b(?:Config|Options)\.([A-Z][A-Za-z]*)`)

// renamed maps library settings to options whose names differ.
var renamed = map[string]string{
	"ValidationData": "--validation", "ValidationSplit": "--validation split:", "Adjust": "--group-adjust",
	"HoldoutData": "--holdout file:", "Split": "--holdout split:", "GroupHoldout": "--holdout units:",
	"Time": "--holdout time:", "Log": "--transform", "Square": "--transform", "Spline": "--transform",
	"HuberDelta": "--loss huber:", "Evaluate": "--holdout", "GroupCoefficients": "--group-features",
	"OnDisk": "--memory 0",
}

// NameOptions replaces library settings in a message by options, such as Config.MaxPasses by --max-passes.
func NameOptions(message string) string {
	return fieldName.ReplaceAllStringFunc(message, func(field string) string {
		_, name, _ := strings.Cut(field, ".")
		if own := renamed[name]; own != "" && strings.HasPrefix(field, "Config.") {
			return own
		}
		var option strings.Builder
		for i, r := range name {
			if unicode.IsUpper(r) && i > 0 {
				option.WriteByte('-')
			}
			option.WriteRune(unicode.ToLower(r))
		}
		if isOption(Train, option.String()) || isOption(Eval, option.String()) {
			return "--" + option.String()
		}
		return field
	})
}
