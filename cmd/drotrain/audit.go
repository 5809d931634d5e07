package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/quote"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train/report"
)

// auditOptions are the options of `drotrain audit`.
type auditOptions struct {
	reading                     data.Reading
	label, task, loss, positive string
	huberDelta                  float64
	scores                      []string
	columns, drop               []string

	penalty string
	nu      *float64

	measure     measureOptions
	seed        uint64
	gates       gates
	out         outputs
	json, quiet bool
}

func newAudit(a *app) *cobra.Command {
	o := &auditOptions{penalty: "kl", huberDelta: 1}
	cmd := &cobra.Command{
		Use:                   "audit FILE --label COLUMN --score COLUMNS [options]",
		DisableFlagsInUseLine: true,
		Short:                 "Measure the predictions of any model",
		Long: `Measure predictions that a table holds, of any model, trained here or not:
overall and by group with intervals, tail and worst-case risk, and who holds the
worst-case weight. Nothing is trained. Of several score columns the first is the
baseline that the others are compared with.

Scores are probabilities of the positive label where labels have two values,
otherwise predictions in the units of the label. The loss of a row follows from
both: logistic is -log of the probability given to what occurred, squared is
(y-p)^2/2, huber the Huber loss of y-p. For conditions see drotrain eval -h.`,
		Example: `  drotrain audit preds.parquet --label deny --score probability \
      --groups region,sex
  drotrain audit preds.csv --label y --score old=p_2023,new=p_2024 \
      --weight survey_weight --out audit --format html,json,png
  drotrain audit preds.parquet --label y --score p --out audit.html,gates.xml \
      --fail-if "worst_group.risk > 0.6"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return exit.Usagef("as in drotrain audit preds.parquet --label y --score p", "audit takes one table, not %d", len(args))
			}
			return nil
		},
	}
	options.Section(cmd, "Columns", func(fs *pflag.FlagSet) {
		fs.StringVar(&o.label, "label", "", "`column` of what occurred")
		fs.Var(options.List(&o.scores), "score", "`columns` of predictions, or NAME=COLUMN; the first is the baseline")
		fs.Var(options.List(&o.measure.Groups), "groups", "`columns` that name groups; each on its own, and crossed")
		fs.Var(options.List(&o.columns), "columns", "`columns` to search for bad slices (default: all others)")
		fs.Var(options.List(&o.drop), "drop", "`columns` to leave out of that search")
	})
	readingOptions(cmd, &o.reading)
	options.Section(cmd, "What is measured", func(fs *pflag.FlagSet) {
		fs.Var(options.Enum(&o.task, []string{"binary", "regression"}), "task", "what the labels are (default: binary for two values)")
		fs.StringVar(&o.positive, "positive", "", "`value` of a two-valued label that counts as positive")
		fs.Var(options.Enum(&o.loss, lossNames), "loss", "loss of a row (default: by the task)")
		fs.Var(options.Positive(&o.huberDelta), "huber-delta", "δ > 0: where the Huber loss turns linear, in units of the label")
		fs.Var(options.Enum(&o.penalty, penaltyNames), "penalty", "divergence of the worst-case reweighting that is described")
		fs.Var(options.OptionalPositive(&o.nu), "nu", "ν > 0: its price, in units of the loss (default: where about half of the rows stay effective)")
		o.measure.define(fs)
		fs.Var(options.Seed(&o.seed), "seed", "seed of the resamples and of the slice search")
		o.gates.define(fs)
	})
	options.Section(cmd, "Memory", func(fs *pflag.FlagSet) {
		defineMemory(fs, &o.measure.Memory, &o.measure.Cache, "where --out is, or the working directory")
	})
	options.Section(cmd, "Output", func(fs *pflag.FlagSet) {
		o.out.define(fs, nil)
		fs.BoolVar(&o.json, "json", false, "print the report as one JSON object on stdout")
		fs.BoolVar(&o.quiet, "quiet", false, "no notes on stderr")
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return exit.Interruption(cmd.Context(), o.run(cmd.Context(), a, args[0], cmd.Flags()))
	}
	return cmd
}

func (o *auditOptions) run(ctx context.Context, a *app, path string, fs *pflag.FlagSet) error {
	scores, err := o.check()
	if err != nil {
		return err
	}
	if fs.Changed("huber-delta") && o.loss != "huber" {
		return exit.Usagef("add --loss huber, or leave out --huber-delta", "--huber-delta %g has no effect: the loss is not huber", o.huberDelta)
	}
	if err := o.out.spare(a); err != nil {
		return err
	}
	p := a.newProgress(o.quiet)
	defer p.Finish()
	ctx = p.Watch(ctx)
	p.Begin(show.Reading)
	o.measure.Observe = p.Measuring
	f, err := a.openTable(ctx, path, o.reading)
	if err != nil {
		return err
	}
	if o.measure.Cache == "" {
		if o.measure.Cache = o.out.directory(); o.measure.Cache == "" {
			o.measure.Cache = "."
			if len(o.out.out) > 0 {
				o.measure.Cache = filepath.Dir(o.out.out[0])
			}
		}
	}
	limitHeap(o.measure.Memory)
	o.measure.Announce = announcing(a, o.measure.Memory, o.quiet)
	o.measure.Command = options.CommandLine("audit "+quote.Shell(path), fs)
	measured, err := report.Audit(ctx, f, report.AuditOptions{
		Options: o.measure.Options, Name: path, Label: o.label, Scores: scores,
		Task: eval.Task(o.task), Loss: o.loss, Positive: o.positive, HuberDelta: o.huberDelta,
		Columns: o.columns, Drop: o.drop, Penalty: o.penalty, Nu: o.nu, Seed: o.seed,
	})
	if err != nil {
		return err
	}
	defer measured.Close()
	e := measured.Evaluation
	if err := o.gates.check(e); err != nil {
		return err
	}
	r, err := measured.ReportContext(ctx)
	if err != nil {
		return err
	}
	p.Finish()
	files, err := o.out.write(ctx, a, r, &o.gates)
	if err != nil {
		return err
	}
	if !o.quiet {
		for _, n := range r.Notes {
			a.note("note: %s", n)
		}
	}
	if o.json {
		if err := eval.WriteJSON(a.stdout, r); err != nil {
			return err
		}
		return o.gates.tell(a, o.quiet)
	}
	show.Evaluation(a.stdout, e, fmt.Sprintf("%s: %s, label %s", path, show.Plural(e.N, "row", "rows"), o.labelText(measured.Input)))
	show.Adversary(a.stdout, r.Adversary)
	if len(files) > 0 {
		fmt.Fprintln(a.stdout)
	}
	for _, p := range files {
		fmt.Fprintf(a.stdout, "wrote  %s\n", p)
	}
	return o.gates.tell(a, o.quiet)
}

func (o *auditOptions) labelText(in *eval.Input) string {
	if in.Positive != "" {
		return in.TargetName + ", positive: " + in.Positive
	}
	return in.TargetName
}

// scoreName splits NAME=COLUMN; a column alone is its own name.
func scoreName(s string) (name, column string) {
	if name, column, ok := strings.Cut(s, "="); ok {
		return strings.TrimSpace(name), strings.TrimSpace(column)
	}
	return s, s
}
