package options

import (
	"cmp"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/setting"
	"github.com/drotrain/drotrain/train"
)

var tableHelp = "a `file` (" + strings.Join(data.FormatNames(), ", ") + "), a directory or glob of files, or builtin:NAME"

var modelOptions = []Option{
	{Name: "model", Commands: "eval*", Help: "model `files`, or directories written by train; the others are compared with the first", Value: func(s *Settings) *setting.Value { return setting.List(&s.Models, nil) }},
	{Name: "model", Commands: "predict* export*", Help: "model `file`, or directory written by train", Value: func(s *Settings) *setting.Value { return singleElement(&s.Models) }},
	{Name: "model-variant", Commands: "eval predict export", Help: "model to use from the file: robust (the trained model), erm (the standard model), balanced (group-balanced ERM), rescaled (ERM with rescaled scores), or the one recommended by training (default: recommended if the level was chosen, robust if it was set)", Value: func(s *Settings) *setting.Value { return setting.Enum(&s.Variant, train.Variants()) }},
}

var dataOptions = []Option{
	{Name: "data", Commands: "train* tune*", Help: "training rows: " + tableHelp + " (default builtin:digits)"},
	{Name: "data", Commands: "eval*", Help: "rows to measure: " + tableHelp + " (default: the hold-out of the training)"},
	{Name: "data", Commands: "predict*", Help: "rows to predict: " + tableHelp},
	{Name: "data", Commands: "inspect", Help: "the file to describe, instead of the argument"},
	{Name: "trained-on", Commands: "eval", Help: "`table` of the training, if it is neither embedded nor in the model's folder", Value: func(s *Settings) *setting.Value { return setting.Text(&s.TrainedOn) }},
	{Name: "predictions", Commands: "eval*", Help: "`table` with predictions of any model, instead of --model", Value: func(s *Settings) *setting.Value { return setting.Text(&s.Predictions) }},
	{Name: "target", Commands: "train* tune*", Help: "`column` to predict"},
	{Name: "target", Commands: "eval*", Aliases: "label", Help: "with --predictions: `column` of the actual outcome"},
	{Name: "target", Commands: "inspect*", Help: "`column` to predict: suggest how to train"},
	{Name: "score", Commands: "eval*", Help: "with --predictions: `columns` of scores, or NAME=COLUMN; the first is the baseline; p_* is one column per class", Value: func(s *Settings) *setting.Value { return setting.List(&s.Scores, nil) }},
	{Name: "groups", Commands: "train* tune*", Help: "`columns` that define groups: each alone, and crossed"},
	{Name: "groups", Commands: "eval*", Help: "`columns` that define groups: each alone, and crossed (default: those of the training)"},
	{Name: "groups", Commands: "inspect", Help: "`columns` that define groups: report whether train uses them as features"},
	{Name: "features", Commands: "train tune", Help: "feature `columns` (default: all without another role)"},
	{Name: "columns", Commands: "eval", Help: "with --predictions: `columns` to search for slices with high risk (default: all others)", Value: func(s *Settings) *setting.Value { return setting.List(&s.Columns, nil) }},
	{Name: "drop", Commands: "train* tune*", Help: "`columns` to leave out"},
	{Name: "drop", Commands: "eval", Help: "with --predictions: `columns` to exclude from that search"},
	{Name: "filter", Commands: "train* tune*", Help: "`rows` to use: 'age >= 18 && state != \"PR\"'"},
	{Name: "filter", Commands: "eval", Help: "`rows` of --data to measure: 'age >= 18 && state != \"PR\"'"},
	{Name: "training-filter", Commands: "eval", Help: "measure only rows that pass the --filter of the training", Value: func(s *Settings) *setting.Value { return setting.Switch(&s.TrainingFilter) }},
	{Name: "strict", Commands: "eval predict", Help: "fail if the rows differ from the training rows, instead of a warning", Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Strict) }},
	{Name: "weight", Commands: "train tune inspect", Help: "`column` of positive row weights: survey weights, costs"},
	{Name: "weight", Commands: "eval", Help: "`column` of positive row weights (default: that of the training; '' for none)"},
	{Name: "positive", Commands: "train tune", Help: "`value` of a two-valued target that counts as positive"},
	{Name: "positive", Commands: "eval", Help: "with --predictions: `value` of a two-valued target that counts as positive"},
	{Name: "keep", Commands: "predict*", Help: "`columns` of the table to copy unchanged", Value: func(s *Settings) *setting.Value { return setting.List(&s.Keep, nil) }},
}

var featureOptions = []Option{
	{Name: "impute", Commands: "train* tune*", Help: "missing numbers: an error, filled with the mean or median, or rows dropped"},
	{Name: "categorical", Commands: "train tune", Help: "numeric `columns` to treat as categories"},
	{Name: "min-count", Commands: "train tune", Help: "levels with fewer training `rows`, and unseen levels, become one level, (other)"},
	{Name: "group-features", Commands: "train tune", Help: "use group columns as features: no (if that is illegal, or they are unknown at prediction); shared (the other coefficients are the same for all groups); pooled (coefficients by group, partially pooled); auto (pooled if measurably better out of fold, else shared)"},
	{Name: "scale", Commands: "train tune", Help: "standardise numeric features and a numeric target on the training rows, or leave them unchanged"},
	{Name: "target-transform", Commands: "train tune", Help: "fit the logarithm of a numeric target; predictions and report stay in its units"},
	{Name: "transform", Commands: "train tune", Help: "`column:how`: log replaces the column by its logarithm, square adds the square, spline4 expands it in a natural cubic spline with 4 knots at quantiles (3 to 20)"},
	{Name: "interact", Commands: "train tune", Help: "products of two features, `column:column`, of numbers or of levels"},
	{Name: "intercept", Commands: "train tune", Help: "fit an unpenalised intercept"},
}

var holdoutOptions = []Option{
	{Name: "holdout", Commands: "train*", Help: "`rows` to measure: a random proportion such as 0.2; time:COLUMN, the last rows; units:COLUMN, whole units such as persons; split:COLUMN, with values train and test; file:FILE, another table; crossfit, all rows by five more models; auto, crossfit below 2000 rows, else 0.2", Short: "`rows` to measure: 0.2, time:COLUMN, units:COLUMN, split:COLUMN, file:FILE, crossfit", Value: func(s *Settings) *setting.Value { return holdoutValue(s, true) }},
	{Name: "holdout", Commands: "tune inspect", Help: "`rows` left out: a random proportion such as 0.2; time:COLUMN, the last rows; units:COLUMN, whole units such as persons; split:COLUMN, with values train and test; file:FILE, another table", Value: func(s *Settings) *setting.Value { return holdoutValue(s, false) }},
}

var readingOptions = []Option{
	{Name: "no-header", Commands: "train tune eval predict inspect", Help: "the first line of a text file is a row; columns are column_1, column_2, …"},
	{Name: "na", Commands: "train tune eval predict inspect", Help: "`texts` to treat as missing: --na '?,-999', or in one column: --na age=88,99"},
	{Name: "delimiter", Commands: "train tune eval predict inspect", Help: "`character` between fields of text files (default: , ; tab or | by the first lines)"},
	{Name: "decimal", Commands: "train tune eval predict inspect", Help: "decimal `mark` of numbers in text files: . or ,"},
	{Name: "thousands", Commands: "train tune eval predict inspect", Help: "thousands `mark` of numbers in text files: , . ' _ or a space"},
	{Name: "strip", Commands: "train tune eval predict inspect", Help: "`characters` to strip from both ends of numbers in text files: '%$€'"},
	{Name: "relabel", Commands: "train tune eval predict inspect", Help: "rename `texts` before types are decided: --relabel '<=50K.-><=50K,>50K.->>50K'"},
	{Name: "dates", Commands: "train tune eval predict inspect", Help: "date and time columns: as days since 1970, as year, month, weekday (0 is Sunday) and hour, or dropped"},
	{Name: "date-order", Commands: "train tune eval predict inspect", Help: "order in dates such as 3/4/2024 (default: as some row shows)"},
	{Name: "time-zone", Commands: "train tune inspect", Help: "`zone` in which --dates parts takes times that have one: Europe/Berlin (default: the zone of the column)"},
	{Name: "numeric", Commands: "train tune inspect", Help: "`columns` of numbers with leading zeros, which are otherwise read as text"},
}

// holdoutValue returns the value of --holdout; crossfit says whether cross-fitting is allowed.
func holdoutValue(s *Settings, crossfit bool) *setting.Value {
	before, set := "", s.Config.Options()["holdout"].Set
	return setting.KeepingText("rows", Auto, func(text string) error {
		if before != "" && before != text {
			return setting.Must("be given once: it is also "+before, "a proportion may stand before time: and units:, as in --holdout 0.3,time:date")
		}
		before = text
		if s.Measure = Auto; text == Auto {
			return nil
		}
		if err := set(text); err != nil {
			return setting.WithHint(err, "as in --holdout 0.2 or --holdout 0.3,time:date")
		}
		if s.Config.Evaluate == train.EvaluateCrossfit && !crossfit {
			return setting.Must("hold rows out", "as in --holdout 0.2")
		}
		s.Measure = cmp.Or(s.Config.Evaluate, train.EvaluateHoldout)
		return nil
	})
}

// singleElement returns a value that sets a list to one element.
func singleElement(p *[]string) *setting.Value {
	return setting.New("string", func() string { return strings.Join(*p, "") }, func(text string) error { *p = []string{text}; return nil })
}
