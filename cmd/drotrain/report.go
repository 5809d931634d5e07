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

// reportOptions are the options of `drotrain report`.
type reportOptions struct {
	model, data string
	groups      []string
	measure     measureOptions
	out         []string
	force       bool
	json, quiet bool
}

// reportFormats maps the ending of a name to what writes it.
var reportFormats = map[string]func(io.Writer, *eval.Report) error{
	".html": eval.WriteHTML,
	".json": eval.WriteJSON,
}

func newReport(a *app) *cobra.Command {
	o := &reportOptions{out: []string{reportFile}}
	cmd := &cobra.Command{
		Use:                   "report --model FILE [options]",
		DisableFlagsInUseLine: true,
		Short:                 "Write the report of a model",
		Long: `Write the report of a model as a page or as JSON, by the ending of the
name. Without --data the model is measured on the rows that its training held
out, and the adversary is described; with --data, on the rows of that table.`,
		Example: `  drotrain report --model drotrain-out/model.json --out report.html,report.json
  drotrain report --model drotrain-out/model.json --data new.parquet --groups region`,
		Args: noArgs,
	}
	section(cmd, "Options", func(fs *pflag.FlagSet) {
		fs.StringVar(&o.model, "model", "", "model `file`, or the directory that train wrote")
		fs.StringVar(&o.data, "data", "", "rows to measure on: a `file`, a directory, a glob or builtin:NAME (default: the hold-out of the training)")
		fs.Var(&listValue{p: &o.groups}, "groups", "`columns` that name groups; each on its own, and crossed (default: those of the training)")
		o.measure.define(fs)
	})
	section(cmd, "Output", func(fs *pflag.FlagSet) {
		fs.Var(&listValue{p: &o.out}, "out", "`files` to write, ending in .html or .json")
		fs.BoolVar(&o.force, "force", false, "replace files that exist")
		fs.BoolVar(&o.json, "json", false, "print the report as one JSON object on stdout")
		fs.BoolVar(&o.quiet, "quiet", false, "no notes on stderr")
	})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return interruption(cmd.Context(), o.run(cmd.Context(), a, cmd.Flags()))
	}
	return cmd
}

func (o *reportOptions) run(ctx context.Context, a *app, fs *pflag.FlagSet) error {
	if err := o.check(); err != nil {
		return err
	}
	m, err := loadModel(o.model)
	if err != nil {
		return err
	}
	r, err := o.build(ctx, a, m, commandLine("report", fs, "model"))
	if err != nil {
		return err
	}
	for _, path := range o.out {
		write := reportFormats[strings.ToLower(filepath.Ext(path))]
		if err := atomicfile.AtomicWrite(path, o.force, func(w io.Writer) error { return write(w, r) }); err != nil {
			return existsHint(err)
		}
	}
	if o.json {
		return eval.WriteJSON(a.stdout, r)
	}
	printVerdict(a.stdout, r.Evaluation)
	fmt.Fprintln(a.stdout)
	for _, path := range o.out {
		fmt.Fprintf(a.stdout, "wrote  %s\n", path)
	}
	return nil
}

func (o *reportOptions) check() error {
	for _, path := range o.out {
		if reportFormats[strings.ToLower(filepath.Ext(path))] == nil {
			return usagef("end the name in .html or .json", "--out %q: unknown format", path)
		}
	}
	return o.measure.check()
}

// build measures the model on the rows of --data, or on the rows that its
// training held out.
func (o *reportOptions) build(ctx context.Context, a *app, m *train.Model, command string) (*eval.Report, error) {
	if o.data != "" {
		e, _, err := measureFile(ctx, a, m, o.data, o.groups, o.measure, o.quiet)
		if err != nil {
			return nil, err
		}
		return buildReport(m, nil, e, command)
	}
	f, err := openTable(ctx, m.Config.Data)
	if err != nil {
		return nil, err
	}
	if m.Encoder, err = withGroups(m.Encoder, f, o.groups); err != nil {
		return nil, err
	}
	run, err := rebuildRun(m, f)
	if err != nil {
		return nil, err
	}
	rows, split := run.Holdout, splitHoldout
	if rows == nil {
		rows, split = run.Train, splitTraining
	}
	e, err := measure(ctx, m, f, rows, run.Train, split, o.measure)
	if err != nil {
		return nil, err
	}
	return buildReport(m, run, e, command)
}
