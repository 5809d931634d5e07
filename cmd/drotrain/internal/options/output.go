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
	{Name: "measures", Commands: "eval*", Help: "list the measures that --fail-if can compare, and exit", Effect: meta, Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Measures) }},
	{Name: "fail-if", Commands: "eval*", Help: "`condition` that ends the command with exit code 4, as in \"worst_group.risk > 0.6\"; repeatable", Effect: display, Value: gatesValue},
	{Name: "against", Commands: "eval*", Help: "earlier numbers for conditions with since: `file` metrics.json, report.json or a model (default: the hold-out of --model)", Effect: display, Value: func(s *Settings) *setting.Value { return setting.Text(&s.Against) }},
	{Name: "task", Commands: "eval", Help: "with --predictions: type of the target (default: binary for two values)", Value: func(s *Settings) *setting.Value {
		return setting.Enum(&s.Task, []string{string(eval.Binary), string(eval.Regression)})
	}},
	{Name: "min-group-size", Commands: "train tune eval", Help: "smaller groups are listed, but never the worst group"},
	{Name: "threshold", Commands: "train", Help: "two classes: probability from which a row is predicted positive, also by predict and eval (default 0.5)"},
	{Name: "threshold", Commands: "eval* predict*", Help: "two classes: probability from which a row is predicted positive (default: that of the training, or 0.5)"},
	{Name: "recalibrate", Commands: "train", Help: "two classes: fit slope and intercept of the scores out of fold; the certificate refers to the model before that"},
	{Name: "resamples", Commands: "train eval", Help: "`number` of random draws for simultaneous intervals, 100 to a million; auto: 1000, fewer for many rows; 0: only the intervals of slices and against a constant", Value: func(s *Settings) *setting.Value {
		return setting.Word(&s.Resamples, fmt.Sprintf("be auto, 0, or from 100 to %d", eval.MostResamples), func(text string) bool {
			n, err := strconv.Atoi(text)
			return text == Auto || err == nil && (n == 0 || n >= 100 && n <= eval.MostResamples)
		})
	}},
	{Name: "confidence", Commands: "eval", Help: "confidence level of every interval", Value: func(s *Settings) *setting.Value {
		return setting.Number(&s.Confidence, "lie between 0 and 1", func(x float64) bool { return x > 0 && x < 1 })
	}},
	{Name: "tolerance", Commands: "eval", Help: "largest accepted difference between groups in selection rate and true positive rate", Value: func(s *Settings) *setting.Value {
		return setting.Number(&s.Tolerance, "be above 0 and at most 1: 0.1 accepts rates that are ten percentage points apart", func(x float64) bool { return x > 0 && x <= 1 })
	}},
	{Name: "favourable", Commands: "train eval", Help: "two classes: `value` of --target that is good for the person, as in approved; the four-fifths rule refers to it (default: guessed from the names, and said)", Value: func(s *Settings) *setting.Value { return setting.Text(&s.Favourable) }},
	{Name: "reference-group", Commands: "train eval", Help: "`group` whose rate the four-fifths rule compares with (default: that with the highest rate)", Value: func(s *Settings) *setting.Value { return setting.Text(&s.ReferenceGroup) }},
	{Name: "card", Commands: "train eval", Help: "YAML `file` for the model card: owner, intended use, date, data period, …; unit of a numeric target; labels: names of groups", Value: func(s *Settings) *setting.Value { return setting.Text(&s.Card) }},
	{Name: "all-groups", Commands: "eval", Help: "write all numbers of every group, not only of the worst hundred", Value: func(s *Settings) *setting.Value { return setting.Switch(&s.AllGroups) }},
	{Name: "report", Commands: "train", Help: "full; fast: no intervals, slices, weights by column and plots; none: only the model, nothing is measured", Value: func(s *Settings) *setting.Value {
		return setting.Enum(&s.Report, []string{ReportFull, ReportFast, ReportNone})
	}},
}

// The formats of the files of eval.
var formats = []string{"html", "md", "json", "metrics", "junit", "svg", "png", "pdf"}

var outputOptions = []Option{
	{Name: "out", Commands: "train*", Help: "`directory` for model, metrics, plots and report; - for the model alone on the standard output", Effect: display, Value: func(s *Settings) *setting.Value { return setting.Text(&s.Out) }},
	{Name: "weights-out", Commands: "train", Help: "`file` for the adversary's weights of the training rows (row, weight, group): .parquet, .csv, .tsv or .arrows; with --out - also -, after the model", Effect: display, Value: func(s *Settings) *setting.Value { return setting.Text(&s.WeightsOut) }},
	{Name: "out", Commands: "tune*", Help: "`directory` for the table, the figure and the configuration", Effect: display, Value: func(s *Settings) *setting.Value { return setting.Text(&s.Out) }},
	{Name: "out", Commands: "eval*", Help: "`files` to write: report .html or .md, numbers .json, gates .xml; a directory; or - for the standard output", Effect: display, Value: func(s *Settings) *setting.Value { return setting.List(&s.Outputs, nil) }},
	{Name: "out", Commands: "predict*", Help: "`file` to write, ending in .parquet, .csv, .tsv, or .arrows for an Arrow stream; - for the standard output", Effect: display, Value: func(s *Settings) *setting.Value { return setting.Text(&s.Out) }},
	{Name: "out", Commands: "export*", Help: "`file` to write", Effect: display, Value: func(s *Settings) *setting.Value { return setting.Text(&s.Out) }},
	{Name: "out", Commands: "inspect*", Help: "with --target: the configuration `file` for train --config", Effect: display, Value: func(s *Settings) *setting.Value { return setting.Text(&s.Out) }},
	{Name: "format", Commands: "eval", Help: "`formats` for a directory, or one for --out -: html, md, json (the report), metrics, junit (gates); svg, png, pdf (figures) (default html,json,metrics)", Effect: display, Value: func(s *Settings) *setting.Value { return setting.Subset(&s.Formats, formats) }},
	{Name: "format", Commands: "predict", Help: "format of --out - (default csv)", Effect: display, Value: func(s *Settings) *setting.Value {
		return setting.Enum(&s.Format, []string{"csv", "tsv", "parquet", "arrow"})
	}},
	{Name: "format", Commands: "export*", Help: "format (default: by the ending of --out)", Value: func(s *Settings) *setting.Value {
		var names []string
		for _, f := range export.Formats() {
			names = append(names, string(f))
		}
		return setting.Enum(&s.Format, names)
	}},
	{Name: "dialect", Commands: "export*", Help: "SQL dialect", Value: func(s *Settings) *setting.Value { return setting.Enum(&s.Export.Dialect, export.Dialects()) }},
	{Name: "table", Commands: "export*", Help: "`name` of the table in SQL, quoted as SQL needs it", Value: func(s *Settings) *setting.Value { return setting.Text(&s.Export.Table) }},
	{Name: "package", Commands: "export*", Help: "`name` of the Go package", Value: func(s *Settings) *setting.Value { return setting.Text(&s.Export.Package) }},
	{Name: "invalid", Commands: "predict", Help: "rows that cannot be scored: an error, or null with the reason in a column reason", Value: func(s *Settings) *setting.Value {
		return setting.Enum(&s.Invalid, []string{InvalidError, InvalidNull})
	}},
	{Name: "csv-safe", Commands: "predict export", Help: "in .csv and .tsv, put an apostrophe before text that a spreadsheet would execute: =1+1", Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Safe) }},
	{Name: "force", Commands: "train tune eval predict* export inspect", Help: "overwrite existing files", Effect: display, Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Force) }},
	{Name: "resume", Commands: "train", Help: "continue the interrupted run in --out, with its options", Effect: display, Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Resume) }},
	{Name: "allow-degenerate", Commands: "train", Help: "exit 0 with a model that is worse than a constant, or depends on a handful of rows", Value: func(s *Settings) *setting.Value { return setting.Switch(&s.AllowDegenerate) }},
	{Name: "config", Commands: "train tune eval predict export inspect", Help: "YAML `file` with these options as keys; the command line wins", Effect: meta, Value: func(s *Settings) *setting.Value { return setting.Text(&s.ConfigFile) }},
	{Name: "json", Commands: "train tune eval* predict export inspect", Help: "print one JSON object on stdout, and errors as JSON on stderr", Effect: display, Value: func(s *Settings) *setting.Value { return setting.Switch(&s.JSON) }},
	{Name: "quiet", Commands: "train tune eval predict export inspect", Help: "no progress and notes on stderr; warnings remain", Effect: display, Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Quiet) }},
	{Name: "log-format", Commands: "train tune eval predict export inspect", Help: "lines on stderr: plain, or text or JSON with time and level", Effect: display, Value: func(s *Settings) *setting.Value {
		return setting.Enum(&s.LogFormat, []string{LogPlain, LogText, LogJSON})
	}},
	{Name: "verbose", Commands: "train", Help: "log solver decisions on stderr", Effect: display, Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Verbose) }},
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
