package options

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/export"
	"github.com/drotrain/drotrain/internal/expr"
)

var evaluationOptions = []Option{
	{Name: "measures", Commands: "eval*", Help: "list what --fail-if can compare, and nothing else", Effect: meta, Value: func(s *Settings) pflag.Value { return Switch(&s.Measures) }},
	{Name: "fail-if", Commands: "eval*", Help: "`condition` that fails the command with exit code 4, as in \"worst_group.risk > 0.6\"; repeatable", Effect: display, Value: func(s *Settings) pflag.Value { return &gatesValue{&s.Gates} }},
	{Name: "against", Commands: "eval*", Help: "earlier numbers that conditions with since compare with: a metrics.json, a report.json or a model `file` (default: what --model says of its hold-out)", Effect: display, Value: func(s *Settings) pflag.Value { return Text(&s.Against) }},
	{Name: "task", Commands: "eval", Help: "with --predictions: what the target is (default: binary for two values)", Value: func(s *Settings) pflag.Value {
		return Enum(&s.Task, []string{string(eval.Binary), string(eval.Regression)})
	}},
	{Name: "min-group-size", Commands: "train tune eval", Help: "smaller groups are listed, but never called the worst", Value: func(s *Settings) pflag.Value { return Count(&s.Config.MinGroupSize) }},
	{Name: "threshold", Commands: "train", Help: "two classes: the probability from which a row is predicted positive (default 0.5); predict and eval take it over", Value: func(s *Settings) pflag.Value { return probability(&s.Config.Threshold) }},
	{Name: "threshold", Commands: "eval* predict*", Help: "two classes: the probability from which a row is predicted positive (default: that of the training, or 0.5)", Value: func(s *Settings) pflag.Value { return probability(&s.Config.Threshold) }},
	{Name: "recalibrate", Commands: "train", Help: "two classes: fit slope and intercept of the scores out of fold; the certificate is about the model before", Value: func(s *Settings) pflag.Value { return Switch(&s.Config.Recalibrate) }},
	{Name: "resamples", Commands: "train eval", Help: "bootstrap `resamples` of the intervals, 100 to a million; 0 for no intervals; auto takes 1000, fewer for many rows", Value: func(s *Settings) pflag.Value {
		return Word(&s.Resamples, fmt.Sprintf("be auto, 0, or from 100 to %d", eval.MostResamples), func(text string) bool {
			n, err := strconv.Atoi(text)
			return text == Auto || err == nil && (n == 0 || n >= 100 && n <= eval.MostResamples)
		})
	}},
	{Name: "confidence", Commands: "eval", Help: "of every interval", Value: func(s *Settings) pflag.Value {
		return Number(&s.Confidence, "lie between 0 and 1", func(x float64) bool { return x > 0 && x < 1 })
	}},
	{Name: "tolerance", Commands: "eval", Help: "largest accepted gap between groups of selection and true positive rates", Value: func(s *Settings) pflag.Value {
		return Number(&s.Tolerance, "be above 0 and at most 1: 0.1 accepts rates that are ten percentage points apart", func(x float64) bool { return x > 0 && x <= 1 })
	}},
	{Name: "unit", Commands: "train eval", Help: "`unit` of a numeric target, for the report: \"USD per week\"", Value: func(s *Settings) pflag.Value { return Text(&s.Unit) }},
	{Name: "card", Commands: "train eval", Help: "YAML `file` for the model card: owner, intended use, date, data period, …; labels: texts for groups", Value: func(s *Settings) pflag.Value { return Text(&s.Card) }},
	{Name: "all-groups", Commands: "eval", Help: "write all numbers of every group; otherwise, beyond a hundred groups, those of the worst", Value: func(s *Settings) pflag.Value { return Switch(&s.AllGroups) }},
	{Name: "no-report", Commands: "train", Help: "write the model alone: nothing is measured or drawn", Value: func(s *Settings) pflag.Value { return Switch(&s.NoReport) }},
	{Name: "fast", Commands: "train", Help: "measure without intervals, slices and weights by column, and write no plots", Value: func(s *Settings) pflag.Value { return Switch(&s.Fast) }},
}

// probability returns an option for a probability that need not be given.
func probability(p **float64) pflag.Value {
	return Optional(p, "lie between 0 and 1", func(x float64) bool { return x >= 0 && x <= 1 })
}

// Formats of the files of eval.
var formats = []string{"html", "md", "json", "metrics", "junit", "svg", "png", "pdf"}

var outputOptions = []Option{
	{Name: "out", Commands: "train*", Help: "`directory` for the model, the metrics, the plots and the report; - for the model alone, on the standard output", Effect: display, Value: func(s *Settings) pflag.Value { return Text(&s.Out) }},
	{Name: "weights-out", Commands: "train", Help: "`file` for the adversary's weight of every training row (row, weight, group), ending in .parquet, .csv, .tsv or .arrows; with --out - also -, behind the model", Effect: display, Value: func(s *Settings) pflag.Value { return Text(&s.WeightsOut) }},
	{Name: "out", Commands: "tune*", Help: "`directory` for the table, the figure and the configuration", Effect: display, Value: func(s *Settings) pflag.Value { return Text(&s.Out) }},
	{Name: "out", Commands: "bench*", Help: "`directory` for bench-methods.json and the figures", Effect: display, Value: func(s *Settings) pflag.Value { return Text(&s.Out) }},
	{Name: "out", Commands: "eval*", Help: "`files` to write: a page .html or .md, the numbers .json, the gates .xml; a directory; or - for the standard output", Effect: display, Value: func(s *Settings) pflag.Value { return List(&s.Outputs) }},
	{Name: "out", Commands: "predict*", Help: "`file` to write, ending in .parquet, .csv, .tsv, or .arrows for an Arrow stream; - for the standard output", Effect: display, Value: func(s *Settings) pflag.Value { return Text(&s.Out) }},
	{Name: "out", Commands: "export*", Help: "`file` to write", Effect: display, Value: func(s *Settings) pflag.Value { return Text(&s.Out) }},
	{Name: "out", Commands: "inspect*", Help: "with --target: the configuration `file` for train --config", Effect: display, Value: func(s *Settings) pflag.Value { return Text(&s.Out) }},
	{Name: "format", Commands: "eval", Help: "`formats` to write to a directory, or the one of --out -: html, md, json (the report), metrics, junit (gates); svg, png, pdf (figures) (default html,json,metrics)", Effect: display, Value: func(s *Settings) pflag.Value { return Some(&s.Formats, formats) }},
	{Name: "format", Commands: "predict", Help: "of --out - (default csv)", Effect: display, Value: func(s *Settings) pflag.Value {
		return Enum(&s.Format, []string{"csv", "tsv", "parquet", "arrow"})
	}},
	{Name: "format", Commands: "export*", Help: "language; by default the ending of --out", Value: func(s *Settings) pflag.Value {
		var names []string
		for _, f := range export.Formats() {
			names = append(names, string(f))
		}
		return Enum(&s.Format, names)
	}},
	{Name: "dialect", Commands: "export*", Help: "dialect of SQL", Value: func(s *Settings) pflag.Value { return Enum(&s.Export.Dialect, export.Dialects()) }},
	{Name: "table", Commands: "export*", Help: "`name` of the table that SQL selects from, as written in SQL", Value: func(s *Settings) pflag.Value { return Text(&s.Export.Table) }},
	{Name: "package", Commands: "export*", Help: "`name` of the Go package", Value: func(s *Settings) pflag.Value { return Text(&s.Export.Package) }},
	{Name: "csv-safe", Commands: "predict export", Help: "in .csv and .tsv, an apostrophe before text that a spreadsheet would run: =1+1", Value: func(s *Settings) pflag.Value { return Switch(&s.Safe) }},
	{Name: "force", Commands: "train* tune eval* predict* export inspect bench", Help: "replace files that exist", Effect: display, Value: func(s *Settings) pflag.Value { return Switch(&s.Force) }},
	{Name: "resume", Commands: "train", Help: "continue the interrupted run whose checkpoint is in --out, with its options", Effect: display, Value: func(s *Settings) pflag.Value { return Switch(&s.Resume) }},
	{Name: "checkpoint-every", Commands: "train", Help: "how often a checkpoint for --resume is saved in --out; 0s: never", Effect: display, Value: func(s *Settings) pflag.Value { return Duration(&s.Every) }},
	{Name: "allow-degenerate", Commands: "train", Help: "exit 0 with a model that is worse than a constant, or has weight on a handful of rows", Value: func(s *Settings) pflag.Value { return Switch(&s.AllowDegenerate) }},
	{Name: "config", Commands: "train* tune eval predict export inspect bench", Help: "YAML `file` with these options as keys; the command line wins", Effect: meta, Value: func(s *Settings) pflag.Value { return Text(&s.ConfigFile) }},
	{Name: "json", Commands: "train tune eval* predict export inspect bench", Help: "print one JSON object on stdout, and errors as JSON on stderr", Effect: display, Value: func(s *Settings) pflag.Value { return Switch(&s.JSON) }},
	{Name: "quiet", Commands: "train tune eval predict export inspect bench", Help: "no progress and no notes on stderr; warnings stay", Effect: display, Value: func(s *Settings) pflag.Value { return Switch(&s.Quiet) }},
	{Name: "no-progress", Commands: "train tune eval predict inspect bench", Help: "no progress on stderr; notes stay", Effect: display, Value: func(s *Settings) pflag.Value { return Switch(&s.NoProgress) }},
	{Name: "log-format", Commands: "train tune eval predict export inspect bench", Help: "lines on stderr: for people, or with time and level as text or JSON", Effect: display, Value: func(s *Settings) pflag.Value {
		return Enum(&s.LogFormat, []string{LogPlain, LogText, LogJSON})
	}},
	{Name: "verbose", Commands: "train", Help: "log the decisions of the solver on stderr", Effect: display, Value: func(s *Settings) pflag.Value { return Switch(&s.Verbose) }},
}

// gatesValue is a repeatable option: conditions on an evaluation that fail the command.
type gatesValue struct{ p *[]eval.Gate }

func (v *gatesValue) String() string { return "" }
func (v *gatesValue) Type() string   { return "gate" }
func (v *gatesValue) Set(s string) error {
	g, err := eval.ParseGate(s)
	if err != nil {
		var at *expr.Error
		if errors.As(err, &at) && !strings.Contains(at.Msg, "write e.g.") {
			return Must("be a condition: "+at.Error(), `as in --fail-if "worst_group.risk > 0.6" or "since.accuracy.high < 0"`)
		}
		return Must("be a measure, a comparison and a number",
			`as in --fail-if "worst_group.risk > 0.6" or "since.accuracy.high < 0"`)
	}
	*v.p = append(*v.p, g)
	return nil
}
