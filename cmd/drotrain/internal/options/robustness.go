package options

import (
	"github.com/drotrain/drotrain/internal/setting"
	"github.com/drotrain/drotrain/train/level"
)

var robustnessOptions = append(kindOptions(), []Option{
	{Name: "penalty", Commands: "train", Help: level.PenaltyHelp()},
	{Name: "adversary", Commands: "train*",
		Help: "what the adversary reweights: single rows or whole groups (default rows); groups requires --nu (0 for " +
			"group DRO) or --radius"},
	{Name: "group-adjust", Commands: "train",
		Help: "constant C ≥ 0; the risk of a group of n rows is increased by C/√n"},
}...)

// kindOptions returns the options that set the robustness, as listed in level.Kinds.
func kindOptions() (all []Option) {
	for _, k := range level.Kinds {
		if k.Option == "" {
			continue
		}
		o := Option{Name: k.Option, Commands: "train", Aliases: k.Aliases, Help: k.Help}
		if k.IsCommon {
			o.Commands += "*"
		}
		all = append(all, o)
	}
	return all
}

var choiceOptions = []Option{
	{Name: "select", Commands: "train* tune*",
		Help: "criterion that cross-validation minimises: worst-group (the risk of the worst group); " +
			"worst-group-accuracy (the error rate of the worst group); average (the average risk); tail (the mean of " +
			"the largest tenth of the losses); trade-off (the weighted mean (worst-group risk + r · average risk)/(1 + r), " +
			"where r is 2 or, in tune, --rate). " +
			"Without --groups, the default is tail. With --groups, it is worst-group-accuracy if the target has classes, " +
			"at least 50 features are numeric and no group column is a feature; otherwise it is trade-off",
		Short: "criterion that cross-validation minimises: worst-group, worst-group-accuracy, average, tail or " +
			"trade-off (the default depends on groups and features)"},
	{Name: "folds", Commands: "train tune", Help: "number of cross-validation folds (default 3)"},
	{Name: "validation", Commands: "train tune",
		Help: "`rows` on which the robustness is chosen (default: by cross-validation): FILE (another table) or " +
			"split:COLUMN (the rows in which COLUMN is \"validation\"). Candidates are trained on the training rows; " +
			"only those of --average validation-subsets are trained on the validation rows"},
	{Name: "rate", Commands: "tune*",
		Help:  "weight of the average risk in --select trade-off; the worst-group risk has weight 1",
		Value: func(s *Settings) *setting.Value { return setting.AtLeastZero(&s.Config.Rate) }},
	{Name: "budget", Commands: "train tune*",
		Help: "largest accepted increase in the average risk, as a proportion of ERM's average risk (default: 0.01 " +
			"with --select tail, 0 if neither --groups nor --select is given, otherwise no limit)"},
	{Name: "learning-curve", Commands: "tune",
		Help:  "also estimate how the risks of ERM and the chosen model decrease as training rows are added",
		Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Config.LearningCurve) }},
}

var solverOptions = []Option{
	{Name: "loss", Commands: "train tune",
		Help: "loss to minimise (the default depends on the target); logistic is for classes; squared, huber and " +
			"quantile are for numbers; poisson is for counts and models the logarithm of their mean. huber:2 is " +
			"linear for residuals beyond δ = 2 standard deviations of the target or, with --scale none, 2 units " +
			"(default: huber:1). quantile:0.9 predicts the value that 90 % of the targets do not exceed"},
	{Name: "loss", Commands: "eval",
		Help: "with --predictions: loss to compute (the default depends on the task); logistic is for classes; " +
			"squared, huber and quantile are for numbers; poisson is for counts. huber:2 is linear for residuals " +
			"beyond δ = 2 units of the target (default: huber:1). quantile:0.9 is for predictions that 90 % of the targets do not " +
			"exceed"},
	{Name: "mu", Commands: "train tune",
		Help: "coefficient μ ≥ 0 of the ridge penalty ½μ‖x‖² (default: 1/n, or chosen by cross-validation together " +
			"with the robustness)"},
	{Name: "solver", Commands: "train",
		Help: "solution method; auto selects newton if the loss has second derivatives, and reports the selected method"},
	{Name: "gap", Commands: "train", Help: "relative optimality gap to certify, at which the solver stops"},
	{Name: "max-passes", Commands: "train",
		Help: "largest number of passes over the rows per solve; the first pass is always made"},
	{Name: "seed", Commands: "train", Help: "random seed for the hold-out split, folds, resamples and stochastic solvers"},
	{Name: "seed", Commands: "tune", Help: "random seed for the hold-out split and folds"},
	{Name: "seed", Commands: "eval", Help: "with --predictions: random seed for resamples"},
	{Name: "storage", Commands: "train tune",
		Help: "how encoded rows are stored in memory: float32 halves the memory but rounds the numbers; auto selects " +
			"sparse if few cells are nonzero, otherwise float64"},
	{Name: "memory", Commands: "train tune eval",
		Help: "memory limit, such as 400MB; rows that do not fit are stored on disk; 0 stores all rows on disk " +
			"(default: the memory that the system allows)", Effect: storage},
	{Name: "memory", Commands: "predict inspect",
		Help: "memory limit, such as 400MB; a table that needs more memory is refused (default: the memory that the " +
			"system allows)", Effect: storage},
	{Name: "cache", Commands: "train tune",
		Help: "`directory` for rows stored on disk; the files are unnamed and disappear when the process ends " +
			"(default: the directory of --out)",
		Effect: storage},
	{Name: "cache", Commands: "eval",
		Help: "`directory` for rows stored on disk; the files are unnamed and disappear when the process ends " +
			"(default: the directory of --out or, without --out, the current directory)",
		Effect: storage},
	{Name: "threads", Commands: "train tune",
		Help: "number of threads, or 0 for all processors; the results do not depend on this number", Effect: display,
		Value: func(s *Settings) *setting.Value { return setting.Count(&s.Threads, 0) }},
}
