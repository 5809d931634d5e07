package options

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train"
)

var tableHelp = "a `file` (" + strings.Join(data.FormatNames(), ", ") + "), a directory or glob of files, or builtin:NAME"

var modelOptions = []Option{
	{Name: "model", Commands: "eval*", Help: "model `files`, or directories that train wrote; others are compared with the first", Value: func(s *Settings) pflag.Value { return List(&s.Models) }},
	{Name: "model", Commands: "predict* export*", Help: "model `file`, or the directory that train wrote", Value: func(s *Settings) pflag.Value { return One(&s.Models) }},
	{Name: "model-variant", Commands: "eval predict export", Help: "which model of the file: robust, erm (the standard model), or the one that training recommended (default: recommended if the level was chosen, robust if it was set)", Value: func(s *Settings) pflag.Value { return Enum(&s.Variant, train.Variants()) }},
}

var dataOptions = []Option{
	{Name: "data", Commands: "train* tune*", Help: "training rows: " + tableHelp + " (default builtin:digits)", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Data) }},
	{Name: "data", Commands: "bench*", Help: "rows: " + tableHelp + " (default builtin:hmda)", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Data) }},
	{Name: "data", Commands: "eval*", Help: "rows to measure on: " + tableHelp + " (default: those that the training held out)", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Data) }},
	{Name: "data", Commands: "inspect", Help: "the file to describe, in place of the argument", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Data) }},
	{Name: "data", Commands: "predict*", Help: "rows to predict: " + tableHelp, Value: func(s *Settings) pflag.Value { return Text(&s.Config.Data) }},
	{Name: "trained-on", Commands: "eval", Help: "the `table` of the training, where it is neither embedded nor in the folder of the model", Value: func(s *Settings) pflag.Value { return Text(&s.TrainedOn) }},
	{Name: "predictions", Commands: "eval*", Help: "`table` with predictions of any model, in place of --model", Value: func(s *Settings) pflag.Value { return Text(&s.Predictions) }},
	{Name: "target", Commands: "train* tune* bench*", Help: "`column` to predict", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Target) }},
	{Name: "target", Commands: "eval*", Aliases: "label", Help: "with --predictions: `column` of the actual outcome", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Target) }},
	{Name: "target", Commands: "inspect*", Help: "`column` to predict: propose how to train", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Target) }},
	{Name: "score", Commands: "eval*", Help: "with --predictions: `columns` of scores, or NAME=COLUMN; the first is the baseline", Value: func(s *Settings) pflag.Value { return List(&s.Scores) }},
	{Name: "groups", Commands: "train* tune* bench", Help: "`columns` that name groups; each on its own, and crossed", Value: func(s *Settings) pflag.Value { return List(&s.Config.Groups) }},
	{Name: "groups", Commands: "eval*", Help: "`columns` that name groups; each on its own, and crossed (default: those of the training)", Value: func(s *Settings) pflag.Value { return List(&s.Config.Groups) }},
	{Name: "groups", Commands: "inspect", Help: "`columns` that name groups: say whether train takes them as features", Value: func(s *Settings) pflag.Value { return List(&s.Config.Groups) }},
	{Name: "features", Commands: "train tune bench", Help: "feature `columns` (default: all without another role)", Value: func(s *Settings) pflag.Value { return List(&s.Config.Features) }},
	{Name: "columns", Commands: "eval", Help: "with --predictions: `columns` to search for bad slices (default: all others)", Value: func(s *Settings) pflag.Value { return List(&s.Columns) }},
	{Name: "drop", Commands: "train* tune* bench", Help: "`columns` to leave out", Value: func(s *Settings) pflag.Value { return List(&s.Config.Drop) }},
	{Name: "drop", Commands: "eval", Help: "with --predictions: `columns` to leave out of that search", Value: func(s *Settings) pflag.Value { return List(&s.Config.Drop) }},
	{Name: "filter", Commands: "train* tune*", Help: "`rows` to use: 'age >= 18 && state != \"PR\"'", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Filter) }},
	{Name: "filter", Commands: "eval", Help: "`rows` of --data to measure on: 'age >= 18 && state != \"PR\"'", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Filter) }},
	{Name: "training-filter", Commands: "eval", Help: "measure on the rows that the --filter of the training leaves", Value: func(s *Settings) pflag.Value { return Switch(&s.TrainingFilter) }},
	{Name: "strict", Commands: "eval predict", Help: "fail where the rows differ from those of training as the warnings say", Value: func(s *Settings) pflag.Value { return Switch(&s.Strict) }},
	{Name: "weight", Commands: "train tune", Help: "`column` of row weights, above 0: survey weights, costs", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Weight) }},
	{Name: "weight", Commands: "eval", Help: "`column` of row weights, above 0 (default: that of the training; '' for none)", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Weight) }},
	{Name: "positive", Commands: "train tune bench", Help: "`value` of a two-valued target that counts as positive", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Positive) }},
	{Name: "positive", Commands: "eval", Help: "with --predictions: `value` of a two-valued target that counts as positive", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Positive) }},
	{Name: "keep", Commands: "predict*", Help: "`columns` of the table to copy as they are, digit for digit", Value: func(s *Settings) pflag.Value { return List(&s.Keep) }},
}

var featureOptions = []Option{
	{Name: "impute", Commands: "train* tune* bench", Help: "missing numbers: refuse them, fill them in, or drop the rows", Value: func(s *Settings) pflag.Value {
		return Enum(&s.Config.Impute, []string{"error", "mean", "median", "drop"})
	}},
	{Name: "categorical", Commands: "train tune bench", Help: "numeric `columns` to treat as categories", Value: func(s *Settings) pflag.Value { return List(&s.Config.Categorical) }},
	{Name: "min-count", Commands: "train tune", Help: "levels of fewer training `rows` become one, (other), which unseen levels count as too", Value: func(s *Settings) pflag.Value { return Count(&s.Config.MinCount) }},
	{Name: "group-features", Commands: "train tune", Help: "whether the group columns are features, too: no, where that is illegal or they are unknown at prediction; shared: all groups share the other coefficients; pooled: groups have some of their own, partially pooled; auto: where those predict measurably better out of fold", Value: func(s *Settings) pflag.Value { return GroupFeatures(s, "no", "shared", "pooled", "auto") }},
	{Name: "group-features", Commands: "bench", Help: "whether the group columns are features, too", Value: func(s *Settings) pflag.Value { return GroupFeatures(s, "no", "shared") }},
	{Name: "scale", Commands: "train tune bench", Help: "standardise the numeric features and a numeric target on the training rows, or leave them", Value: Scale},
	{Name: "target-transform", Commands: "train tune", Help: "fit the logarithm of a numeric target; predictions and report stay in its units", Value: func(s *Settings) pflag.Value {
		return Enum(&s.Config.TargetTransform, []string{"log", "log1p"})
	}},
	{Name: "log", Commands: "train tune", Help: "`columns` to take the logarithm of", Value: func(s *Settings) pflag.Value { return List(&s.Config.Log) }},
	{Name: "square", Commands: "train tune", Help: "`columns` whose square is added as a feature", Value: func(s *Settings) pflag.Value { return List(&s.Config.Square) }},
	{Name: "spline", Commands: "train tune", Help: "`column:knots` to expand in a natural cubic spline of 3 to 20 knots at quantiles", Value: func(s *Settings) pflag.Value { return Pairs(&s.Config.Spline, ":") }},
	{Name: "interact", Commands: "train tune", Help: "`column:column`: products of two features, of numbers or of levels", Value: func(s *Settings) pflag.Value { return Pairs(&s.Config.Interact, ":") }},
	{Name: "intercept", Commands: "train tune bench", Help: "fit a constant, which is not penalised", Value: func(s *Settings) pflag.Value { return Switch(&s.Config.Intercept) }},
}

var holdoutOptions = []Option{
	{Name: "holdout", Commands: "train*", Help: "`rows` to measure on: a proportion, drawn, as 0.2; time:COLUMN, the last ones; units:COLUMN, whole units of several rows, as persons; split:COLUMN, which says train or test; file:FILE, another table; crossfit: all rows, by five more models; auto cross-fits below 2000 rows, else 0.2", Short: "`rows` to measure on: 0.2, time:COLUMN, units:COLUMN, split:COLUMN, file:FILE, crossfit", Value: func(s *Settings) pflag.Value { return Holdout(s, true) }},
	{Name: "holdout", Commands: "tune", Help: "`rows` left out: a proportion, drawn, as 0.2; time:COLUMN, the last ones; units:COLUMN, whole units of several rows; split:COLUMN, which says train or test; file:FILE, another table", Value: func(s *Settings) pflag.Value { return Holdout(s, false) }},
}

var readingOptions = []Option{
	{Name: "no-header", Commands: "train tune eval predict inspect", Help: "the first line of text is a row: the columns are column_1, column_2, …", Value: func(s *Settings) pflag.Value { return Switch(&s.Config.Reading.Text.NoHeader) }},
	{Name: "na", Commands: "train tune eval predict inspect", Help: "`texts` to treat as missing: --na '?,-999'", Value: func(s *Settings) pflag.Value { return List(&s.Config.Reading.Text.Missing) }},
	{Name: "delimiter", Commands: "train tune eval predict inspect", Help: "`character` between the fields of text (default: , ; tab or | by the first lines)", Value: func(s *Settings) pflag.Value {
		return mark(&s.Config.Reading.Text.Delimiter, "be one character, and no quote or line end", func(r *data.Reading, text string) { r.Text.Delimiter = text })
	}},
	{Name: "decimal", Commands: "train tune eval predict inspect", Help: "`mark` before the fraction of numbers in text: . or ,", Value: func(s *Settings) pflag.Value {
		return mark(&s.Config.Reading.Text.Decimal, "be . or ,", func(r *data.Reading, text string) { r.Text.Decimal = text })
	}},
	{Name: "thousands", Commands: "train tune eval predict inspect", Help: "`mark` between thousands of numbers in text: , . ' _ or a space", Value: func(s *Settings) pflag.Value {
		return mark(&s.Config.Reading.Text.Thousands, "be , . ' _ or a space", func(r *data.Reading, text string) {
			if r.Text.Thousands = text; text == "." {
				r.Text.Decimal = ","
			}
		})
	}},
	{Name: "strip", Commands: "train tune eval predict inspect", Help: "`marks` to take off both ends of numbers in text: '%$€'", Value: func(s *Settings) pflag.Value {
		return mark(&s.Config.Reading.Text.Strip, "hold no digits, signs, points or commas", func(r *data.Reading, text string) { r.Text.Strip = text })
	}},
	{Name: "relabel", Commands: "train tune eval predict inspect", Help: "other names for `texts`: --relabel '<=50K.-><=50K,>50K.->>50K'", Value: func(s *Settings) pflag.Value { return Names(&s.Config.Reading.Relabel, "->") }},
	{Name: "dates", Commands: "train tune eval predict inspect", Help: "columns of dates and times: as days since 1970, as year, month, weekday and hour, or left out", Value: func(s *Settings) pflag.Value { return Enum(&s.Config.Reading.Dates, data.DateUses()) }},
}

// mark returns an option for a text that the reader of a table accepts.
func mark(p *string, must string, set func(r *data.Reading, s string)) pflag.Value {
	return Word(p, must, func(s string) bool {
		var alone data.Reading
		set(&alone, s)
		return alone.Text.Validate() == nil
	})
}
