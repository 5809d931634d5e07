package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval/page"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/report"
	"github.com/drotrain/drotrain/train/tune"
)

// Files of drotrain tune.
const (
	selectionFile = "selection.json"
	configFile    = "train.yaml" // configuration that trains the chosen model
)

var selectionTables = []string{"selection.csv", "selection.parquet"}

func newTune(a *app) *cobra.Command {
	return a.define(&cobra.Command{
		Use:   "tune [options]",
		Short: "Choose how robust a model should be",
		Long: `Choose the robustness by cross-validation within the training rows, as train
does if no option sets the robustness. The output is a table (as JSON, CSV and
Parquet) and a figure. They show the average risk, worst-group risk and tail
risk (CVaR) of every candidate, out of fold and with standard errors. The JSON
file also contains certified bounds on the optimal objective, for every ν
between those of the candidates.

Hold-out rows are not used, and no final model is trained. The file train.yaml
contains the options that train the chosen model. The last line of the output is
the command that does so.`,
		Example: `  drotrain tune
  drotrain tune --data builtin:loans --target deny --groups region,sex --rate 1
  drotrain tune --data builtin:loans --target deny --learning-curve --out t`,
	}, options.Tune, func(ctx context.Context, s *options.Settings, fs *pflag.FlagSet, _ []string) error {
		return (&trainOptions{Settings: s}).tune(ctx, a, fs)
	})
}

// tune chooses a level, writes the files and prints the outcome.
func (o *trainOptions) tune(ctx context.Context, a *app, fs *pflag.FlagSet) error {
	if o.Out == stream {
		return exit.Usagef("name a directory with --out", "--out - (standard output) does not work with tune, which writes "+
			"several files")
	}
	if err := o.prepare(a, fs); err != nil {
		return err
	}
	out, err := a.inputs.OpenDir(o.Out, o.Force)
	if err != nil {
		return err
	}
	defer out.Close()
	p := a.newProgress()
	defer p.Finish()
	ctx = p.Watch(ctx)
	p.Begin(show.Reading)
	frame, err := o.Config.OpenData(ctx, a.openTable)
	if err != nil {
		return err
	}
	a.noteUnusedReading(frame, o.Config.Reading)
	p.Begin(show.Encoding)
	o.Config.Observe = p.Observe
	o.setCache(a, &o.Config)
	s, notes, err := train.Choose(ctx, frame, o.Config)
	p.Finish()
	if err != nil {
		return err
	}
	o.printNotes(a, notes, nil, nil)
	if err := out.Write(selectionFile, func(w io.Writer) error { return show.JSON(w, s) }); err != nil {
		return err
	}
	table, err := report.SelectionTable(s)
	if err != nil {
		return err
	}
	for _, name := range selectionTables {
		write := func(w io.Writer) error {
			return data.WriteBlocksTo(w, name, func(put func([]data.Column) error) error { return put(table) })
		}
		if err := out.Write(name, write); err != nil {
			return err
		}
	}
	if f, ok := page.ChoiceFigure(report.Choice(s)); ok {
		if err := writeFigure(out, f, "svg"); err != nil {
			return err
		}
	}
	training := o.flagsAtChosen(fs, s)
	path := out.File(configFile)
	if err := out.Write(configFile, func(w io.Writer) error {
		return options.WriteYAML(w, "train", path, training, nil)
	}); err != nil {
		return err
	}
	if o.JSON {
		return show.JSON(a.stdout, s)
	}
	if err := report.WriteSelection(a.stdout, s); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout)
	show.Wrapped(a.stdout, "", s.Reason+".")
	out.List(a.stdout)
	fmt.Fprintf(a.stdout, "next   drotrain train --config %s\n", printable.QuoteShell(path))
	return nil
}

// flagsAtChosen returns the options of train that train at the chosen level; fs holds the options of tune. If a
// column marks the validation rows, the options select a level as tune does, so that train does not use validation
// rows for training.
func (o *trainOptions) flagsAtChosen(fs *pflag.FlagSet, s *tune.Selection) *pflag.FlagSet {
	cmd := &cobra.Command{}
	of := options.Add(cmd, options.Train)
	to := cmd.Flags()
	again := o.Config.ValidationSplit != ""
	to.VisitAll(func(f *pflag.Flag) {
		needed := again || !slices.Contains(choiceOptions, f.Name) ||
			f.Name == "validation" && s.Best().Level.Average == level.ValidationSubsets
		if from := fs.Lookup(f.Name); from != nil && needed {
			f.Value, f.Changed = from.Value, from.Changed
		}
	})
	if !again {
		of.Config.Level = s.Best().Level
		if mu := s.Best().Mu; mu != 1/float64(s.Of) {
			o.Config.Mu = &mu
		}
	}
	to.VisitAll(func(f *pflag.Flag) {
		if fs.Lookup(f.Name) == nil || f.Name == "mu" {
			f.Changed = f.Changed || f.Value.String() != f.DefValue
		}
	})
	for _, name := range []string{"data", "target", "groups"} {
		f := to.Lookup(name)
		f.Changed = f.Value.String() != ""
	}
	for _, name := range []string{"out", "force", "json", "quiet", "resume", "config"} {
		to.Lookup(name).Changed = false
	}
	return to
}
