package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/check"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train"
)

// A predictOutput describes what predict wrote.
type predictOutput struct {
	Out     string        `json:"out"`
	Rows    int           `json:"rows"`
	Variant string        `json:"model_variant"`
	Columns []string      `json:"columns"`
	Report  encode.Report `json:"report"`

	Findings []check.Finding `json:"findings"` // findings about the rows, in comparison with the training rows
}

func newPredict(a *app) *cobra.Command {
	return a.define(&cobra.Command{
		Use:   "predict --model FILE --data FILE --out FILE [options]",
		Short: "Compute predictions for the rows of a table",
		Long: `Apply a trained model to the rows of a table. The predictions are written as
Parquet, CSV or an Arrow stream, according to the extension of --out. The
output has the column "row" (counted from 1), the columns of --keep, the
probabilities of classes, and the column "prediction". With two classes, the
column "probability" refers to the positive class; with more classes, every
class has a column of probabilities.

If --model and --data are both -, standard input holds the model followed by the
table. A spreadsheet may run text in a CSV file, such as =1+1, as a formula;
--csv-safe prevents that. With --invalid null, rows that cannot be scored get a
null prediction and a reason.

The table is read with the reading options of the training run, unless other
ones are given here.`,
		Example: `  drotrain predict --model drotrain-out --data new.parquet --out preds.parquet
  drotrain predict --model drotrain-out/model.json --data builtin:hmda \
      --keep afam,single --out preds.csv
  cat new.csv | drotrain predict --model drotrain-out --data - --out -`,
	}, options.Predict, func(ctx context.Context, s *options.Settings, _ *pflag.FlagSet, _ []string) error {
		return a.predict(ctx, s)
	})
}

// predict writes the predictions of a model for the rows of a table.
func (a *app) predict(ctx context.Context, o *options.Settings) error {
	model := strings.Join(o.Models, "")
	if err := checkRequirements(modelRequirement(model), dataRequirement(o.Config.Data),
		requiredOption{"out", o.Out, "name the file to write, as in --out preds.parquet or --out preds.csv"}); err != nil {
		return err
	}
	extension, toStream := filepath.Ext(o.Out), o.Out == stream
	switch {
	case toStream && o.JSON:
		return exit.Usagef("leave out one of them", "--out - and --json both write to standard output")
	case !toStream && o.Format != "":
		return exit.Usagef("choose the format of a file by the extension of its name, as in --out preds.csv",
			"--format has no effect without --out -")
	case toStream:
		extension = extensionOf[cmp.Or(o.Format, "csv")]
	}
	m, variant, err := a.loadVariant(ctx, model, o.Variant)
	if err != nil {
		return err
	}
	if !toStream {
		if err := a.inputs.Check(o.Force, o.Out); err != nil {
			return err
		}
	}
	shown := a.newProgress()
	defer shown.Finish()
	ctx = shown.Watch(ctx)
	shown.Begin(show.Reading)
	f, err := a.openTable(ctx, o.Config.Data, mergeReading(o.Config.Reading, m.Reading()))
	if err != nil {
		return err
	}
	a.noteUnusedReading(f, o.Config.Reading)
	if f.Rows == 0 {
		return fmt.Errorf("%s: there are no rows to predict", printable.EscapeLine(f.Name()))
	}
	done := predictOutput{Out: o.Out, Variant: variant, Findings: []check.Finding{}}
	found, err := m.ExamineScored(ctx, f, false)
	if err != nil {
		return err
	}
	done.Findings = append(done.Findings, found...)
	var failed, written error // errors of the table and of the file
	predicting := train.BlockOptions{Keep: o.Keep, Threshold: o.Config.Threshold, Margins: o.Margins,
		NullInvalid: o.Invalid == options.InvalidNull}
	err = a.writeTable(o.Out, extension, o.Force, func(put func(cols []data.Column) error) error {
		done.Report, failed = m.PredictBlocks(ctx, f, predicting, func(columns []data.Column) error {
			if o.EscapeFormulas && slices.Contains([]string{".csv", ".tsv"}, strings.ToLower(extension)) {
				escapeFormulas(columns)
			}
			if done.Columns == nil {
				for _, c := range columns {
					done.Columns = append(done.Columns, c.Name)
				}
			}
			done.Rows += columns[0].Len()
			shown.ObserveEvaluation(eval.Progress{Phase: "predicting", Done: done.Rows, Total: f.Rows})
			written = put(columns)
			return written
		})
		if failed == nil {
			failed = a.checkDrift(done.Report, found, o.Strict)
		}
		return failed
	})
	shown.Finish()
	switch {
	case failed != nil && written == nil:
		if o.Invalid != options.InvalidNull {
			addInvalidHint(failed)
		}
		return failed
	case err != nil:
		return err
	}
	a.warnOfTrainingRows(done.Report, "")
	if n := done.Report.Invalid; n > 0 {
		a.warn(fmt.Sprintf("%s of %s could not be scored; the column \"reason\" of the output states why", show.Thousands(n),
			show.Plural(done.Rows, "row", "rows")))
	}
	if s := done.Report.String(); s != "" {
		a.note("%s", s)
	}
	switch {
	case toStream || a.quiet && !o.JSON:
		return nil
	case o.JSON:
		return show.JSON(a.stdout, done)
	}
	_, err = fmt.Fprintf(a.stdout, "wrote  %s (%s: %s)\n", o.Out, show.Plural(done.Rows, "row", "rows"),
		printable.EscapeLine(strings.Join(done.Columns, ", ")))
	return err
}

// addInvalidHint adds a hint to errors about rows that names the option for scoring the other rows.
func addInvalidHint(err error) {
	var one *data.Error
	if !errors.As(err, &one) || one.Row == 0 || one.Class != nil {
		return
	}
	const advice = "score the other rows with --invalid null"
	if one.Hint != "" {
		one.Hint += "; " + advice
	} else {
		one.Hint = advice
	}
}

// escapeFormulas puts an apostrophe before names and levels that spreadsheets would interpret as formulas.
func escapeFormulas(columns []data.Column) {
	for i := range columns {
		c := &columns[i]
		c.Name = printable.EscapeCell(c.Name)
		level := make([]string, len(c.Level))
		for k, l := range c.Level {
			level[k] = printable.EscapeCell(l)
		}
		c.Level = level
	}
}
