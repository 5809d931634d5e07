package options

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train"
)

var tableHelp = "a `file` (" + strings.Join(data.FormatNames(), ", ") + "), a directory or glob of files, or builtin:NAME"

var modelOptions = []Option{
	{Name: "model", Commands: "eval*", Help: "model `files`, or directories written by train; the others are compared with the first", Value: func(s *Settings) pflag.Value { return List(&s.Models) }},
	{Name: "model", Commands: "predict* export*", Help: "model `file`, or directory written by train", Value: func(s *Settings) pflag.Value { return One(&s.Models) }},
	{Name: "model-variant", Commands: "eval predict export", Help: "model to use from the file: robust, erm (the standard model), or the one recommended by training (default: recommended if the level was chosen, robust if it was set)", Value: func(s *Settings) pflag.Value { return Enum(&s.Variant, train.Variants()) }},
}

var dataOptions = []Option{
	{Name: "data", Commands: "train* tune*", Help: "training rows: " + tableHelp + " (default builtin:digits)", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Data) }},
	{Name: "data", Commands: "bench*", Help: "rows: " + tableHelp + " (default builtin:hmda)", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Data) }},
	{Name: "data", Commands: "eval*", Help: "rows to measure: " + tableHelp + " (default: the hold-out of the training)", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Data) }},
	{Name: "data", Commands: "predict*", Help: "rows to predict: " + tableHelp, Value: func(s *Settings) pflag.Value { return Text(&s.Config.Data) }},
	{Name: "data", Commands: "inspect", Help: "the file to describe, instead of the argument", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Data) }},
	{Name: "trained-on", Commands: "eval", Help: "`table` of the training, if it is neither embedded nor in the model's folder", Value: func(s *Settings) pflag.Value { return Text(&s.TrainedOn) }},
	{Name: "predictions", Commands: "eval*", Help: "`table` with predictions of any model, instead of --model", Value: func(s *Settings) pflag.Value { return Text(&s.Predictions) }},
	{Name: "target", Commands: "train* tune* bench*", Help: "`column` to predict", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Target) }},
	{Name: "target", Commands: "eval*", Aliases: "label", Help: "with --predictions: `column` of the actual outcome", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Target) }},
	{Name: "target", Commands: "inspect*", Help: "`column` to predict: suggest how to train", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Target) }},
	{Name: "score", Commands: "eval*", Help: "with --predictions: `columns` of scores, or NAME=COLUMN; the first is the baseline; p_* is one column per class", Value: func(s *Settings) pflag.Value { return List(&s.Scores) }},
	{Name: "groups", Commands: "train* tune* bench", Help: "`columns` that define groups: each alone, and crossed", Value: func(s *Settings) pflag.Value { return List(&s.Config.Groups) }},
	{Name: "groups", Commands: "eval*", Help: "`columns` that define groups: each alone, and crossed (default: those of the training)", Value: func(s *Settings) pflag.Value { return List(&s.Config.Groups) }},
	{Name: "groups", Commands: "inspect", Help: "`columns` that define groups: report whether train uses them as features", Value: func(s *Settings) pflag.Value { return List(&s.Config.Groups) }},
	{Name: "features", Commands: "train tune bench", Help: "feature `columns` (default: all without another role)", Value: func(s *Settings) pflag.Value { return List(&s.Config.Features) }},
	{Name: "columns", Commands: "eval", Help: "with --predictions: `columns` to search for slices with high risk (default: all others)", Value: func(s *Settings) pflag.Value { return List(&s.Columns) }},
	{Name: "drop", Commands: "train* tune* bench", Help: "`columns` to leave out", Value: func(s *Settings) pflag.Value { return List(&s.Config.Drop) }},
	{Name: "drop", Commands: "eval", Help: "with --predictions: `columns` to exclude from that search", Value: func(s *Settings) pflag.Value { return List(&s.Config.Drop) }},
	{Name: "filter", Commands: "train* tune*", Help: "`rows` to use: 'age >= 18 && state != \"PR\"'", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Filter) }},
	{Name: "filter", Commands: "eval", Help: "`rows` of --data to measure: 'age >= 18 && state != \"PR\"'", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Filter) }},
	{Name: "training-filter", Commands: "eval", Help: "measure only rows that pass the --filter of the training", Value: func(s *Settings) pflag.Value { return Switch(&s.TrainingFilter) }},
	{Name: "strict", Commands: "eval predict", Help: "fail if the rows differ from the training rows, instead of a warning", Value: func(s *Settings) pflag.Value { return Switch(&s.Strict) }},
	{Name: "weight", Commands: "train tune", Help: "`column` of positive row weights: survey weights, costs", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Weight) }},
	{Name: "weight", Commands: "eval", Help: "`column` of positive row weights (default: that of the training; '' for none)", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Weight) }},
	{Name: "positive", Commands: "train tune bench", Help: "`value` of a two-valued target that counts as positive", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Positive) }},
	{Name: "positive", Commands: "eval", Help: "with --predictions: `value` of a two-valued target that counts as positive", Value: func(s *Settings) pflag.Value { return Text(&s.Config.Positive) }},
	{Name: "keep", Commands: "predict*", Help: "`columns` of the table to copy unchanged", Value: func(s *Settings) pflag.Value { return List(&s.Keep) }},
}

var featureOptions = []Option{
	{Name: "impute", Commands: "train* tune* bench", Help: "missing numbers: an error, filled with the mean or median, or rows dropped", Value: func(s *Settings) pflag.Value {
		return Enum(&s.Config.Impute, []string{"error", "mean", "median", "drop"})
	}},
	{Name: "categorical", Commands: "train tune bench", Help: "numeric `columns` to treat as categories", Value: func(s *Settings) pflag.Value { return List(&s.Config.Categorical) }},
	{Name: "min-count", Commands: "train tune", Help: "levels with fewer training `rows`, and unseen levels, become one level, (other)", Value: func(s *Settings) pflag.Value { return Count(&s.Config.MinCount) }},
	{Name: "group-features", Commands: "train tune", Help: "use group columns as features: no (if that is illegal, or they are unknown at prediction); shared (the other coefficients are the same for all groups); pooled (coefficients by group, partially pooled); auto (pooled if measurably better out of fold, else shared)", Value: func(s *Settings) pflag.Value { return GroupFeatures(s, "no", "shared", "pooled", "auto") }},
	{Name: "group-features", Commands: "bench", Help: "use group columns as features", Value: func(s *Settings) pflag.Value { return GroupFeatures(s, "no", "shared") }},
	{Name: "scale", Commands: "train tune bench", Help: "standardise numeric features and a numeric target on the training rows, or leave them unchanged", Value: Scale},
	{Name: "target-transform", Commands: "train tune", Help: "fit the logarithm of a numeric target; predictions and report stay in its units", Value: func(s *Settings) pflag.Value {
		return Enum(&s.Config.TargetTransform, []string{"log", "log1p"})
	}},
	{Name: "transform", Commands: "train tune", Help: "`column:how`: log replaces the column by its logarithm, square adds the square, spline4 expands it in a natural cubic spline with 4 knots at quantiles (3 to 20)", Value: Transform},
	{Name: "interact", Commands: "train tune", Help: "products of two features, `column:column`, of numbers or of levels", Value: func(s *Settings) pflag.Value { return Pairs(&s.Config.Interact, ":") }},
	{Name: "intercept", Commands: "train tune bench", Help: "fit an unpenalised intercept", Value: func(s *Settings) pflag.Value { return Switch(&s.Config.Intercept) }},
}

var holdoutOptions = []Option{
	{Name: "holdout", Commands: "train*", Help: "`rows` to measure: a random proportion, as 0.2; time:COLUMN, the last rows; units:COLUMN, whole units such as persons; split:COLUMN, with values train and test; file:FILE, another table; crossfit, all rows by five more models; auto, crossfit below 2000 rows, else 0.2", Short: "`rows` to measure: 0.2, time:COLUMN, units:COLUMN, split:COLUMN, file:FILE, crossfit", Value: func(s *Settings) pflag.Value { return Holdout(s, true) }},
	{Name: "holdout", Commands: "tune", Help: "`rows` left out: a random proportion, as 0.2; time:COLUMN, the last rows; units:COLUMN, whole units such as persons; split:COLUMN, with values train and test; file:FILE, another table", Value: func(s *Settings) pflag.Value { return Holdout(s, false) }},
}

var readingOptions = []Option{
	{Name: "no-header", Commands: "train tune eval predict inspect", Help: "the first line of a text file is a row; columns are column_1, column_2, …", Value: func(s *Settings) pflag.Value { return Switch(&s.Config.Reading.Text.NoHeader) }},
	{Name: "na", Commands: "train tune eval predict inspect", Help: "`texts` to treat as missing: --na '?,-999'", Value: func(s *Settings) pflag.Value { return List(&s.Config.Reading.Text.Missing) }},
	{Name: "delimiter", Commands: "train tune eval predict inspect", Help: "`character` between fields of text files (default: , ; tab or | by the first lines)", Value: func(s *Settings) pflag.Value {
		return mark(&s.Config.Reading.Text.Delimiter, "be one character, and no quote or line end", func(r *data.Reading, text string) { r.Text.Delimiter = text })
	}},
	{Name: "decimal", Commands: "train tune eval predict inspect", Help: "decimal `mark` of numbers in text files: . or ,", Value: func(s *Settings) pflag.Value {
		return mark(&s.Config.Reading.Text.Decimal, "be . or ,", func(r *data.Reading, text string) { r.Text.Decimal = text })
	}},
	{Name: "thousands", Commands: "train tune eval predict inspect", Help: "thousands `mark` of numbers in text files: , . ' _ or a space", Value: func(s *Settings) pflag.Value {
		return mark(&s.Config.Reading.Text.Thousands, "be , . ' _ or a space", func(r *data.Reading, text string) {
			if r.Text.Thousands = text; text == "." {
				r.Text.Decimal = ","
			}
		})
	}},
	{Name: "strip", Commands: "train tune eval predict inspect", Help: "`characters` to strip from both ends of numbers in text files: '%$€'", Value: func(s *Settings) pflag.Value {
		return mark(&s.Config.Reading.Text.Strip, "hold no digits, signs, points or commas", func(r *data.Reading, text string) { r.Text.Strip = text })
	}},
	{Name: "relabel", Commands: "train tune eval predict inspect", Help: "rename `texts`: --relabel '<=50K.-><=50K,>50K.->>50K'", Value: func(s *Settings) pflag.Value { return Names(&s.Config.Reading.Relabel, "->") }},
	{Name: "dates", Commands: "train tune eval predict inspect", Help: "date and time columns: as days since 1970, as year, month, weekday and hour, or dropped", Value: func(s *Settings) pflag.Value { return Enum(&s.Config.Reading.Dates, data.DateUses()) }},
}

// mark returns an option for a text that the reader of a table accepts.
func mark(p *string, must string, set func(r *data.Reading, s string)) pflag.Value {
	return Word(p, must, func(s string) bool {
		var alone data.Reading
		set(&alone, s)
		return alone.Text.Validate() == nil
	})
}
