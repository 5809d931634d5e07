// Package options holds the registry of the options of every command. The flags, the keys of a
// configuration file, the help in both lengths, the completions, the manual pages, docs/options.md
// and the command line that repeats a run are all made from it.
//
// To add an option, add a field to Settings and one entry to a list of data.go, robustness.go or
// output.go: its name, the commands that take it, its help and the constructor of its value. A setting
// of train.Config has its value there, in Config.Options. A star behind a command puts the option into the short help
// of that command (-h). Where commands differ in the help or the type of an option, it has one entry for
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
	title    string
	options  []Option
	examples []example
}

// An example shows options of a section together, for the commands that it names, separated by spaces.
type example struct{ commands, text string }

// exampleOf returns the example of a command; empty if the section has none.
func (s section) exampleOf(command string) string {
	for _, e := range s.examples {
		if slices.Contains(strings.Fields(e.commands), command) {
			return e.text
		}
	}
	return ""
}

// registry lists all options in the order of the help.
var registry = []section{
	{"Model", modelOptions, []example{
		{"eval predict export", "--model loans/model.json --model-variant erm"},
	}},
	{"Data", dataOptions, []example{
		{"train tune", "--data builtin:loans --target deny --groups region,sex"},
		{"eval", "--data builtin:loans-next --groups region,sex"},
		{"predict", "--data builtin:loans-next --keep region,sex"},
		{"inspect", "builtin:loans --target deny --groups region,sex"},
	}},
	{"Features", featureOptions, []example{
		{"train tune", "--categorical term --transform income:log --interact age:purpose"},
	}},
	{"Hold-out rows", holdoutOptions, []example{
		{"train tune inspect", "--holdout 0.3"},
	}},
	{"Robustness (set one of these; otherwise cross-validation chooses)", robustnessOptions, []example{
		{"train", "--adversary groups --nu 0.1"},
	}},
	{"Choice of the robustness by cross-validation", choiceOptions, []example{
		{"train", "--select worst-group --folds 5"},
		{"tune", "--select trade-off --rate 1 --folds 5"},
	}},
	{"Objective and solver", solverOptions, []example{
		{"train", "--loss huber:1.5 --mu 0.01 --gap 1e-8"},
		{"tune", "--loss huber:1.5 --storage float32"},
		{"eval", "--predictions preds.parquet --loss huber:1.5"},
	}},
	{"Evaluation", evaluationOptions, []example{
		{"train", "--favourable no --min-group-size 50"},
		{"eval", `--favourable no --fail-if "since.any_group.risk.low > 0.05"`},
		{"predict", "--threshold 0.3"},
	}},
	{"Reading", readingOptions, []example{
		{"train tune eval predict inspect", "--delimiter ';' --decimal , --na '?,-999'"},
	}},
	{"Output", outputOptions, []example{
		{"train tune", "--out loans --force"},
		{"eval", "--out report.html,report.json,gates.xml"},
		{"predict", "--out preds.parquet --invalid null"},
		{"export", "--out model.sql --dialect bigquery"},
		{"inspect", "--out loans.yaml"},
	}},
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
	exampleKey = "example" // of the section; absent if it has none for the command
	shortKey   = "short"   // the text in the short help; absent where that does not show the option
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
			if text := of.exampleOf(command); text != "" {
				f.Annotations[exampleKey] = []string{text}
			}
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
