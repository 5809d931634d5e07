package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/atomicfile"
	"github.com/drotrain/drotrain/train"
)

// evalOptions are the options of `drotrain eval`.
type evalOptions struct {
	model, data string
	groups      []string
	measure     measureOptions
	gates       gates
	out         string
	force       bool
	json, quiet bool
}

// define adds the options of an evaluation.
func (o *measureOptions) define(fs *pflag.FlagSet) {
	*o = defaultMeasure()
	fs.Var(&countValue{&o.minGroupSize}, "min-group-size", "smaller groups are listed, but never called the worst")
	fs.Var(&countValue{&o.resamples}, "resamples", "bootstrap resamples, at least 100; 0 for no intervals")
	fs.Var(number(&o.confidence, "lie between 0 and 1", func(x float64) bool { return x > 0 && x < 1 }),
		"confidence", "of every interval")
	fs.Var(number(&o.threshold, "lie between 0 and 1", func(x float64) bool { return x >= 0 && x <= 1 }),
		"threshold", "probability from which a row is predicted positive")
	fs.StringVar(&o.weight, "weight", "", "`column` of row weights, above 0: survey weights, costs")
	fs.StringVar(&o.unit, "unit", "", "`unit` of a numeric target, for the report: \"USD per week\"")
	fs.BoolVar(&o.showRows, "show-rows", false, "list the values of the heaviest rows in the report; they may identify people")
}

// check refuses what only the options together show.
func (o *measureOptions) check() error {
	if o.resamples > 0 && o.resamples < 100 {
		return usagef("", "--resamples \"%d\": must be 0, or at least 100", o.resamples)
	}
	return nil
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
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), a) },
	}
	section(cmd, "Options", func(fs *pflag.FlagSet) {
		fs.StringVar(&o.model, "model", "", "model `file`, or the directory that train wrote")
		fs.StringVar(&o.data, "data", "", "rows to measure on: a `file`, a directory, a glob or builtin:NAME")
		fs.Var(&listValue{p: &o.groups}, "groups", "`columns` that name groups; each on its own, and crossed (default: those of the training)")
		o.measure.define(fs)
		o.gates.define(fs)
	})
	section(cmd, "Output", func(fs *pflag.FlagSet) {
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
		return usagef("end the name in .json or .xml", "--out %q: unknown format", o.out)
	}
	if err := o.measure.check(); err != nil {
		return err
	}
	m, err := loadModel(o.model)
	if err != nil {
		return err
	}
	if err := requireData(o.data); err != nil {
		return err
	}
	_, e, err := measureFile(ctx, a, m, o.data, o.groups, o.measure, o.quiet)
	if err != nil {
		return interruption(ctx, err)
	}
	if err := o.gates.check(e); err != nil {
		return err
	}
	if o.out != "" {
		if err := atomicfile.AtomicWrite(o.out, o.force, func(w io.Writer) error { return write(e, w) }); err != nil {
			return existsHint(err)
		}
	}
	if o.json {
		if err := e.WriteJSON(a.stdout); err != nil {
			return err
		}
		return o.gates.tell(a, o.quiet)
	}
	printEvaluation(a.stdout, e, fmt.Sprintf("%s: %s rows, target %s", o.data, thousands(e.N), targetText(m)))
	if o.out != "" {
		fmt.Fprintf(a.stdout, "\nwrote  %s\n", o.out)
	}
	return o.gates.tell(a, o.quiet)
}

// measureFile evaluates a model on every row of a table.
func measureFile(ctx context.Context, a *app, m *train.Model, path string, groups []string, o measureOptions, quiet bool) (*eval.Input, *eval.Evaluation, error) {
	f, err := openTable(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	encoder, err := withGroups(m.Encoder, f, groups)
	if err != nil {
		return nil, nil, err
	}
	rows, report, err := encoder.Encode(f, nil)
	if err != nil {
		return nil, nil, err
	}
	if !quiet {
		if s := report.String(); s != "" {
			a.note("note: %s", s)
		}
		if sameSources(m.Sources, f.Sources) {
			a.note("note: the model was trained on rows of this table; `drotrain report` measures it on those held out")
		}
	}
	return measure(ctx, m, f, rows, nil, splitFile, o)
}
