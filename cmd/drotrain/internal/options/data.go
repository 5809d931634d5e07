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
		Help:  "model `files`, or output directories of train; the first model is the baseline for the others",
		Value: func(s *Settings) *setting.Value { return setting.List(&s.Models, nil) }},
	{Name: "model", Commands: "predict* export* verify*", Help: "model `file`, or output directory of train",
		Value: func(s *Settings) *setting.Value { return singleElement(&s.Models) }},
	{Name: "model-variant", Commands: "eval predict export",
		Help: "model to use from the file: recommended (by train), robust (the trained model), erm (the standard " +
			"model), balanced (group-balanced ERM) or rescaled (ERM with rescaled scores) (default: \"recommended\" if " +
			"cross-validation chose the robustness, otherwise \"robust\")",
		Value: func(s *Settings) *setting.Value { return setting.Enum(&s.Variant, train.Variants()) }},
}

var dataOptions = []Option{
	{Name: "data", Commands: "train* tune*", Help: "training rows: " + tableHelp + " (default builtin:digits)"},
	{Name: "data", Commands: "eval*",
		Help:  "rows to evaluate on: " + tableHelp + " (default: the hold-out or out-of-fold rows of the training run)",
		Short: "rows to evaluate on: " + tableHelp + " (default: hold-out or out-of-fold rows)"},
	{Name: "data", Commands: "predict*", Help: "rows to score: " + tableHelp},
	{Name: "data", Commands: "verify*", Help: "table that the model was trained on: " + tableHelp},
	{Name: "data", Commands: "inspect", Help: "`file` to describe, as an alternative to the argument FILE"},
	{Name: "trained-on", Commands: "eval",
		Help: "`table` that the model was trained on; needed without --data unless that table is a built-in data set or " +
			"lies in the model's folder",
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.TrainedOn) }},
	{Name: "predictions", Commands: "eval*",
		Help:  "`table` with the predictions of any program, to be evaluated instead of --model",
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.Predictions) }},
	{Name: "proof", Commands: "verify*", Help: "`file` that drotrain train --proof wrote",
		Value: func(s *Settings) *setting.Value { return setting.Text(&s.Proof) }},
	{Name: "target", Commands: "train* tune*", Help: "`column` to predict"},
	{Name: "target", Commands: "eval*", Aliases: "label", Help: "with --predictions: `column` with the actual outcome"},
	{Name: "target", Commands: "inspect*",
		Help: "`column` to predict; with this option, inspect also suggests how to train"},
	{Name: "score", Commands: "eval*",
		Help: "with --predictions: `columns` with the scores of each model, written as COLUMN or NAME=COLUMN; the " +
			"first model is the baseline; for more than two classes, p_* refers to one column per class",
		Short: "with --predictions: `columns` with scores; the first model is the baseline",
		Value: func(s *Settings) *setting.Value { return setting.List(&s.Scores, nil) }},
	{Name: "groups", Commands: "train* tune*",
		Help: "`columns` whose values define groups; with several columns, the combinations of their values are " +
			"groups too"},
	{Name: "groups", Commands: "eval*",
		Help: "`columns` whose values define groups; with several columns, the combinations of their values are " +
			"groups too (default: the group columns of --model)",
		Short: "`columns` whose values define groups (default: the group columns of --model)"},
	{Name: "groups", Commands: "inspect",
		Help: "`columns` whose values define groups; inspect then reports whether train would use them as features"},
	{Name: "features", Commands: "train tune",
		Help: "`columns` to use as features (default: all columns that have no other role)"},
	{Name: "columns", Commands: "eval",
		Help: "with --predictions: `columns` whose values define the slices that are searched for high risk (default: " +
			"all columns that have no other role)",
		Value: func(s *Settings) *setting.Value { return setting.List(&s.Columns, nil) }},
	{Name: "drop", Commands: "train* tune*", Help: "`columns` to ignore"},
	{Name: "drop", Commands: "eval", Help: "with --predictions: `columns` that do not define slices"},
	{Name: "filter", Commands: "train* tune*",
		Help: "train only on rows that satisfy the `condition`; for example, 'age >= 18 && state != \"PR\"'"},
	{Name: "filter", Commands: "eval",
		Help: "evaluate only on rows of the table that satisfy the `condition`; for example, 'age >= 18 && state != " +
			"\"PR\"'"},
	{Name: "training-filter", Commands: "eval", Help: "apply the --filter of the training run to --data, in addition to --filter",
		Value: func(s *Settings) *setting.Value { return setting.Switch(&s.TrainingFilter) }},
	{Name: "strict", Commands: "eval predict",
		Help: "fail with exit code 4 if columns of --data differ from the training rows beyond the drift limits " +
			"(default: warn)",
		Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Strict) }},
	{Name: "weight", Commands: "train tune inspect",
		Help: "`column` with positive row weights, such as survey weights; a row of weight 2 counts as two identical rows"},
	{Name: "exposure", Commands: "train tune",
		Help: "`column` with the exposure of each count, such as insured years; predicted counts are proportional " +
			"to the exposure, and the report shows rates"},
	{Name: "weight", Commands: "eval",
		Help: "`column` with positive row weights (default: the weight column of --model); --weight '' uses no " +
			"weights"},
	{Name: "positive", Commands: "train tune",
		Help: "`value` of --target that is the positive class, if --target has two values (default: true, 1, yes or " +
			"the greater number; otherwise the last value in alphabetical order)"},
	{Name: "positive", Commands: "eval",
		Help: "with --predictions: `value` of --target whose probability is the score, if --target has two values"},
	{Name: "keep", Commands: "predict*", Help: "`columns` of the table that are copied to the output unchanged",
		Value: func(s *Settings) *setting.Value { return setting.List(&s.Keep, nil) }},
}

var featureOptions = []Option{
	{Name: "impute", Commands: "train* tune*",
		Help: "what to do about missing numbers in features: error (stop), mean or median (fill in), drop (drop " +
			"the rows)"},
	{Name: "categorical", Commands: "train tune", Help: "numeric `columns` to treat as categories"},
	{Name: "min-count", Commands: "train tune",
		Help: "smallest number of training `rows` of a level; rarer levels are merged into the level \"(other)\", which " +
			"then also stands for levels unseen in training (default: levels are not merged)"},
	{Name: "group-features", Commands: "train tune",
		Help: "how the model uses group columns: no (not as features, for example because a law forbids it); " +
			"shared (as features; all groups share the coefficients of the other features); pooled (each group has " +
			"its own coefficients, shrunk towards common ones; combinations of groups have their own only if that " +
			"is measurably better); auto (pooled if that is measurably better in cross-validation, otherwise " +
			"shared)"},
	{Name: "scale", Commands: "train tune",
		Help: "how numbers are scaled: standard (numeric features and a numeric target are standardised by their means " +
			"and standard deviations in the training rows); max (numeric features are divided by their largest " +
			"absolute value in the training rows, so that 0 stays 0; a numeric target is standardised); none (no " +
			"scaling). Entries of sparse vectors are never centred; standard therefore scales them like max"},
	{Name: "target-transform", Commands: "train tune",
		Help: "transformation of a numeric target before fitting: log (its logarithm) or log1p (the logarithm of 1 + " +
			"target); predictions and the report use the original units"},
	{Name: "transform", Commands: "train tune",
		Help: "transformations of numeric columns, written as `column:how`, where how is log (replace the column by its " +
			"logarithm), square (add the square of the column) or spline4 (replace the column by a natural cubic " +
			"spline with 4 knots at its quantiles; any number from 3 to 20)"},
	{Name: "interact", Commands: "train tune",
		Help: "pairs of numeric or categorical features whose product is added as a feature, written as `column:column`"},
	{Name: "intercept", Commands: "train tune", Help: "fit an unpenalised intercept"},
}

const holdoutForms = "time:COLUMN (the latest rows); units:COLUMN (whole units, such as persons); 0.3,time:COLUMN or " +
	"0.3,units:COLUMN (that proportion); split:COLUMN (a column with the values train and test)"

var holdoutOptions = []Option{
	{Name: "holdout", Commands: "train*",
		Help: "hold-out `rows`, on which the model is evaluated: 0.2 (a random sample of that proportion; with 0, the " +
			"model is evaluated on the training rows); " + holdoutForms + "; file:FILE (another table); crossfit (all rows; " +
			"five additional models are trained, and each row is predicted by the one trained without it); auto (crossfit " +
			"for tables of fewer than 2000 rows, otherwise 0.2)",
		Short: "hold-out `rows`: 0.2, time:COLUMN, units:COLUMN, split:COLUMN, file:FILE, crossfit",
		Value: func(s *Settings) *setting.Value { return holdoutValue(s, true) }},
	{Name: "holdout", Commands: "tune",
		Help: "hold-out `rows`, which tune does not use: 0.2 (a random sample of that proportion); " + holdoutForms +
			"; file:FILE (another table); auto (0.2)",
		Value: func(s *Settings) *setting.Value { return holdoutValue(s, false) }},
	{Name: "holdout", Commands: "inspect",
		Help: "hold-out `rows` for the suggested command; a column named here is not a feature: 0.2 (a random sample of " +
			"that proportion); " + holdoutForms + "; file:FILE (another table); auto (units:COLUMN if the rows of a unit " +
			"are found to belong together, otherwise the default of train)",
		Value: func(s *Settings) *setting.Value { return holdoutValue(s, false) }},
}

var readingOptions = []Option{
	{Name: "no-header", Commands: "train tune eval predict inspect",
		Help: "read the first line of a text file as values, not as names; the columns are then called column_1, " +
			"column_2, …"},
	{Name: "na", Commands: "train tune eval predict inspect",
		Help: "cell `values` that mean a missing value; --na '?,-999' applies to all columns; --na age=88,99 applies to " +
			"the column age"},
	{Name: "delimiter", Commands: "train tune eval predict inspect",
		Help: "`character` between the fields of text files: comma, semicolon, tab or | (default: guessed from the " +
			"first lines)"},
	{Name: "decimal", Commands: "train tune eval predict inspect",
		Help: "decimal `separator` in text files: . or ,"},
	{Name: "thousands", Commands: "train tune eval predict inspect",
		Help: "thousands `separator` in text files: , . ' _ or a space"},
	{Name: "strip", Commands: "train tune eval predict inspect",
		Help: "`characters` to strip from both ends of numbers in text files; for example, '%$€'"},
	{Name: "relabel", Commands: "train tune eval predict inspect",
		Help: "`replacements` of cell values, as OLD->NEW, separated by commas; column types are determined " +
			"afterwards; for example, '<=50K.-><=50K,>50K.->>50K'"},
	{Name: "dates", Commands: "train tune eval predict inspect",
		Help: "use of date and time columns: number (days since 1970), parts (year, month, weekday with Sunday = " +
			"0, hour) or drop (not used) (default: text in text files; in other files, not features)"},
	{Name: "date-order", Commands: "train tune eval predict inspect",
		Help: "order of day and month in dates such as 3/4/2024 (default: the order of the unambiguous dates in the " +
			"same column)"},
	{Name: "time-zone", Commands: "train tune inspect",
		Help: "time `zone`, such as Europe/Berlin, to which --dates parts converts times with a zone (default: the " +
			"zone of the column)"},
	{Name: "numeric", Commands: "train tune inspect",
		Help: "`columns` to read as numbers even if values have leading zeros"},
}

// holdoutValue returns the value of --holdout; crossfit reports whether cross-fitting is allowed.
func holdoutValue(s *Settings, crossfit bool) *setting.Value {
	before, set := "", s.Config.Options()["holdout"].Set
	return setting.KeepingText("rows", Auto, func(text string) error {
		if before != "" && before != text {
			return setting.Must("be given only once, but was given before as "+before,
				"a proportion may stand before time: and units:, as in --holdout 0.3,time:date")
		}
		before = text
		if s.Evaluate = Auto; text == Auto {
			return nil
		}
		if err := set(text); err != nil {
			return setting.WithHint(err, "as in --holdout 0.2 or --holdout 0.3,time:date")
		}
		if s.Config.Evaluate == train.EvaluateCrossfit && !crossfit {
			return setting.Must("name hold-out rows: only drotrain train supports crossfit", "as in --holdout 0.2")
		}
		s.Evaluate = cmp.Or(s.Config.Evaluate, train.EvaluateHoldout)
		return nil
	})
}

// singleElement returns a value that sets a list to one element.
func singleElement(p *[]string) *setting.Value {
	return setting.New("string", func() string { return strings.Join(*p, "") },
		func(text string) error { *p = []string{text}; return nil })
}
