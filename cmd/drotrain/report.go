package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/output"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/quote"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/datasets"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/report"
)

// reportOptions are the options of `drotrain report`.
type reportOptions struct {
	model, data string
	trainedOn   string
	reading     data.Reading
	measure     measureOptions
	gates       gates
	out         outputs
	card        string
	compare     []string
	json, quiet bool

	begin func(phase string) // of the progress
}

func newReport(a *app) *cobra.Command {
	o := &reportOptions{}
	cmd := &cobra.Command{
		Use:                   "report --model FILE [options]",
		DisableFlagsInUseLine: true,
		Short:                 "Write the report of a model",
		Long: `Write the report of a model as a page (.html), Markdown (.md), JSON (.json) or
its gates as JUnit (.xml), by the ending of the name, or several formats and the
figures to a directory. Without --data the model is measured on the rows that
its training held out, and the adversary is described; with --data, on the rows
of that table. A model is a file that somebody may have sent you: the table it
names is opened only if it is embedded, lies in the folder of the model, or is
named with --trained-on. For the conditions of --fail-if see drotrain eval -h.`,
		Example: `  drotrain report --model drotrain-out/model.json --out report.html,report.json
  drotrain report --model drotrain-out --out paper --format html,pdf
  drotrain report --model drotrain-out --data new.parquet --groups region
  drotrain report --compare runA runB --out both.html`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(o.compare) > 0 { // the other models, with or without commas
				return nil
			}
			return noArgs(cmd, args)
		},
	}
	options.Section(cmd, "Options", func(fs *pflag.FlagSet) {
		fs.StringVar(&o.model, "model", "", "model `file`, or the directory that train wrote")
		fs.Var(options.List(&o.compare), "compare", "`models` to set against the first of them on the same rows, in place of --model")
		fs.StringVar(&o.data, "data", "", "rows to measure on: a `file`, a directory, a glob or builtin:NAME (default: the hold-out of the training)")
		fs.StringVar(&o.measure.Filter, "filter", "", filterHelp+", of --data")
		fs.StringVar(&o.trainedOn, "trained-on", "", "the `table` of the training, where it is neither embedded nor in the folder of the model")
		fs.Var(options.List(&o.measure.Groups), "groups", "`columns` that name groups; each on its own, and crossed (default: those of the training)")
		o.measure.define(fs)
		fs.StringVar(&o.card, "card", "", cardHelp)
		o.gates.define(fs)
	})
	readingOptions(cmd, &o.reading)
	options.Section(cmd, "Memory", func(fs *pflag.FlagSet) {
		defineMemory(fs, &o.measure.Memory, &o.measure.Cache, "where --out is")
	})
	options.Section(cmd, "Output", func(fs *pflag.FlagSet) {
		o.out.define(fs, []string{reportFile})
		fs.BoolVar(&o.json, "json", false, "print the report as one JSON object on stdout")
		fs.BoolVar(&o.quiet, "quiet", false, "no notes on stderr")
	})
	cmd.RunE = func(cmd *cobra.Command, more []string) error {
		for _, model := range more {
			if err := cmd.Flags().Set("compare", model); err != nil {
				return err
			}
		}
		return exit.Interruption(cmd.Context(), o.run(cmd.Context(), a, cmd.Flags()))
	}
	return cmd
}

func (o *reportOptions) run(ctx context.Context, a *app, fs *pflag.FlagSet) error {
	if err := o.check(); err != nil {
		return err
	}
	o.measure.Unweighted = fs.Changed("weight") && o.measure.Weight == ""
	if err := o.out.spare(a); err != nil {
		return err
	}
	var m *train.Model
	var err error
	if len(o.compare) == 0 {
		if m, err = a.loadModel(o.model); err != nil {
			return err
		}
	}
	if o.measure.Card, err = readCard(o.card); err != nil {
		return err
	}
	if o.measure.Cache == "" {
		o.measure.Cache = cmp.Or(o.out.directory(), filepath.Dir(o.out.out[0]))
	}
	limitHeap(o.measure.Memory)
	o.measure.Announce = announcing(a, o.measure.Memory, o.quiet)
	p := a.newProgress(o.quiet)
	defer p.Finish()
	ctx = p.Watch(ctx)
	o.begin = p.Begin
	o.begin(show.Reading)
	o.measure.Observe = p.Measuring
	o.measure.Command = options.CommandLine("report", fs, "model")
	build := func() (*eval.Report, error) { return o.build(ctx, a, m) }
	if m == nil {
		build = func() (*eval.Report, error) { return o.buildComparison(ctx, a) }
	}
	r, err := build()
	if err != nil {
		return err
	}
	p.Finish()
	if err := o.gates.check(r.Evaluation); err != nil {
		return err
	}
	files, err := o.out.write(ctx, a, r, &o.gates)
	if err != nil {
		return err
	}
	if o.json {
		if err := eval.WriteJSON(a.stdout, r); err != nil {
			return err
		}
		return o.gates.tell(a, o.quiet)
	}
	show.Verdict(a.stdout, r.Evaluation)
	fmt.Fprintln(a.stdout)
	for _, path := range files {
		fmt.Fprintf(a.stdout, "wrote  %s\n", path)
	}
	return o.gates.tell(a, o.quiet)
}

func (o *reportOptions) check() error {
	if len(o.compare) > 0 && o.model != "" {
		return exit.Usagef("name all models with --compare, the baseline first", "--model and --compare exclude each other")
	}
	if o.data != "" && o.trainedOn != "" {
		return exit.Usagef("leave out one of them", "--data measures on the rows of a table, and --trained-on on those that the training held out")
	}
	if o.data == "" && (o.measure.Filter != "" || !o.reading.IsZero()) {
		return exit.Usagef("name the table with --data", "--filter and the options of reading are for a table that is measured; the rows that the training held out are read as they were then")
	}
	return o.out.check()
}

// build measures the model on the rows of --data, or on the rows that its
// training held out.
func (o *reportOptions) build(ctx context.Context, a *app, m *train.Model) (*eval.Report, error) {
	if o.data != "" {
		measured, err := measureFile(ctx, a, m, o.data, o.reading, o.measure.Options, o.quiet)
		if err != nil {
			return nil, err
		}
		return measured.ReportContext(ctx)
	}
	if m.Config.Data == "-" {
		return nil, exit.Usagef("name the data to measure the model on with --data", "the model was trained on the standard input, which is gone")
	}
	if m.Config.HoldoutData != "" {
		return nil, exit.Usagef("measure it there with --data "+quote.Shell(m.Config.HoldoutData), "the rows that the model's training held out are in another table")
	}
	path, err := o.trainingTable(m)
	if err != nil {
		return nil, err
	}
	f, err := a.openTable(ctx, path, m.Config.Reading)
	if err != nil {
		return nil, err
	}
	if err := o.rerun(ctx, m, f); err != nil {
		var changed *train.ChangedDataError
		if errors.As(err, &changed) {
			return nil, exit.WithHint(err, "name the data to measure the model on with --data")
		}
		return nil, err
	}
	measured, err := report.Measure(ctx, m, o.measure.Options)
	if err != nil {
		return nil, err
	}
	return measured.ReportContext(ctx)
}

// rerun reads the rows of a training again, onto disk where memory has no room for them.
func (o *reportOptions) rerun(ctx context.Context, m *train.Model, f *data.Frame) error {
	o.begin(show.Encoding)
	m.Config.Cache, m.Config.Memory, m.Config.Announce = o.measure.Cache, o.measure.Memory, o.measure.Announce
	return m.Rerun(ctx, f)
}

// buildComparison measures the models of --compare on the rows of --data, or on those
// that all of them held out.
func (o *reportOptions) buildComparison(ctx context.Context, a *app) (*eval.Report, error) {
	var models []report.Named
	for _, path := range o.compare {
		m, err := a.loadModel(path)
		if err != nil {
			return nil, err
		}
		models = append(models, report.Named{Name: filepath.Base(filepath.Clean(strings.TrimSuffix(path, modelFile))), Model: m})
	}
	path := o.data
	if path == "" {
		var err error
		if path, err = o.trainingTable(models[0].Model); err != nil {
			return nil, err
		}
	}
	f, err := a.openTable(ctx, path, orOf(o.reading, models[0].Model.Config.Reading))
	if err != nil {
		return nil, err
	}
	on := f
	if o.data == "" {
		on = nil
		for _, m := range models {
			if err := o.rerun(ctx, m.Model, f); err != nil {
				var other *train.ChangedDataError
				if m.Name != models[0].Name && errors.As(err, &other) {
					err = fmt.Errorf("trained on %s, and %s on %s, another table (%s)", m.Model.Config.Data, models[0].Name, path, other.Why)
				}
				return nil, exit.WithHint(fmt.Errorf("%s: %w", m.Name, err), "name a table to compare the models on with --data")
			}
		}
	}
	measured, err := report.Compare(ctx, models, on, o.measure.Options)
	if err != nil {
		return nil, err
	}
	return measured.ReportContext(ctx)
}

// trainingTable is the table that the model was trained on: the one that is named, or
// the one that the model names, where opening that is harmless.
func (o *reportOptions) trainingTable(m *train.Model) (string, error) {
	path := m.Config.Data
	dir := o.model
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	switch {
	case o.trainedOn != "":
		return o.trainedOn, nil
	case path == "":
		return "", exit.Usagef("name the data to measure the model on with --data", "the model was not trained on a file")
	case strings.HasPrefix(path, datasets.Prefix) || output.Within(dir, path):
		return path, nil
	}
	return "", exit.Usagef("name it, if you trust the model: --trained-on "+quote.Shell(path)+"; or measure it on another table with --data",
		"the table that the model names, %s, lies outside its folder", path)
}
