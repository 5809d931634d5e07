package options

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/export"
	"github.com/drotrain/drotrain/internal/expr"
	"github.com/drotrain/drotrain/internal/setting"
)

var evaluationOptions = []Option{
	{Name: "measures", Commands: "eval*", Help: "list the measures that --fail-if can compare, and exit", Effect: meta,
		Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Measures) }},
	{Name: "fail-if", Commands: "eval*",
		Help:  "`condition` under which the command fails with exit code 4, as in \"worst_group.risk > 0.6\"; repeatable",
		Value: gatesValue},
	{Name: "against", Commands: "eval*",
		Help: "`file` with earlier numbers, for conditions that begin with since: metrics.json, report.json or a model " +
			"(default: the hold-out rows of --model)", Short: "`file` with earlier numbers, for conditions that begin with " +
			"since",
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.Against) }},
	{Name: "task", Commands: "eval", Help: "with --predictions: type of the target (default: binary for two values)",
		Value: func(s *Settings) *setting.Value {
			return setting.Enum(&s.Task, []string{string(eval.Binary), string(eval.Regression)})
		}},
	{Name: "min-group-size", Commands: "train tune eval",
		Help: "number of rows that a group needs to be called the worst group; smaller groups are only listed"},
	{Name: "threshold", Commands: "train",
		Help: "two classes: predict the positive class at or above this probability, in train, predict and eval (default 0.5)"},
	{Name: "threshold", Commands: "eval* predict*",
		Help: "two classes: predict the positive class at or above this probability (default: the threshold of the model, or " +
			"0.5)"},
	{Name: "recalibrate", Commands: "train",
		Help: "two classes: refit the slope and intercept of the scores, using out-of-fold predictions; the certificate covers the " +
			"model before recalibration"},
	{Name: "resamples", Commands: "train eval",
		Help: "`number` of random draws for simultaneous intervals, 100 to a million; auto takes 1000, fewer for many " +
			"rows; " +
			"0 computes only the intervals of slices and of the comparison with a constant prediction",
		Value: func(s *Settings) *setting.Value {
			return setting.Word(&s.Resamples, fmt.Sprintf("be auto, 0, or from 100 to %d", eval.MostResamples),
				func(text string) bool {
					n, err := strconv.Atoi(text)
					return text == Auto || err == nil && (n == 0 || n >= 100 && n <= eval.MostResamples)
				})
		}},
	{Name: "confidence", Commands: "eval", Help: "confidence level of every interval",
		Value: func(s *Settings) *setting.Value {
			return setting.Number(&s.Confidence, "lie between 0 and 1", func(x float64) bool { return x > 0 && x < 1 })
		}},
	{Name: "tolerance", Commands: "eval",
		Help: "largest difference between groups to accept, in selection rate and in true positive rate",
		Value: func(s *Settings) *setting.Value {
			return setting.Number(&s.Tolerance,
				"be above 0 and at most 1: 0.1 accepts rates that are ten percentage points apart",
				func(x float64) bool { return x > 0 && x <= 1 })
		}},
	{Name: "favourable", Commands: "train eval",
		Help: "two classes: `value` of --target that is good for the person, such as approved; selection rates and the " +
			"four-fifths rule refer to it (default: as in training, or else guessed from the names of the values, with a note)",
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.Config.Favourable) }},
	{Name: "reference-group", Commands: "train eval",
		Help:  "`group` with which the four-fifths rule compares the others (default: the group with the highest rate)",
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.Config.ReferenceGroup) }},
	{Name: "card", Commands: "train eval",
		Help: "YAML `file` with the model card: owner, intended use, date, data period, …; two keys change the report: unit " +
			"(of a numeric target) and labels (names of groups)",
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.Card) }},
	{Name: "all-groups", Commands: "eval", Help: "write all measures for every group, not only for the 100 worst",
		Value: func(s *Settings) *setting.Value { return setting.Switch(&s.AllGroups) }},
	{Name: "report", Commands: "train",
		Help: "what is measured: full; fast (no intervals, slices, plots and weights by column); none (the model is only trained)", Value: func(s *Settings) *setting.Value {
			return setting.Enum(&s.Report, []string{ReportFull, ReportFast, ReportNone})
		}},
}

// The formats of the files of eval.
var formats = []string{"html", "md", "json", "metrics", "junit", "svg", "png", "pdf"}

var outputOptions = []Option{
	{Name: "out", Commands: "train*",
		Help:   "`directory` for model, metrics, plots and report; - writes only the model, to standard output",
		Effect: display, Value: func(s *Settings) *setting.Value { return setting.Text(&s.Out) }},
	{Name: "weights-out", Commands: "train",
		Help: "`file` for the adversary's weight of every training row (row, weight, group), ending in .parquet, .csv, .tsv or " +
			".arrows; - writes to standard output (after the model if --out is - too)", Effect: display,
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.WeightsOut) }},
	{Name: "proof", Commands: "train",
		Help:   "`file` for the numbers with which drotrain verify proves the certificate, ending in .parquet, .csv, .tsv or .arrows",
		Effect: display, Value: func(s *Settings) *setting.Value { return setting.Text(&s.Proof) }},
	{Name: "encoded", Commands: "verify*",
		Help: "`file` for the encoded training rows, which python -m drotrain.verify reads; it ends in .parquet", Effect: display,
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.Encoded) }},
	{Name: "out", Commands: "tune*", Help: "`directory` for the table and the figure of the candidates and for train.yaml", Effect: display,
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.Out) }},
	{Name: "out", Commands: "eval*",
		Help: "`files` to write: the report (.html or .md), the numbers (.json), the gates (.xml); a directory; or - for " +
			"standard output", Effect: display, Value: func(s *Settings) *setting.Value {
			return setting.List(&s.Outputs, nil)
		}},
	{Name: "out", Commands: "predict*",
		Help:   "`file` to write, ending in .parquet, .csv, .tsv, or .arrows for an Arrow stream; - for standard output",
		Effect: display, Value: func(s *Settings) *setting.Value { return setting.Text(&s.Out) }},
	{Name: "out", Commands: "export*", Help: "`file` to write", Effect: display,
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.Out) }},
	{Name: "out", Commands: "inspect*",
		Help: "with --target: `file` for the suggested configuration, to be used as train --config", Effect: display,
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.Out) }},
	{Name: "format", Commands: "eval",
		Help: "`formats` to write if --out is a directory, or the format of standard output: html, md, json (the report), " +
			"metrics, junit (the gates), svg, png, pdf (the figures) (default html,json,metrics)", Effect: display,
		Value: func(s *Settings) *setting.Value { return setting.Subset(&s.Formats, formats) }},
	{Name: "format", Commands: "predict", Help: "format of standard output, if --out is - (default csv)", Effect: display,
		Value: func(s *Settings) *setting.Value {
			return setting.Enum(&s.Format, []string{"csv", "tsv", "parquet", "arrow"})
		}},
	{Name: "format", Commands: "export*", Help: "format of the file (default: by the extension of --out)",
		Value: func(s *Settings) *setting.Value {
			var names []string
			for _, f := range export.Formats() {
				names = append(names, string(f))
			}
			return setting.Enum(&s.Format, names)
		}},
	{Name: "dialect", Commands: "export*", Help: "SQL dialect",
		Value: func(s *Settings) *setting.Value { return setting.Enum(&s.Export.Dialect, export.Dialects()) }},
	{Name: "table", Commands: "export*", Help: "`name` of the table in SQL, quoted where SQL needs it",
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.Export.Table) }},
	{Name: "margins", Commands: "predict",
		Help: "also write the margins: the log-odds of the positive class in a column named margin, or margin_CLASS for " +
			"each of several classes", Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Margins) }},
	{Name: "invalid", Commands: "predict",
		Help: "rows that cannot be scored: error stops; null writes an empty prediction, with the reason in a column named " +
			"reason", Value: func(s *Settings) *setting.Value {
			return setting.Enum(&s.Invalid, []string{InvalidError, InvalidNull})
		}},
	{Name: "csv-safe", Commands: "predict export",
		Help:  "in .csv and .tsv files, write an apostrophe before text that a spreadsheet would execute, such as =1+1",
		Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Safe) }},
	{Name: "force", Commands: "train tune eval predict* export inspect verify", Help: "overwrite existing files",
		Effect: display, Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Force) }},
	{Name: "resume", Commands: "train", Help: "continue the interrupted run in --out, with the options of that run",
		Effect: display, Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Resume) }},
	{Name: "allow-degenerate", Commands: "train",
		Help:  "exit with 0 even if the model is worse than a constant or rests on a handful of rows",
		Value: func(s *Settings) *setting.Value { return setting.Switch(&s.AllowDegenerate) }},
	{Name: "config", Commands: "train tune eval predict export inspect verify",
		Help: "YAML `file` with these options as keys; options on the command line win", Effect: meta,
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.ConfigFile) }},
	{Name: "json", Commands: "train tune eval* predict export inspect verify*",
		Help: "print one JSON object to stdout, and errors as JSON to stderr", Effect: display,
		Value: func(s *Settings) *setting.Value { return setting.Switch(&s.JSON) }},
	{Name: "quiet", Commands: "train tune eval predict export inspect verify",
		Help: "show no progress and no notes; warnings remain", Effect: display,
		Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Quiet) }},
	{Name: "log-format", Commands: "train tune eval predict export inspect verify",
		Help: "format of messages on stderr: plain (the message only); text or json (with time and level)", Effect: display,
		Value: func(s *Settings) *setting.Value {
			return setting.Enum(&s.LogFormat, []string{LogPlain, LogText, LogJSON})
		}},
	{Name: "verbose", Commands: "train", Help: "write the solver's decisions to stderr", Effect: display,
		Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Verbose) }},
}

// gatesValue returns the repeatable value of --fail-if.
func gatesValue(s *Settings) *setting.Value {
	return setting.Repeated("gate", func(text string) error {
		g, err := eval.ParseGate(text)
		if err == nil {
			s.Gates = append(s.Gates, g)
			return nil
		}
		const example = `as in --fail-if "worst_group.risk > 0.6" or "since.accuracy.high < 0"`
		var at *expr.Error
		if errors.As(err, &at) && !strings.Contains(at.Msg, "write e.g.") {
			return setting.Must("be a condition: "+at.Error(), example)
		}
		return setting.Must("be a measure, a comparison and a number", example)
	})
}

// What predict does with rows that cannot be scored.
const (
	InvalidError = "error"
	InvalidNull  = "null"
)
