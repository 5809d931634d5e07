package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

// predictOptions are the options of `drotrain predict`.
type predictOptions struct {
	model, data, out string
	keep             []string
	reading          data.Reading
	threshold        *float64
	variant          string
	csvSafe          bool
	force            bool
	json, quiet      bool
}

// A writing error is one of the file that is written.
type writing struct{ err error }

func (e *writing) Error() string { return e.err.Error() }
func (e *writing) Unwrap() error { return e.err }

// A predicted says what predict wrote.
type predicted struct {
	Out     string            `json:"out"`
	Rows    int               `json:"rows"`
	Variant string            `json:"model_variant"`
	Columns []string          `json:"columns"`
	Report  data.EncodeReport `json:"report"`
}

func newPredict(a *app) *cobra.Command {
	o := &predictOptions{}
	cmd := &cobra.Command{
		Use:                   "predict --model FILE --data FILE --out FILE [options]",
		DisableFlagsInUseLine: true,
		Short:                 "Predict the rows of a table",
		Long: `Apply a trained model to the rows of a table and write the predictions as
Parquet or CSV, by the ending of the name. Columns: row (counted from 1), those
named with --keep, probability (of the positive value; two-valued targets
alone), prediction. CSV holds text as it is, and spreadsheets run a cell such as
=1+1: --csv-safe prevents it.`,
		Example: `  drotrain predict --model drotrain-out --data new.parquet --out preds.parquet
  drotrain predict --model drotrain-out/model.json --data builtin:hmda \
      --keep afam,single --out preds.csv`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), a) },
	}
	readingOptions(cmd, &o.reading)
	options.Section(cmd, "Options", func(fs *pflag.FlagSet) {
		fs.StringVar(&o.model, "model", "", "model `file`, or the directory that train wrote")
		fs.StringVar(&o.data, "data", "", "rows to predict: a `file`, a directory, a glob or builtin:NAME")
		fs.StringVar(&o.out, "out", "", "`file` to write, ending in .parquet, .csv or .tsv")
		fs.Var(options.List(&o.keep), "keep", "`columns` of the table to copy as they are, digit for digit")
		defineThreshold(fs, &o.threshold, "(default: that of the training, or 0.5)")
		defineVariant(fs, &o.variant)
		fs.BoolVar(&o.csvSafe, "csv-safe", false, "in .csv and .tsv, an apostrophe before text that a spreadsheet would run: =1+1")
		fs.BoolVar(&o.force, "force", false, "replace a file that exists")
		fs.BoolVar(&o.json, "json", false, "print one JSON object on stdout")
		fs.BoolVar(&o.quiet, "quiet", false, "no notes on stderr")
	})
	return cmd
}

func (o *predictOptions) run(ctx context.Context, a *app) error {
	if err := needed(modelNeeded(o.model), dataNeeded(o.data), need{"out", o.out, "as in --out preds.parquet, or preds.csv"}); err != nil {
		return err
	}
	m, variant, err := a.loadVariant(o.model, o.variant, o.quiet)
	if err != nil {
		return err
	}
	threshold := m.Threshold()
	if o.threshold != nil {
		threshold = *o.threshold
	}
	if err := a.inputs.Check(o.force, o.out); err != nil {
		return err
	}
	shown := a.newProgress(o.quiet)
	defer shown.Finish()
	ctx = shown.Watch(ctx)
	shown.Begin(show.Reading)
	f, err := a.openTable(ctx, o.data, orOf(o.reading, m.Config.Reading))
	if err != nil {
		return exit.Interruption(ctx, err)
	}
	if err := a.inputs.MayWrite(o.out); err != nil {
		return err
	}
	done := predicted{Out: o.out, Variant: variant}
	var failed error
	err = data.WriteBlocks(o.out, o.force, func(put data.TableWriter) error {
		done.Report, failed = m.PredictBlocks(ctx, f, o.keep, threshold, func(columns []data.Column) error {
			if o.csvSafe && !strings.EqualFold(filepath.Ext(o.out), ".parquet") {
				disarm(columns)
			}
			if done.Columns == nil {
				for _, c := range columns {
					done.Columns = append(done.Columns, c.Name)
				}
			}
			done.Rows += columns[0].Len()
			shown.Measuring(eval.Progress{Phase: "predicting", Done: done.Rows, Total: f.Rows})
			if err := put(columns); err != nil {
				return &writing{err}
			}
			return nil
		})
		return failed
	})
	shown.Finish()
	var wrote *writing
	switch {
	case failed != nil && !errors.As(failed, &wrote): // of the table, not of the file
		return exit.Interruption(ctx, failed)
	case err != nil:
		return exit.ReplaceHint(err)
	}
	if s := done.Report.String(); s != "" && !o.quiet {
		a.note("note: %s", s)
	}
	if o.json {
		return show.JSON(a.stdout, done)
	}
	fmt.Fprintf(a.stdout, "wrote  %s (%s: %s)\n", o.out, show.Plural(done.Rows, "row", "rows"), printable.Line(strings.Join(done.Columns, ", ")))
	return nil
}

// disarm puts an apostrophe before names and levels that spreadsheets take for formulas.
func disarm(columns []data.Column) {
	for i := range columns {
		c := &columns[i]
		c.Name = printable.Cell(c.Name)
		level := make([]string, len(c.Level))
		for k, l := range c.Level {
			level[k] = printable.Cell(l)
		}
		c.Level = level
	}
}
