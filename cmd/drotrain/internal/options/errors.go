package options

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/setting"
)

// FlagErrors returns an error with all problems of arguments that the flag parser rejected.
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
		_, hint := exit.Describe(all[0])
		return exit.Usagef(hint, "%w", all[0])
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

// flagError rewords an error of the flag parser and adds a hint.
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

// elsewhere maps option names of other programs and earlier versions to an option and a hint.
var elsewhere = map[string][]struct{ option, hint string }{
	"confidence":         {{"radius", "the intervals of the report are those of `drotrain eval --confidence`"}},
	"alpha":              {{"protect", "CVaR is --protect PROPORTION, as in --protect 0.1"}},
	"group-dro":          {{"adversary", "group DRO is --adversary groups --nu 0"}},
	"groupdro":           {{"adversary", "group DRO is --adversary groups --nu 0"}},
	"dro":                {{"adversary", "CVaR is --protect, group DRO --adversary groups --nu 0, a KL or χ² ball --radius with --penalty"}},
	"erm":                {{"average", "ERM is --average plain"}},
	"method":             {{"adversary", "CVaR is --protect, group DRO --adversary groups --nu 0, a KL or χ² penalty --nu with --penalty"}},
	"kl-radius":          {{"radius", "a KL ball is --radius ρ --penalty kl"}},
	"chi2-radius":        {{"radius", "a χ² ball is --radius ρ --penalty chi2"}},
	"kl":                 {{"penalty", "the KL divergence is --penalty kl, with --nu or --radius"}},
	"chi2":               {{"penalty", "the χ² divergence is --penalty chi2, with --nu or --radius"}},
	"epsilon":            {{"radius", "the radius of a divergence ball is --radius"}},
	"lambda":             {{"mu", "the weight of the ridge penalty is --mu"}},
	"l2":                 {{"mu", "the weight of the ridge penalty is --mu"}},
	"ridge":              {{"mu", "the weight of the ridge penalty is --mu"}},
	"temperature":        {{"nu", "the penalty coefficient of the divergence is --nu"}},
	"test-size":          {{"holdout", "the proportion of the rows held out is --holdout"}},
	"test":               {{"holdout", "a table of rows to hold out is --holdout file:FILE"}},
	"holdout-data":       {{"holdout", "a table of rows to hold out is --holdout file:FILE"}},
	"split":              {{"holdout", "a column that says train or test is --holdout split:COLUMN"}},
	"group-holdout":      {{"holdout", "units that are held out whole are --holdout units:COLUMN"}},
	"time":               {{"holdout", "the last rows are held out by --holdout time:COLUMN"}},
	"evaluate":           {{"holdout", "cross-fitting is --holdout crossfit"}},
	"on-disk":            {{"memory", "--memory 0 keeps the rows on disk"}},
	"scale-target":       {{"scale", "--scale none leaves features and target in their units"}},
	"max-levels":         {{"min-count", "--min-count 20 merges rare levels into one"}},
	"group-coefficients": {{"group-features", "coefficients by group are set by --group-features no, shared, pooled or auto"}},
	"random-state":       {{"seed", "the seed is --seed"}},
	"sample-weight":      {{"weight", "the column of row weights is --weight"}},
	"label":              {{"target", "the column to predict is --target"}},
	"compare":            {{"score", "name the models in one option, the baseline first: --model A,B"}},
	"plots":              {{"report", "the figures are .svg; drotrain eval --model MODEL --out DIR --format png,pdf writes others"}},
	"no-report":          {{"report", "--report none writes only the model"}},
	"fast":               {{"report", "--report fast measures without intervals, slices and plots"}},
	"quick":              {{"report", "--report fast measures without intervals, slices and plots"}},
	"log":                {{"transform", "the logarithm of a column is --transform COLUMN:log"}},
	"square":             {{"transform", "the square of a column is --transform COLUMN:square"}},
	"spline":             {{"transform", "a spline of 4 knots is --transform COLUMN:spline4"}},
	"huber-delta":        {{"loss", "the δ of the Huber loss stands behind its name: --loss huber:2"}},
	"unit":               {{"card", "the unit of the target is a line of the model card (--card): unit: USD per week"}},
	"checkpoint-every":   {{"resume", "a checkpoint for --resume is written every 30 seconds"}},
	"output":             {{"out", "write to --out"}},
	"o":                  {{"out", "write to --out"}},
	"no-progress":        {{"quiet", "--quiet leaves out progress and notes; without a terminal progress is a line a minute"}},
	"n-jobs":             {{"threads", "the number of threads is --threads"}},
	"jobs":               {{"threads", "the number of threads is --threads"}},
	"sep":                {{"delimiter", "the character between fields is --delimiter"}},
	"na-values":          {{"na", "values to treat as missing are --na"}},
}

// elsewhereHint returns the option of fs that a name of another program stands for.
func elsewhereHint(fs *pflag.FlagSet, name string) string {
	for _, e := range elsewhere[strings.ReplaceAll(strings.ToLower(name), "_", "-")] {
		if fs.Lookup(e.option) != nil {
			return e.hint
		}
	}
	return ""
}

// nearestFlag returns the option closest to name, or "help".
func nearestFlag(fs *pflag.FlagSet, name string) string {
	if near := printable.Nearest(name, flagNames(fs), 1); len(near) > 0 {
		return near[0]
	}
	return "help"
}

// hintFor returns a hint for an option that does not exist.
func hintFor(fs *pflag.FlagSet, name string) string {
	if hint := elsewhereHint(fs, name); hint != "" {
		return hint
	}
	if hint := setting.DidYouMean(name, flagNames(fs), "--"); hint != "" {
		return hint
	}
	for _, command := range []string{Train, Eval, Predict, Export, Inspect, Tune} {
		if isOption(command, name) {
			return fmt.Sprintf("--%s is an option of drotrain %s; --help lists those of this command", name, command)
		}
	}
	return "--help lists the options"
}

// isOption reports whether a command has an option of this name.
func isOption(command, name string) bool {
	for _, of := range registry {
		for _, o := range of.options {
			if takes, _ := o.isTakenBy(command); takes && o.Name == name {
				return true
			}
		}
	}
	return false
}

// fieldName matches names of library settings in a text, such as Config.GroupFeatures.
var fieldName = regexp.MustCompile(`\b(?:Config|Options)\.([A-Z][A-Za-z]*)`)

// renamed maps library settings to options with another name.
var renamed = map[string]string{
	"Adjust": "--group-adjust", "HoldoutData": "--holdout file:", "Split": "--holdout split:", "GroupHoldout": "--holdout units:",
	"Time": "--holdout time:", "Log": "--transform", "Square": "--transform", "Spline": "--transform", "HuberDelta": "--loss huber:", "Evaluate": "--holdout", "GroupCoefficients": "--group-features", "OnDisk": "--memory 0",
}

// NameOptions replaces library settings in a message by options: Config.MaxPasses by --max-passes.
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
		for _, command := range []string{Train, Eval} {
			if isOption(command, option.String()) {
				return "--" + option.String()
			}
		}
		return field
	})
}

// invalidValue returns the error of an invalid value of an option or key.
func invalidValue(what, value string, cause error) error {
	_, hint := exit.Describe(cause)
	return exit.Usagef(hint, "%s %q: %w", what, printable.Shorten(value, 200), cause)
}

func valueName(f *pflag.Flag) string {
	name, _ := pflag.UnquoteUsage(f)
	return name
}

// flagNames returns the names of the visible options.
func flagNames(fs *pflag.FlagSet) []string {
	var names []string
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}
