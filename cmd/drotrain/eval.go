package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/report"
)

// evalOptions are the options of `drotrain eval`.
type evalOptions struct {
	model, data string
	variant     string
	reading     data.Reading
	measure     measureOptions
	gates       gates
	out         string
	force       bool
	json, quiet bool
}

func newEval(a *app) *cobra.Command {
	o := &evalOptions{}
	cmd := &cobra.Command{
		Use:                   "eval --model FILE --data FILE [options]",
		DisableFlagsInUseLine: true,
		Short:                 "Measure a model overall and by group",
		Long: `Measure a model and its ERM baseline on the rows of a table: overall and by
group, worst group first, with intervals. The table needs the target column.

A condition is [MODEL.]MEASURE OP NUMBER with OP one of <, <=, >, >= and, as
MEASURE, worst_group.risk, overall.accuracy, group[yes / no].risk, cvar[0.1],
difference.tpr, ratio.selection_rate, change.worst_group.risk.high and the like.`,
		Example: `  drotrain eval --model drotrain-out --data new.parquet --groups region,sex
  drotrain eval --model drotrain-out/model.json --data builtin:hmda --json
  drotrain eval --model drotrain-out/model.json --data new.parquet \
      --fail-if "worst_group.risk > 0.6" --out gates.xml`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.measure.Unweighted = cmd.Flags().Changed("weight") && o.measure.Weight == ""
			return o.run(cmd.Context(), a)
		},
	}
	options.Section(cmd, "Options", func(fs *pflag.FlagSet) {
		fs.StringVar(&o.model, "model", "", "model `file`, or the directory that train wrote")
		defineVariant(fs, &o.variant)
		fs.StringVar(&o.data, "data", "", "rows to measure on: a `file`, a directory, a glob or builtin:NAME")
		fs.StringVar(&o.measure.Filter, "filter", "", filterHelp)
		fs.Var(options.List(&o.measure.Groups), "groups", "`columns` that name groups; each on its own, and crossed (default: those of the training)")
		o.measure.define(fs)
		o.gates.define(fs)
	})
	readingOptions(cmd, &o.reading)
	options.Section(cmd, "Memory", func(fs *pflag.FlagSet) {
		defineMemory(fs, &o.measure.Memory, &o.measure.Cache, "where --out is, or the working directory")
	})
	options.Section(cmd, "Output", func(fs *pflag.FlagSet) {
		fs.StringVar(&o.out, "out", "", "`file` to write too: metrics in .json, or gates as JUnit in .xml")
		fs.BoolVar(&o.force, "force", false, "replace that file")
		fs.BoolVar(&o.json, "json", false, "print one JSON object on stdout")
		fs.BoolVar(&o.quiet, "quiet", false, "no notes on stderr")
	})
	return cmd
}

func (o *evalOptions) run(ctx context.Context, a *app) error {
	write := map[string]func(*eval.Evaluation, io.Writer) error{
		".json": (*eval.Evaluation).WriteJSON,
		".xml":  func(_ *eval.Evaluation, w io.Writer) error { return o.gates.writeJUnit(w) },
	}[strings.ToLower(filepath.Ext(o.out))]
	if o.out != "" && write == nil {
		return exit.Usagef("end the name in .json or .xml", "--out %q: unknown format", o.out)
	}
	if err := needed(modelNeeded(o.model), dataNeeded(o.data)); err != nil {
		return err
	}
	if o.out != "" {
		if err := a.inputs.Check(o.force, o.out); err != nil {
			return err
		}
	}
	m, _, err := a.loadVariant(o.model, o.variant, o.quiet)
	if err != nil {
		return err
	}
	if o.measure.Cache == "" {
		o.measure.Cache = filepath.Dir(o.out)
	}
	limitHeap(o.measure.Memory)
	o.measure.Announce = announcing(a, o.measure.Memory, o.quiet)
	measured, err := measureFile(ctx, a, m, o.data, o.reading, o.measure.Options, o.quiet)
	if err != nil {
		return exit.Interruption(ctx, err)
	}
	defer measured.Close()
	e := measured.Evaluation
	if err := o.gates.check(e); err != nil {
		return err
	}
	if o.out != "" {
		if err := a.inputs.WriteFile(o.out, o.force, func(w io.Writer) error { return write(e, w) }); err != nil {
			return err
		}
	}
	if o.json {
		if err := e.WriteJSON(a.stdout); err != nil {
			return err
		}
		return o.gates.tell(a, o.quiet)
	}
	show.Evaluation(a.stdout, e, fmt.Sprintf("%s: %s, target %s", o.data, show.Plural(e.N, "row", "rows"), show.Target(m)))
	if o.out != "" {
		fmt.Fprintf(a.stdout, "\nwrote  %s\n", o.out)
	}
	return o.gates.tell(a, o.quiet)
}

// filterHelp explains --filter of a table that is measured.
const filterHelp = "`rows` to measure on: 'age >= 18 && state != \"PR\"'"

// measureFile evaluates a model on the rows of a table.
func measureFile(ctx context.Context, a *app, m *train.Model, path string, how data.Reading, o report.Options, quiet bool) (*report.Measured, error) {
	if o.Observe == nil {
		p := a.newProgress(quiet)
		defer p.Finish()
		o.Observe, ctx = p.Measuring, p.Watch(ctx)
		p.Begin(show.Reading)
	}
	f, err := a.openTable(ctx, path, orOf(how, m.Config.Reading))
	if err != nil {
		return nil, err
	}
	measured, err := report.MeasureTable(ctx, m, f, o)
	if err != nil {
		return measured, err
	}
	if s := measured.Encoding.String(); s != "" && !quiet {
		a.note("note: %s", s)
	}
	for _, s := range measured.Notes() {
		a.note("note: %s", s)
	}
	if m.TrainedOn(f) {
		a.warn("the model was trained on rows of this table; `drotrain report` measures it on those held out")
	}
	return measured, nil
}
