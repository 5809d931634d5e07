package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train/report"
)

// evalOptions holds the settings of an evaluation and values derived from them.
type evalOptions struct {
	*options.Settings
	measure report.Options
	shown   *show.Progress
	stored  *eval.Reference // results on the hold-out rows that are stored in the model

	directory string   // directory of the outputs, or ""
	formats   []string // formats of a directory, or of each file in --out
}

func newEval(a *app) *cobra.Command {
	return a.define(&cobra.Command{
		Use:   "eval (--model FILES | --predictions FILE) [options]",
		Short: "Evaluate models or predictions overall and by group",
		Long: `Evaluate a trained model, several models, or the predictions of any program,
overall and by group, with intervals. The report lists the worst group first.
--out writes the report as HTML or Markdown, or the measures as JSON. --fail-if
turns the evaluation into a gate.

A model is evaluated on the rows of --data or, without --data, on its hold-out
rows. A model file may come from somebody else, so the table that it names is
opened only if it is builtin:, lies in the model's folder, or is named with
--trained-on. The first of several models is the baseline.

With --predictions, the scores are columns of a table. If --target has two
values, a score is the probability of the positive value. For more than two
classes, every class has a column of probabilities: --score 'p_*' names the
columns p_CLASS. If --target is numeric, a score is a prediction in the
units of the target.

The loss of a row with score p and outcome y depends on --loss: logistic is -log
of the probability of y, squared is (y-p)^2/2, huber is the Huber loss of y-p,
quantile is the smoothed pinball loss of y-p, and poisson is half the Poisson
deviance.

A condition of --fail-if has the form [MODEL.]MEASURE OP NUMBER, where OP is <,
<=, >, >=, == or !=. The option --measures lists the measures. For example,
since.risk is the change in the risk since an earlier evaluation. With --data,
this is the evaluation by train on the hold-out rows; with --against FILE, it is
the evaluation in FILE.

A table for a model is read with the reading options of the training run, unless
other ones are given here.

Exit codes: 0 done, 1 failed, 2 wrong command line, 4 a --fail-if gate or
--strict failed.`,
		Example: `  drotrain eval --model drotrain-out --data new.parquet --out report.html
  drotrain eval --model drotrain-out --data new.parquet \
      --fail-if "worst_group.risk > 0.6" --out metrics.json,gates.xml
  drotrain eval --predictions preds.csv --target y --score old=p1,new=p2 \
      --groups region,sex`,
	}, options.Eval, func(ctx context.Context, s *options.Settings, fs *pflag.FlagSet, _ []string) error {
		return (&evalOptions{Settings: s}).run(ctx, a, fs)
	})
}

// run evaluates, writes the files and prints the outcome.
func (o *evalOptions) run(ctx context.Context, a *app, fs *pflag.FlagSet) error {
	if o.ListMeasures {
		return listMeasures(a.stdout)
	}
	if err := o.check(fs); err != nil {
		return err
	}
	var out *outputDir
	var err error
	if o.directory != "" {
		if out, err = a.inputs.OpenDir(o.directory, o.Force); err != nil {
			return err
		}
		defer out.Close()
	} else if !o.writesToStream() {
		if err := a.inputs.Check(o.Force, o.Outputs...); err != nil {
			return err
		}
	}
	if o.measure, err = reportOptions(o.Settings); err != nil {
		return err
	}
	c := &o.Config
	m := &o.measure
	m.Groups, m.Filter, m.Threshold, m.Weight = c.Groups, c.Filter, c.Threshold, c.Weight
	m.Unweighted = fs.Changed("weight") && c.Weight == ""
	place := "."
	if len(o.Outputs) > 0 {
		place = filepath.Dir(o.Outputs[0])
	}
	m.Cache, m.Memory = cmp.Or(c.Cache, o.directory, place), c.Memory
	m.Announce = a.announceDisk()
	m.Command = options.CommandLine("eval", fs)
	against, err := readReference(o.Against)
	if err != nil {
		return o.writeFailure(ctx, a, out, err)
	}
	o.shown = a.newProgress()
	defer o.shown.Finish()
	ctx = o.shown.Watch(ctx)
	m.Observe = o.shown.ObserveEvaluation
	measure := o.measureModels
	if o.Predictions != "" {
		measure = o.measurePredictions
	}
	measured, title, err := measure(ctx, a)
	if err != nil {
		return o.writeFailure(ctx, a, out, err)
	}
	defer measured.Close()
	e := measured.Evaluation
	e.Reference = cmp.Or(against, o.stored)
	wrong := checkGates(e, o.Gates)
	a.warnOfTrainingRows(measured.Encoding,
		"; without --data, `drotrain eval` evaluates the model on hold-out rows or out of fold")
	if o.Strict || o.measure.Filter == "" { // selected rows are expected to differ
		if err := a.checkDrift(measured.Encoding, e.Findings, o.Strict); err != nil {
			e.Conclude(eval.GateResult{Text: strictGate, Value: eval.Num(math.NaN()), Failed: true,
				Message: "failed: " + err.Error()})
			wrong = cmp.Or(wrong, err)
		} else if o.Strict {
			e.Conclude(eval.GateResult{Text: strictGate, Value: eval.Num(math.NaN()),
				Message: "passed: no feature exceeds its drift limits"})
		}
	}
	var r *eval.Report
	if o.needsReport() {
		if r, err = measured.Report(); err != nil {
			return o.writeFailure(ctx, a, out, err)
		}
	}
	if exit.Code(ctx, wrong) != exit.Usage {
		for _, w := range e.Verdict.Warnings {
			a.warn(w)
		}
	}
	files, err := o.write(ctx, a, out, e, r)
	o.shown.Finish()
	if err != nil {
		return err
	}
	switch {
	case o.writesToStream(), exit.Code(ctx, wrong) == exit.Usage:
	case o.JSON:
		if err := e.WriteJSON(a.stdout); err != nil {
			return err
		}
	default:
		if o.needsReport() { // which has the tables
			fmt.Fprintln(a.stdout, title)
			show.Verdict(a.stdout, e)
		} else {
			show.Evaluation(a.stdout, e, title)
		}
		if len(files) > 0 {
			fmt.Fprintln(a.stdout)
		}
		for _, path := range files {
			fmt.Fprintf(a.stdout, "wrote  %s\n", path)
		}
	}
	if err := a.reportGates(e.Gates); wrong == nil {
		return err
	}
	return wrong
}

// Options that apply only to predictions, and options that apply only to models.
var (
	onlyPredictions = []string{"target", "score", "task", "positive", "loss", "columns", "drop", "seed"}
	onlyModels      = []string{"model-variant", "data", "trained-on", "training-filter", "strict"}
)

// check returns errors that follow from the command line alone.
func (o *evalOptions) check(fs *pflag.FlagSet) error {
	foreign, of := onlyPredictions, "--predictions"
	switch {
	case o.Predictions != "" && len(o.Models) > 0:
		return exit.Usagef("leave out one of them", "--model and --predictions cannot be combined")
	case o.Predictions != "":
		foreign, of = onlyModels, "--model"
	case len(o.Models) == 0:
		return exit.Usagef("give a model that drotrain train wrote (--model) or a table of predictions (--predictions)",
			"neither --model nor --predictions is given")
	}
	for _, name := range foreign {
		if fs.Changed(name) {
			return exit.Usagef("leave out --"+name, "--%s works only with %s", name, of)
		}
	}
	if err := o.chooseFormats(); err != nil {
		return err
	}
	switch {
	case o.Against != "" && len(o.Gates) == 0:
		return exit.Usagef(`add such a condition, as in --fail-if "since.worst_group.risk.low > 0", or leave out --against`,
			"--against has no effect without a condition (--fail-if)")
	case o.JSON && o.writesToStream():
		return exit.Usagef("leave out one of them",
			"--out - and --json both write to standard output")
	case o.Predictions != "":
	case o.Config.Data != "" && o.TrainedOn != "":
		return exit.Usagef("leave out one of them",
			"--data and --trained-on cannot be combined: --data evaluates on a new table, --trained-on on the hold-out "+
				"rows of the training table")
	case o.Config.Data == "" && (o.Config.Filter != "" || !o.Config.Reading.IsZero()):
		return exit.Usagef("name the table with --data",
			"--filter and the reading options need --data: hold-out rows are always read with the options of the training "+
				"run")
	case o.Variant != "" && len(o.Models) > 1:
		return exit.Usagef("leave out --model-variant", "--model-variant works only with a single model")
	case o.Variant != "" && o.Config.Data == "":
		return exit.Usagef("leave out --model-variant, or name a table with --data",
			"--model-variant needs --data: on hold-out rows, all models of the file are evaluated")
	case o.TrainingFilter && len(o.Models) > 1:
		return exit.Usagef("give the condition with --filter", "--training-filter works only with a single model")
	case o.TrainingFilter && o.Config.Data == "":
		return exit.Usagef("leave out --training-filter, or name a table with --data",
			"--training-filter needs --data: the hold-out rows satisfy the filter of the training run")
	case o.Strict && o.Config.Data == "":
		return exit.Usagef("leave out --strict, or name a table with --data",
			"--strict needs --data: only the rows of a new table are compared with the training rows")
	}
	return nil
}

// listMeasures prints the measures that --fail-if can compare.
func listMeasures(w io.Writer) error {
	fmt.Fprint(w, `A condition is [MODEL.]MEASURE OP NUMBER, as in "worst_group.risk > 0.6".
MEASURE is one of these, with a KEY of the lists below:

`)
	for _, l := range [][2]string{
		{"KEY, or overall.KEY", "of all rows"},
		{"worst_group.KEY", "of the worst group"},
		{"group[LABEL].KEY", "of one group: group[yes / no] or group[sex=female]"},
		{"group[LABEL].n", "number of rows of one group"},
		{"any_group.KEY", "of every group, also crossed; holds if one does"},
		{"difference.KEY", "largest minus smallest of the groups"},
		{"ratio.KEY", "smallest divided by largest of the groups"},
		{"group_min.KEY", "smallest of the groups; likewise group_max.KEY"},
		{"average.KEY", "mean of the groups, all with equal weight"},
		{"weighted_average.KEY", "mean of the groups, weighted by their rows"},
		{"four_fifths", "lowest favourable rate of a group divided by the"},
		{"", "highest, or by that of --reference-group"},
		{"cvar[ALPHA]", "mean loss of the worst proportion ALPHA of the rows"},
		{"change.MEASURE", "second minus first model on the same rows; for KEY,"},
		{"", "worst_group.risk, group[LABEL].risk and cvar[0.1]"},
		{"since.MEASURE", "value now minus earlier value (--against); for KEY,"},
		{"", "worst_group.KEY, group[LABEL].KEY and any_group.KEY"},
		{"unseen[COLUMN]", "proportion of rows with a level unseen in training"},
		{"missing[COLUMN]", "proportion of rows without a value"},
		{"outside[COLUMN]", "proportion of rows below or above all training rows"},
		{"psi[COLUMN]", "population stability index"},
		{"verdict == OUTCOME", "outcome of comparing two models: verdict == hurt"},
	} {
		fmt.Fprintf(w, "  %-24s %s\n", l[0], l[1])
	}
	fmt.Fprintln(w, "\nThe suffixes .low and .high are the ends of an interval: since.auc.high < 0.")
	for _, t := range []eval.Task{eval.Binary, eval.Multiclass, eval.Regression} {
		fmt.Fprintf(w, "\nKEY of a %s target\n", t)
		for _, q := range t.Measures() {
			fmt.Fprintf(w, "  %-24s %s\n", q.Key, q.Label)
		}
	}
	return nil
}
