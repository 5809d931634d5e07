package options

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/export"
	"github.com/drotrain/drotrain/internal/expr"
	"github.com/drotrain/drotrain/internal/setting"
)

const favourableHelp = "for two classes: `value` of --target that is good for the person, such as approved; " +
	"selection rates and the four-fifths rule refer to this value"

var evaluationOptions = []Option{
	{Name: "measures", Commands: "eval*",
		Help: "list the measures that --fail-if can compare, and exit", Effect: meta,
		Value: func(s *Settings) *setting.Value { return setting.Switch(&s.ListMeasures) }},
	{Name: "fail-if", Commands: "eval*",
		Help: "`condition` under which the command fails with exit code 4, such as \"worst_group.risk > 0.6\"; the " +
			"option can be repeated",
		Value: gatesValue},
	{Name: "against", Commands: "eval*",
		Help: "`file` with the earlier evaluation for conditions on since.MEASURE: metrics.json, report.json or a " +
			"model (default, with --data: the evaluation of --model on its hold-out rows)",
		Short: "`file` with the earlier evaluation for conditions on since.MEASURE",
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.Against) }},
	{Name: "task", Commands: "eval",
		Help: "with --predictions: type of the target (default: binary if the target has two values)",
		Value: func(s *Settings) *setting.Value {
			return setting.Enum(&s.Task, []string{string(eval.Binary), string(eval.Regression)})
		}},
	{Name: "min-group-size", Commands: "train tune eval",
		Help: "number of rows that a group needs to count as the worst group; smaller groups are only listed"},
	{Name: "threshold", Commands: "train",
		Help: "for two classes: lowest probability at which the positive class is predicted (default 0.5); predict " +
			"and eval use the same threshold"},
	{Name: "threshold", Commands: "eval* predict*",
		Help: "for two classes: lowest probability at which the positive class is predicted (default: the threshold of " +
			"the model, otherwise 0.5)"},
	{Name: "recalibrate", Commands: "train",
		Help: "for two classes: refit the slope and intercept of the scores on out-of-fold predictions; the " +
			"certificate covers the model before recalibration"},
	{Name: "resamples", Commands: "train eval",
		Help: "`number` of random draws for simultaneous intervals, from 100 to a million; auto draws 1000, or fewer " +
			"if there are many rows; with 0, only slices and the comparison with a constant prediction have intervals",
		Value: func(s *Settings) *setting.Value {
			return setting.Word(&s.Resamples, fmt.Sprintf("be auto, 0, or from 100 to %d", eval.MostResamples),
				func(text string) bool {
					n, err := strconv.Atoi(text)
					return text == Auto || err == nil && (n == 0 || n >= 100 && n <= eval.MostResamples)
				})
		}},
	{Name: "confidence", Commands: "eval", Help: "confidence level of all intervals",
		Value: func(s *Settings) *setting.Value {
			return setting.Number(&s.Confidence, "lie between 0 and 1", func(x float64) bool { return x > 0 && x < 1 })
		}},
	{Name: "tolerance", Commands: "eval",
		Help: "largest accepted difference between groups in the selection rate and in the true positive rate",
		Value: func(s *Settings) *setting.Value {
			return setting.Number(&s.Tolerance,
				"be above 0 and at most 1: 0.1 accepts rates that are ten percentage points apart",
				func(x float64) bool { return x > 0 && x <= 1 })
		}},
	{Name: "favourable", Commands: "train",
		Help:  favourableHelp + " (default: guessed from the values' names; a note reports the guess)",
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.Config.Favourable) }},
	{Name: "favourable", Commands: "eval",
		Help: favourableHelp + " (default: the value used in training, or else a guess from the values' names; a note " +
			"reports the guess)",
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.Config.Favourable) }},
	{Name: "reference-group", Commands: "train eval",
		Help: "`group` to which the four-fifths rule compares the other groups (default: the group with the highest " +
			"selection rate)",
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.Config.ReferenceGroup) }},
	{Name: "card", Commands: "train eval",
		Help: "YAML `file` with the model card (owner, intended use, date, data period and others); two keys change " +
			"the report: unit (of a numeric target) and labels (names of groups)",
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.Card) }},
	{Name: "all-groups", Commands: "eval",
		Help: "in .json files, write all measures of every group (default: of the 100 worst groups of a grouping; of " +
			"other groups, only the number of rows and the risk)",
		Value: func(s *Settings) *setting.Value { return setting.Switch(&s.AllGroups) }},
	{Name: "report", Commands: "train",
		Help: "extent of the evaluation: full; fast (no intervals, slices or plots, and no table of the adversary's " +
			"weights by column); none (the model is only trained)", Value: func(s *Settings) *setting.Value {
			return setting.Enum(&s.Report, []string{ReportFull, ReportFast, ReportNone})
		}},
}

// Formats of the files that eval writes.
var formats = []string{"html", "md", "json", "metrics", "junit", "svg", "png", "pdf"}

var outputOptions = []Option{
	{Name: "out", Commands: "train*",
		Help: "`directory` for the model, metrics, plots and report; with -, only the model is written, to standard " +
			"output",
		Effect: display, Value: func(s *Settings) *setting.Value { return setting.Text(&s.Out) }},
	{Name: "weights-out", Commands: "train",
		Help: "`file` for the adversary's weights of the training rows: the row number, the weight (1 on average) and, with " +
			"groups, the group; the name ends in .parquet, .csv, .tsv or .arrows; - means standard output, after the " +
			"model, and needs --out -",
		Effect: display,
		Value:  func(s *Settings) *setting.Value { return setting.Text(&s.WeightsOut) }},
	{Name: "proof", Commands: "train",
		Help:   "`file` for a proof of the certificate, which drotrain verify checks (.parquet, .csv, .tsv or .arrows)",
		Effect: display, Value: func(s *Settings) *setting.Value { return setting.Text(&s.Proof) }},
	{Name: "encoded", Commands: "verify*",
		Help:   "write the encoded training rows to this .parquet `file`, which python -m drotrain.verify reads",
		Effect: display,
		Value:  func(s *Settings) *setting.Value { return setting.Text(&s.Encoded) }},
	{Name: "out", Commands: "tune*",
		Help:   "`directory` for the table and figure of the candidates, and for train.yaml",
		Effect: display,
		Value:  func(s *Settings) *setting.Value { return setting.Text(&s.Out) }},
	{Name: "out", Commands: "eval*",
		Help: "output `files`: report (.html or .md), measures (.json) or gate results (.xml); a directory; or - for " +
			"standard output", Effect: display, Value: func(s *Settings) *setting.Value {
			return setting.List(&s.Outputs, nil)
		}},
	{Name: "out", Commands: "predict*",
		Help: "write the predictions to this `file` (.parquet, .csv, .tsv or, as an Arrow stream, .arrows); - means " +
			"standard output",
		Effect: display, Value: func(s *Settings) *setting.Value { return setting.Text(&s.Out) }},
	{Name: "out", Commands: "export*", Help: "`file` for the exported model; - means standard output, and needs --format",
		Effect: display,
		Value:  func(s *Settings) *setting.Value { return setting.Text(&s.Out) }},
	{Name: "out", Commands: "inspect*",
		Help:   "with --target: `file` for the suggested configuration, which train --config reads",
		Effect: display,
		Value:  func(s *Settings) *setting.Value { return setting.Text(&s.Out) }},
	{Name: "format", Commands: "eval",
		Help: "`formats` to write if --out is a directory (default html,json,metrics), or the one format if --out is - " +
			"(default html): html, md or json (report), metrics, junit (gates) or, in a directory, svg, png or pdf (figures)",
		Effect: display,
		Value:  func(s *Settings) *setting.Value { return setting.Subset(&s.Formats, formats) }},
	{Name: "format", Commands: "predict",
		Help:   "format of standard output if --out is - (default csv)",
		Effect: display,
		Value: func(s *Settings) *setting.Value {
			return setting.Enum(&s.Format, []string{"csv", "tsv", "parquet", "arrow"})
		}},
	{Name: "format", Commands: "export*",
		Help: "format of the file (default: determined by the extension of --out)",
		Value: func(s *Settings) *setting.Value {
			var names []string
			for _, f := range export.Formats() {
				names = append(names, string(f))
			}
			return setting.Enum(&s.Format, names)
		}},
	{Name: "dialect", Commands: "export*", Help: "SQL dialect",
		Value: func(s *Settings) *setting.Value { return setting.Enum(&s.Export.Dialect, export.Dialects()) }},
	{Name: "table", Commands: "export*",
		Help:  "`name` of the table in the SQL statement, with quotation marks where SQL requires them",
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.Export.Table) }},
	{Name: "margins", Commands: "predict",
		Help: "for classes: also write the log-odds of the positive class in the column margin or, for more than two " +
			"classes, one score per class in the columns margin_CLASS", Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Margins) }},
	{Name: "invalid", Commands: "predict",
		Help: "what to do about rows that cannot be scored: error (stop) or null (write a null prediction, and " +
			"state the reason in the column reason)", Value: func(s *Settings) *setting.Value {
			return setting.Enum(&s.Invalid, []string{InvalidError, InvalidNull})
		}},
	{Name: "csv-safe", Commands: "predict export",
		Help: "in .csv and .tsv files, write an apostrophe before text that a spreadsheet would run as a formula, such " +
			"as =1+1",
		Value: func(s *Settings) *setting.Value { return setting.Switch(&s.EscapeFormulas) }},
	{Name: "force", Commands: "train tune eval predict* export inspect verify", Help: "overwrite existing files",
		Effect: display, Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Force) }},
	{Name: "resume", Commands: "train",
		Help: "continue the interrupted run in --out with the options of that run; if --data is given and no run was " +
			"interrupted, start a new run",
		Effect: display, Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Resume) }},
	{Name: "allow-degenerate", Commands: "train",
		Help:  "exit with code 0 even if the model is degenerate (for example, worse than a constant prediction)",
		Value: func(s *Settings) *setting.Value { return setting.Switch(&s.AllowDegenerate) }},
	{Name: "config", Commands: "train tune eval predict export inspect verify",
		Help: "YAML `file` with these options as keys; options on the command line take precedence", Effect: meta,
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.ConfigFile) }},
	{Name: "json", Commands: "train tune eval* predict export inspect verify*",
		Help:   "print one JSON object to standard output, and errors as JSON to standard error",
		Effect: display,
		Value:  func(s *Settings) *setting.Value { return setting.Switch(&s.JSON) }},
	{Name: "quiet", Commands: "train tune eval predict export inspect verify",
		Help:   "show no progress and no notes; warnings are still shown",
		Effect: display,
		Value:  func(s *Settings) *setting.Value { return setting.Switch(&s.Quiet) }},
	{Name: "log-format", Commands: "train tune eval predict export inspect verify",
		Help:   "format of messages on standard error: plain (message only), text or json (with time and level)",
		Effect: display,
		Value: func(s *Settings) *setting.Value {
			return setting.Enum(&s.LogFormat, []string{LogPlain, LogText, LogJSON})
		}},
	{Name: "verbose", Commands: "train",
		Help:   "write the decisions of the solver to standard error",
		Effect: display,
		Value:  func(s *Settings) *setting.Value { return setting.Switch(&s.Verbose) }},
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
		if errors.As(err, &at) && at.Example == "" {
			return setting.Must("be a condition: "+at.Error(), example)
		}
		return setting.Must("be a measure, a comparison and a number", example)
	})
}

// Treatments by predict of rows that cannot be scored.
const (
	InvalidError = "error"
	InvalidNull  = "null"
)
