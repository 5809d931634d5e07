package options

import (
	"cmp"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/setting"
	"github.com/drotrain/drotrain/train"
)

var tableHelp = "a `file` (" + strings.Join(data.FormatNames(), ", ") +
	"), a directory or glob of files, or builtin:NAME"

var modelOptions = []Option{
	{Name: "model", Commands: "eval*",
		Help:  "model `files`, or directories that train wrote; every further model is compared with the first",
		Value: func(s *Settings) *setting.Value { return setting.List(&s.Models, nil) }},
	{Name: "model", Commands: "predict* export* verify*", Help: "model `file`, or the directory that train wrote",
		Value: func(s *Settings) *setting.Value { return singleElement(&s.Models) }},
	{Name: "model-variant", Commands: "eval predict export",
		Help: "model to use from the file: robust (the trained model), erm (the standard model), balanced (group-balanced " +
			"ERM), rescaled (ERM with rescaled scores) or recommended (the model that train recommends) (default: recommended " +
			"if cross-validation chose the robustness, robust if an option set it)",
		Value: func(s *Settings) *setting.Value { return setting.Enum(&s.Variant, train.Variants()) }},
}

var dataOptions = []Option{
	{Name: "data", Commands: "train* tune*", Help: "training rows: " + tableHelp + " (default builtin:digits)"},
	{Name: "data", Commands: "eval*", Help: "rows to measure: " + tableHelp + " (default: the rows that train held out)"},
	{Name: "data", Commands: "predict*", Help: "rows to predict: " + tableHelp},
	{Name: "data", Commands: "verify*", Help: "the table that the model was trained on: " + tableHelp},
	{Name: "data", Commands: "inspect", Help: "`file` to describe; the same as the argument"},
	{Name: "trained-on", Commands: "eval",
		Help:  "`table` that the model was trained on, if it is neither embedded nor in the model's folder",
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.TrainedOn) }},
	{Name: "predictions", Commands: "eval*",
		Help:  "`table` with the predictions of any model, to be evaluated in place of --model",
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.Predictions) }},
	{Name: "proof", Commands: "verify*", Help: "`file` that drotrain train --proof wrote",
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.Proof) }},
	{Name: "target", Commands: "train* tune*", Help: "`column` to predict"},
	{Name: "target", Commands: "eval*", Aliases: "label", Help: "with --predictions: `column` with the actual outcome"},
	{Name: "target", Commands: "inspect*", Help: "`column` to predict; inspect then also suggests how to train"},
	{Name: "score", Commands: "eval*",
		Help: "with --predictions: `columns` with the scores of one model each, as COLUMN or NAME=COLUMN; the first is the " +
			"baseline; p_* stands for " +
			"one " +
			"column per class", Short: "with --predictions: `columns` with scores; the first is the baseline",
		Value: func(s *Settings) *setting.Value { return setting.List(&s.Scores, nil) }},
	{Name: "groups", Commands: "train* tune*",
		Help: "`columns` that define groups, each by itself and all of them crossed"},
	{Name: "groups", Commands: "eval*",
		Help: "`columns` that define groups, each by itself and all of them crossed (default: the group columns of the " +
			"model)", Short: "`columns` that define groups (default: those of the model)"},
	{Name: "groups", Commands: "inspect",
		Help: "`columns` that define groups; inspect then reports whether train uses them as features"},
	{Name: "features", Commands: "train tune",
		Help: "`columns` to use as features (default: all columns without another role)"},
	{Name: "columns", Commands: "eval",
		Help: "with --predictions: `columns` to search for slices with high risk (default: all columns without another " +
			"role)",
		Value: func(s *Settings) *setting.Value { return setting.List(&s.Columns, nil) }},
	{Name: "drop", Commands: "train* tune*", Help: "`columns` to leave out"},
	{Name: "drop", Commands: "eval", Help: "with --predictions: `columns` not to search for slices"},
	{Name: "filter", Commands: "train* tune*",
		Help: "train only on rows that satisfy the `condition`: 'age >= 18 && state != \"PR\"'"},
	{Name: "filter", Commands: "eval",
		Help: "measure only rows of --data that satisfy the `condition`: 'age >= 18 && state != \"PR\"'"},
	{Name: "training-filter", Commands: "eval", Help: "apply the --filter of train to --data",
		Value: func(s *Settings) *setting.Value { return setting.Switch(&s.TrainingFilter) }},
	{Name: "strict", Commands: "eval predict", Help: "fail, instead of warning, if the rows differ from the training rows",
		Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Strict) }},
	{Name: "weight", Commands: "train tune inspect",
		Help: "`column` with a positive weight for each row: the number of rows that it stands for, such as a survey weight"},
	{Name: "exposure", Commands: "train tune",
		Help: "`column` of exposures of counts, such as years insured: the model predicts counts in proportion to them, " +
			"and " +
			"the report measures rates"},
	{Name: "weight", Commands: "eval",
		Help: "`column` with a positive weight for each row (default: the weight column of the model; '' for no weights)"},
	{Name: "positive", Commands: "train tune", Help: "positive class, one of the two `value`s of --target (default: true, 1, yes or the greater number, else the " +
		"last in alphabetical order)"},
	{Name: "positive", Commands: "eval",
		Help: "with --predictions: the `value` of --target, one of two, whose probability the scores give"},
	{Name: "keep", Commands: "predict*", Help: "`columns` of the table to copy to the output, unchanged",
		Value: func(s *Settings) *setting.Value { return setting.List(&s.Keep, nil) }},
}

var featureOptions = []Option{
	{Name: "impute", Commands: "train* tune*",
		Help: "missing numbers in features: stop with an error, fill in the mean or the median, or drop the rows"},
	{Name: "categorical", Commands: "train tune", Help: "numeric `columns` to treat as categories"},
	{Name: "min-count", Commands: "train tune",
		Help: "merge levels with fewer training `rows`, and unseen levels, into one level, (other)"},
	{Name: "group-features", Commands: "train tune",
		Help: "whether group columns are features: no (for example because the law forbids it, or the group is unknown at " +
			"prediction); shared (all groups have the same coefficients for the other features); pooled (every group has its " +
			"own coefficients, shrunk towards common ones, and so has every combination of groups of several columns if that " +
			"is " +
			"measurably better); auto (pooled if that is measurably better in cross-validation, else shared)"},
	{Name: "scale", Commands: "train tune",
		Help: "how numbers are scaled: standard (numeric features and a numeric target are standardised by mean and standard " +
			"deviation of the training rows); max (numeric features are divided by their largest absolute value in these " +
			"rows, so that 0 stays 0); none. Entries of sparse vectors are never centred, so standard treats them like max"},
	{Name: "target-transform", Commands: "train tune",
		Help: "fit the logarithm of a numeric target, or of 1 + target; predictions and report are in the target's own " +
			"units"},
	{Name: "transform", Commands: "train tune",
		Help: "transform numeric columns, `column:how`, as in income:log,age:spline4: log replaces the column by its " +
			"logarithm, square adds its square, spline4 replaces it by a natural cubic spline with 4 knots at quantiles (3 " +
			"to 20 knots)"},
	{Name: "interact", Commands: "train tune",
		Help: "add the product of two features, `column:column`, each a number or a category"},
	{Name: "intercept", Commands: "train tune", Help: "fit an unpenalised intercept"},
}

var holdoutOptions = []Option{
	{Name: "holdout", Commands: "train*",
		Help: "`rows` to measure the model on: 0.2 (a random proportion); time:COLUMN (the latest rows); units:COLUMN " +
			"(whole units, such as persons); split:COLUMN (with the values train and test); file:FILE (another table); " +
			"crossfit (all rows: five more models, each predicting the fifth of the rows that it was not trained on); auto (crossfit below 2000 rows, else 0.2)",
		Short: "`rows` to measure: 0.2, time:COLUMN, units:COLUMN, split:COLUMN, file:FILE, crossfit",
		Value: func(s *Settings) *setting.Value { return holdoutValue(s, true) }},
	{Name: "holdout", Commands: "tune inspect",
		Help: "`rows` to leave out: 0.2 (a random proportion); time:COLUMN (the latest rows); units:COLUMN (whole units, " +
			"such as persons); split:COLUMN (with the values train and test); file:FILE (another table)",
		Value: func(s *Settings) *setting.Value { return holdoutValue(s, false) }},
}

var readingOptions = []Option{
	{Name: "no-header", Commands: "train tune eval predict inspect",
		Help: "the first line of a text file holds values, not names; the columns are called column_1, column_2, …"},
	{Name: "na", Commands: "train tune eval predict inspect",
		Help: "`texts` to read as missing values: --na '?,-999', or in one column: --na age=88,99"},
	{Name: "delimiter", Commands: "train tune eval predict inspect",
		Help: "`character` between the fields of text files (default: comma, semicolon, tab or |, guessed from the first " +
			"lines)"},
	{Name: "decimal", Commands: "train tune eval predict inspect",
		Help: "decimal `mark` of numbers in text files: . or ,"},
	{Name: "thousands", Commands: "train tune eval predict inspect",
		Help: "thousands `mark` of numbers in text files: , . ' _ or a space"},
	{Name: "strip", Commands: "train tune eval predict inspect",
		Help: "`characters` to strip from both ends of numbers in text files: '%$€'"},
	{Name: "relabel", Commands: "train tune eval predict inspect",
		Help: "rename text values, OLD->NEW, before types are decided: --relabel '<=50K.-><=50K,>50K.->>50K'; separate " +
			"`texts` by commas"},
	{Name: "dates", Commands: "train tune eval predict inspect",
		Help: "what a date or time column becomes: number, days since 1970; parts, its year, month, weekday with 0 for Sunday, " +
			"and hour; drop, nothing"},
	{Name: "date-order", Commands: "train tune eval predict inspect",
		Help: "order of day and month in dates such as 3/4/2024 (default: the order that the other rows show)"},
	{Name: "time-zone", Commands: "train tune inspect",
		Help: "time `zone`, such as Europe/Berlin, in which --dates parts reads the hour of times with a zone (default: " +
			"the zone of the column)"},
	{Name: "numeric", Commands: "train tune inspect",
		Help: "`columns` with leading zeros to read as numbers, not as text"},
}

// holdoutValue returns the value of --holdout; crossfit says whether cross-fitting is allowed.
func holdoutValue(s *Settings, crossfit bool) *setting.Value {
	before, set := "", s.Config.Options()["holdout"].Set
	return setting.KeepingText("rows", Auto, func(text string) error {
		if before != "" && before != text {
			return setting.Must("be given once: it is also "+before,
				"a proportion may stand before time: and units:, as in --holdout 0.3,time:date")
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
	return setting.New("string", func() string { return strings.Join(*p, "") },
		func(text string) error { *p = []string{text}; return nil })
}
