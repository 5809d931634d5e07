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
	"github.com/drotrain/drotrain/eval/figure"
	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/report"
	"github.com/drotrain/drotrain/train/tune"
)

// Files of drotrain tune.
const selectionFile = "selection.json"

var selectionTables = []string{"selection.csv", "selection.parquet"}

func newTune(a *app) *cobra.Command {
	o := &trainOptions{}
	cmd := &cobra.Command{
		Use:                   "tune [options]",
		DisableFlagsInUseLine: true,
		Short:                 "Choose how robust a model is to be",
		Long: `Choose a level of robustness by cross-validation inside the training rows, as
train does where none is set, and show the grounds: every candidate's average
risk, worst group's risk and tail out of fold, with standard errors, as a table
(JSON, CSV, Parquet) and a figure; and the certified path, bounds of the optimal
objective at every price between those that were solved. The rows held out are
not touched, and no model is trained: the last line is the command that does.`,
		Example: `  drotrain tune
  drotrain tune --data loans.parquet --target deny --groups region,sex --rate 1`,
		Args: noArgs,
	}
	o.defineData(cmd)
	o.cfg.Penalty = train.DefaultConfig().Penalty
	defineChoice(cmd, &o.cfg)
	options.Section(cmd, "Output", func(fs *pflag.FlagSet) {
		fs.Var(options.Seed(&o.cfg.Seed), "seed", "seed of the hold-out split and of the folds")
		fs.Var(options.Count(&o.threads), "threads", "threads, 0 for all processors; never changes a result")
		fs.StringVar(&o.out, "out", "drotrain-tune", "`directory` for the table and the figure")
		fs.BoolVar(&o.force, "force", false, "replace the files of an earlier run in that directory")
		fs.BoolVar(&o.json, "json", false, "print one JSON object on stdout")
		fs.BoolVar(&o.quiet, "quiet", false, "no notes on stderr")
	})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return exit.Interruption(cmd.Context(), o.tune(cmd.Context(), a, cmd.Flags()))
	}
	return cmd
}

// tune chooses, writes the files and tells the outcome.
func (o *trainOptions) tune(ctx context.Context, a *app, fs *pflag.FlagSet) error {
	if err := o.chooseData(a, fs); err != nil {
		return err
	}
	if err := keepable(&o.cfg); err != nil {
		return err
	}
	if err := o.cfg.Validate(); err != nil {
		return exit.Usagef("", "%v", err)
	}
	if err := applicable(fs, &o.cfg); err != nil {
		return err
	}
	if o.threads > 0 {
		shard.SetThreads(o.threads)
	}
	out, err := a.inputs.OpenDir(o.out, o.force)
	if err != nil {
		return err
	}
	defer out.Close()
	p := a.newProgress(o.quiet)
	defer p.Finish()
	ctx = p.Watch(ctx)
	p.Begin(show.Reading)
	frame, err := o.cfg.OpenData(ctx, a.openTable)
	if err != nil {
		return err
	}
	p.Begin(show.Encoding)
	o.cfg.Observe = p.Observe
	o.limitMemory(a, &o.cfg)
	s, notes, err := train.Choose(ctx, frame, o.cfg)
	p.Finish()
	if err != nil {
		return err
	}
	o.tellNotes(a, notes, nil)
	if err := out.Write(selectionFile, func(w io.Writer) error { return show.JSON(w, s) }); err != nil {
		return err
	}
	for _, name := range selectionTables {
		if err := a.inputs.MayWrite(out.File(name)); err != nil {
			return err
		}
		if err := data.WriteTable(out.File(name), report.SelectionTable(s), o.force); err != nil {
			return exit.ReplaceHint(err)
		}
		out.Wrote(name)
	}
	for _, f := range figure.OfChoice(report.Choice(s)) {
		drawn, err := f.SVG()
		if err != nil {
			return err
		}
		if err := out.Write(f.Name+".svg", func(w io.Writer) error { _, err := w.Write(drawn); return err }); err != nil {
			return err
		}
	}
	if o.json {
		return show.JSON(a.stdout, s)
	}
	if err := report.WriteSelection(a.stdout, s); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout)
	show.Wrapped(a.stdout, "", s.Reason+".")
	out.List(a.stdout)
	fmt.Fprintf(a.stdout, "next   %s\n", o.training(fs, s))
	return nil
}

// training is the command that trains what was chosen, with the options fs of the choice.
func (o *trainOptions) training(fs *pflag.FlagSet, s *tune.Selection) string {
	of := pflag.NewFlagSet("train", pflag.ContinueOnError)
	of.SortFlags = false
	fs.VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(choiceOptions, f.Name) {
			of.AddFlag(f)
		}
	})
	cfg := train.DefaultConfig()
	set := &cobra.Command{}
	defineLevel(set, &cfg)
	cfg.Level = s.Best().Level
	set.Flags().VisitAll(func(f *pflag.Flag) {
		f.Changed = f.Value.String() != f.DefValue
		of.AddFlag(f)
	})
	line := options.CommandLine("train", of, "data", "target", "groups")
	if s.Mu != 1/float64(s.Of) {
		line += fmt.Sprintf(" --mu %v", s.Mu)
	}
	return line
}
