package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/datasets"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// defaultData is the data set on which `drotrain train` trains if no data are given.
const defaultData = "builtin:digits"

// prepare chooses the data and checks the options.
func (o *trainOptions) prepare(a *app, fs *pflag.FlagSet) error {
	if err := o.chooseData(a, fs); err != nil {
		return err
	}
	c := &o.Config
	err := checkRoles(role{"target", []string{c.Target}, []string{"features", "drop", "categorical"}},
		role{"features", c.Features, []string{"drop"}},
		role{"drop", c.Drop, nil}, role{"groups", c.Groups, nil}, role{"categorical", c.Categorical, nil})
	if err != nil {
		return err
	}
	if o.Evaluate != options.Auto {
		c.Evaluate = o.Evaluate
	}
	if c.Evaluate == train.EvaluateCrossfit {
		c.Holdout = 0
	}
	if err := c.Validate(); err != nil {
		return exit.Usagef("", "%v", err)
	}
	return checkCombinations(fs, c)
}

// chooseData sets the data set if the user gave none, and the default columns of a built-in data set.
func (o *trainOptions) chooseData(a *app, fs *pflag.FlagSet) error {
	for _, name := range []string{"data", "target", "out"} {
		if f := fs.Lookup(name); f.Changed && f.Value.String() == "" {
			return exit.Usagef("", "--%s is empty", name)
		}
	}
	c := &o.Config
	if c.Data == "" {
		c.Data = defaultData
	}
	addArrayFiles(c)
	if strings.HasPrefix(c.Data, datasets.Prefix) {
		info, err := datasets.Get(c.Data)
		if err != nil {
			return unknownDataset(c.Data, err)
		}
		if c.Target == "" {
			c.Target = info.Target
		}
		if !fs.Changed("groups") && c.Target == info.Target {
			c.Groups = info.Groups
		}
		if fs.Changed("group-features") && c.GroupFeatures && info.GroupsUnknown {
			return exit.Usagef("leave out --group-features",
				"the group columns of %s are unknown at prediction time and cannot be features", c.Data)
		}
	}
	if c.Target == "" {
		return exit.Usagef(fmt.Sprintf("`drotrain inspect %s` lists the columns", printable.QuoteShell(c.Data)),
			"--target is missing: name the column to predict")
	}
	with := ""
	if len(c.Groups) > 0 {
		with = ", groups " + strings.Join(c.Groups, ", ")
	}
	name := c.Data
	if name == stream {
		name = "standard input"
	}
	a.info("%s", printable.EscapeLine(fmt.Sprintf("reading %s, target %s%s", name, c.Target, with)))
	return nil
}

// addArrayFiles replaces .npy files that are given as target or groups by names of columns, and adds the files to
// the table.
func addArrayFiles(c *train.Config) {
	if !strings.HasSuffix(c.Data, ".npy") && !strings.HasSuffix(c.Data, ".npz") {
		return
	}
	take := func(file string) string {
		name, is := strings.CutSuffix(filepath.Base(file), ".npy")
		if !is {
			return file
		}
		c.Data += "," + file
		return name
	}
	c.Target = take(c.Target)
	c.Groups = slices.Clone(c.Groups)
	for i := range c.Groups {
		c.Groups[i] = take(c.Groups[i])
	}
}

// choiceOptions lists the options that determine how a level is chosen.
var choiceOptions = []string{"select", "folds", "validation"}

// checkCombinations returns an error if options exclude each other or have no effect together.
func checkCombinations(fs *pflag.FlagSet, c *train.Config) error {
	given := func(names ...string) (out []string) {
		for _, name := range names {
			if fs.Changed(name) {
				out = append(out, "--"+name)
			}
		}
		return out
	}
	averagesValidation := c.Average == level.ValidationSubsets
	var kinds []string
	for _, k := range level.Kinds {
		kinds = append(kinds, k.Option)
	}
	levels, choice := given(kinds...), given(choiceOptions...)
	switch {
	case len(levels) > 0 && len(choice) > 0 && !(averagesValidation && slices.Equal(choice, []string{"--validation"})):
		set, chosen := printable.JoinWords(levels, "and"), printable.JoinWords(choice, "and")
		return exit.Usagef("leave out "+set+", or leave out "+chosen,
			"the robustness cannot be both set (%s) and chosen (%s)", set, chosen)
	case c.Adversary == "groups" && c.Level.IsSet() && len(c.Groups) == 0:
		return exit.Usagef("name the group columns with --groups", "--adversary groups needs --groups")
	case c.Average != "" && c.Average != "plain" && len(c.Groups) == 0:
		return exit.Usagef("name the group columns with --groups", "--average %s needs --groups", c.Average)
	case c.ReferenceGroup != "" && len(c.Groups) == 0:
		return exit.Usagef("name the group columns with --groups, or leave out --reference-group",
			"--reference-group needs --groups")
	case fs.Changed("rate") && c.Select != "" && c.Select != "trade-off":
		return exit.Usagef("leave out --rate, or set --select trade-off", "--rate has no effect with --select %s", c.Select)
	case fs.Changed("penalty") && !c.HasDivergence():
		return exit.Usagef("set the robustness with --nu, --radius or --ess, or leave out --penalty",
			"--penalty %s has no effect without --nu, --radius or --ess", c.Penalty)
	case fs.Changed("adversary") && !c.Level.IsSet():
		return exit.Usagef("set the robustness, as in --nu 1, or leave out --adversary to choose it by cross-validation",
			"--adversary %s has no effect without a robustness setting", c.Adversary)
	}
	// options given on the command line; a configuration may contain options that the run does not use
	typed := map[string]bool{}
	fs.Visit(func(f *pflag.Flag) { typed[f.Name] = true })
	for _, name := range []string{"resamples", "card"} {
		if typed["report"] && fs.Lookup("report").Value.String() == options.ReportNone && typed[name] {
			return exit.Usagef("leave out --"+name+", or set another --report", "--%s has no effect with --report none", name)
		}
	}
	return nil
}
