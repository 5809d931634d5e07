// Package options holds the registry of the options of every command. The flags, the keys of a
// configuration file, the help in both lengths, the completions, the manual pages, docs/options.md
// and the command line that repeats a run are all made from it.
//
// To add an option, add a field to Settings and one entry to a list of data.go, robustness.go or
// output.go: its name, the commands that take it, its help and the constructor of its value. A setting
// of train.Config has its value there, in Config.Options. A star behind a command puts the option into the short help of that
// command (-h). Where commands differ in the help or the type of an option, it has one entry for
// each of them. `make golden` renews the recorded help.
package options

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/internal/setting"
)

// An Option is an entry of the registry.
type Option struct {
	Name     string                         // on the command line, and as a key of a configuration
	Commands string                         // that take it, separated by spaces; with a star where the short help shows it
	Help     string                         // one phrase; a word in `backquotes` names the value
	Short    string                         // in place of Help in the short help; empty: Help
	Value    func(*Settings) *setting.Value // nil: the setting of train.Config of this name

	Aliases string // other names of the same option, separated by spaces
	Effect  effect
}

// An effect says what an option can change.
type effect string

const (
	result  effect = ""        // numbers that are computed
	storage effect = "storage" // where rows are kept: not part of the command that repeats a run
	display effect = "display" // files, streams and speed: may also differ in a run that is resumed
	meta    effect = "meta"    // the configuration file and the help themselves: no keys of a configuration
)

// A section is a heading of the help and the options below it.
type section struct {
	title   string
	options []Option
}

// registry lists all options in the order of the help.
var registry = []section{
	{"Model", modelOptions},
	{"Data", dataOptions},
	{"Features", featureOptions},
	{"Rows held out", holdoutOptions},
	{"Robustness: set one of these, or cross-validation chooses", robustnessOptions},
	{"Choice of the robustness by cross-validation", choiceOptions},
	{"Objective and solver", solverOptions},
	{"Evaluation", evaluationOptions},
	{"Reading", readingOptions},
	{"Output", outputOptions},
}

// isTakenBy reports whether a command has the option, and whether it is in the short help.
func (o *Option) isTakenBy(command string) (takes, important bool) {
	for name := range strings.FieldsSeq(o.Commands) {
		if bare := strings.TrimSuffix(name, "*"); bare == command {
			return true, bare != name
		}
	}
	return false, false
}

// Keys of the annotations of a flag.
const (
	sectionKey = "section"
	shortKey   = "short" // the text in the short help; absent where that does not show the option
	effectKey  = "effect"
)

// Add adds the options of a command to cmd and returns the settings they set.
func Add(cmd *cobra.Command, command string) *Settings {
	s := Defaults(command)
	fs := cmd.Flags()
	fs.SortFlags = false
	config := s.Config.Options()
	aliases := map[string]string{}
	for _, of := range registry {
		for k := range of.options {
			o := &of.options[k]
			takes, important := o.isTakenBy(command)
			if !takes {
				continue
			}
			v, _ := config[o.Name].(*setting.Value)
			if o.Value != nil {
				v = o.Value(s)
			}
			f := fs.VarPF(v, o.Name, "", o.Help)
			f.Annotations = map[string][]string{sectionKey: {of.title}, effectKey: {string(o.Effect)}}
			if important {
				f.Annotations[shortKey] = []string{strings.ReplaceAll(cmp.Or(o.Short, o.Help), "`", "")}
			}
			if f.Value.Type() == "bool" {
				f.NoOptDefVal = "true"
			}
			for alias := range strings.FieldsSeq(o.Aliases) {
				aliases[alias] = o.Name
			}
			if words := strings.Split(f.Value.Type(), "|"); len(words) > 1 {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
			}
		}
	}
	if len(aliases) > 0 {
		fs.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
			if to, ok := aliases[name]; ok {
				name = to
			}
			return pflag.NormalizedName(name)
		})
	}
	return s
}

// hasEffect reports whether a flag is an option with one of the effects.
func hasEffect(f *pflag.Flag, effects ...effect) bool {
	a := f.Annotations[effectKey]
	return len(a) > 0 && slices.Contains(effects, effect(a[0]))
}

// Resumes reports whether a resumed run must have the same value of an option.
func Resumes(f *pflag.Flag) bool { return hasEffect(f, result, storage) }
