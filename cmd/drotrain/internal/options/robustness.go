package options

import (
	"github.com/drotrain/drotrain/internal/setting"
	"github.com/drotrain/drotrain/train/level"
)

var robustnessOptions = append(kindOptions(), []Option{
	{Name: "penalty", Commands: "train", Help: level.PenaltyHelp()},
	{Name: "adversary", Commands: "train*",
		Help: "what the adversary reweights: rows, or whole groups (default rows); groups need --nu (0 is group DRO) or " +
			"--radius"},
	{Name: "group-adjust", Commands: "train", Help: "add C/√n to the risk of a group of n rows, C ≥ 0"},
}...)

// kindOptions returns the options that set the robustness, by the table of level.Kinds.
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
		Help: "criterion that cross-validation minimises: worst-group (the risk of the worst group); worst-group-accuracy " +
			"(its error rate); average (the average risk); tail (the mean of the worst tenth of the losses); trade-off, " +
			"(worst " +
			"group + rate · average)/(1 + rate) (default with --groups: trade-off, but worst-group-accuracy for classes with " +
			"50 " +
			"or more numeric features if no group is a feature; without --groups: tail)",
		Short: "criterion for cross-validation: worst-group, worst-group-accuracy, average, tail or trade-off (default: " +
			"by the groups and the features)"},
	{Name: "folds", Commands: "train tune", Help: "number of cross-validation folds (default 3)"},
	{Name: "validation", Commands: "train tune",
		Help: "`rows` that choose the robustness, in place of cross-validation: FILE (another table), or split:COLUMN " +
			"(the rows with the value validation); candidates are trained on the other rows, except " +
			"--average validation-subsets"},
	{Name: "rate", Commands: "tune*",
		Help:  "weight of the average risk in --select trade-off; the worst group's risk has weight 1",
		Value: func(s *Settings) *setting.Value { return setting.AtLeastZero(&s.Config.Rate) }},
	{Name: "budget", Commands: "train tune*",
		Help: "largest accepted increase of the average risk, as a proportion of ERM's average risk (default: 0.01 with " +
			"--select tail, 0 without --groups and --select, else no limit)"},
	{Name: "learning-curve", Commands: "tune",
		Help:  "also estimate how the risks of ERM and of the chosen model fall as training rows are added",
		Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Config.LearningCurve) }},
}

var solverOptions = []Option{
	{Name: "loss", Commands: "train tune",
		Help: "loss to minimise (the default depends on the target); logistic is for classes; squared, huber and quantile " +
			"are for numbers; poisson is for counts and models the logarithm of their mean; huber:2 is linear for residuals " +
			"beyond δ = 2 (default 1); quantile:0.9 predicts the value that 90 % of the targets do not exceed"},
	{Name: "loss", Commands: "eval",
		Help: "with --predictions: loss to measure (the default depends on the task); logistic is for classes; squared, " +
			"huber and quantile are for numbers; poisson is for counts and models the logarithm of their mean; huber:2 is " +
			"linear for residuals beyond δ = 2 (default 1); quantile:0.9 predicts the value that 90 % of the targets do not " +
			"exceed"},
	{Name: "mu", Commands: "train tune",
		Help: "ridge penalty μ ≥ 0, the coefficient of ½‖x‖² (default: 1/n, or chosen by cross-validation together with " +
			"the robustness)"},
	{Name: "solver", Commands: "train",
		Help: "solution method; auto takes newton if the loss has second derivatives, and reports its choice"},
	{Name: "gap", Commands: "train", Help: "relative optimality gap to certify; the solver stops there"},
	{Name: "max-passes", Commands: "train",
		Help: "largest number of passes over the rows per solve; at least one is made"},
	{Name: "seed", Commands: "train tune eval", Help: "random seed for hold-out, folds, resamples and stochastic solvers"},
	{Name: "storage", Commands: "train tune",
		Help: "how encoded rows are kept in memory: float32 halves the memory but rounds the numbers; auto takes sparse if few cells " +
			"are nonzero, else float64"},
	{Name: "memory", Commands: "train tune eval",
		Help: "memory limit, such as 400MB; rows that do not fit are stored on disk; 0 stores all rows on " +
			"disk (default: what the system allows)", Effect: storage},
	{Name: "memory", Commands: "predict inspect",
		Help: "memory limit, such as 400MB; a table that needs more is refused (default: what the " +
			"system " +
			"allows)", Effect: storage},
	{Name: "cache", Commands: "train tune eval",
		Help:   "`directory` for rows stored on disk; the files are unnamed and vanish with the process (default: the directory of --out)",
		Effect: storage},
	{Name: "threads", Commands: "train tune",
		Help: "number of threads, 0 for all processors; the results do not depend on it", Effect: display,
		Value: func(s *Settings) *setting.Value { return setting.Count(&s.Threads, 0) }},
}
