// Package options contains the registry of the options of all commands. The flags, the keys of a configuration
// file, both lengths of the help, the completions, the manual pages, docs/options.md and the command line that
// repeats a run are derived from it.
//
// To add an option, add a field to Settings and one entry to a list of data.go, robustness.go or output.go: its
// name, the commands that have it, its help and the constructor of its value. The value of a setting of
// train.Config is defined in Config.Options. A star after a command puts the option into the short help of that
// command (-h). If the help or the type of an option differs between commands, it has one entry for each of them.
// `make golden` updates the recorded help.
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
	Name string // name on the command line and in a configuration
	// commands that have it, separated by spaces; a star marks those whose short help shows it
	Commands string
	Help     string                         // a phrase, in which a word in `backquotes` names the value
	Short    string                         // replaces Help in the short help; if empty, Help is used
	Value    func(*Settings) *setting.Value // if nil, the setting of train.Config with the same name

	Aliases string // other names of the option, separated by spaces
	Effect  effect
}

// An effect states what an option can change.
type effect string

const (
	result  effect = ""        // affects the numbers that are computed
	storage effect = "storage" // where rows are stored; not part of the command that repeats a run
	display effect = "display" // files, streams and speed, which may also differ in a resumed run
	// --config and --measures, which are not keys of a configuration
	meta effect = "meta"
)

// A section is a heading in the help with the options below it.
type section struct {
	title    string
	options  []Option
	examples []example
}

// An example shows options of a section together, for the named commands, which are separated by spaces.
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

// isTakenBy reports whether a command has the option, and whether the short help of the command shows it.
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
	exampleKey = "example" // example of the section; absent if the section has none for the command
	shortKey   = "short"   // text in the short help; absent if the short help does not show the option
	effectKey  = "effect"
)

// Add adds the options of a command to cmd, and returns the settings that they set.
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

// hasEffect reports whether a flag has one of the given effects.
func hasEffect(f *pflag.Flag, effects ...effect) bool {
	a := f.Annotations[effectKey]
	return len(a) > 0 && slices.Contains(effects, effect(a[0]))
}

// MustMatchOnResume reports whether a resumed run must have the same value of an option.
func MustMatchOnResume(f *pflag.Flag) bool { return hasEffect(f, result, storage) }
