package options

import (
	"github.com/drotrain/drotrain/internal/setting"
)

var robustnessOptions = []Option{
	{Name: "protect", Commands: "train*", Aliases: "cvar cvar-alpha", Help: "CVaR: protect every subgroup of at least this proportion of the rows"},
	{Name: "nu", Commands: "train*", Help: "ν ≥ 0: penalty coefficient of the divergence; small is cautious, large tends to ERM"},
	{Name: "radius", Commands: "train", Aliases: "rho", Help: "ρ > 0: protect against every reweighting within this divergence"},
	{Name: "ess", Commands: "train", Help: "protect against every reweighting with an effective sample size of at least this proportion of the rows: Kish's with --penalty chi2, the perplexity with kl"},
	{Name: "average", Commands: "train", Help: "no adversary: ERM (plain); ERM with the same total weight for every group (balanced) or with weights half-way to it (half-balanced); or the mean of models on ten balanced subsets (subsets)"},
	{Name: "penalty", Commands: "train", Help: "divergence that limits the adversary"},
	{Name: "adversary", Commands: "train*", Help: "whether the adversary weights rows or groups (default rows); groups need --nu (0: group DRO) or --radius"},
	{Name: "group-adjust", Commands: "train", Help: "C ≥ 0: add C/√n to the risk of a group of n rows"},
}

var choiceOptions = []Option{
	{Name: "select", Commands: "train* tune*", Help: "criterion to minimise by cross-validation: the risk of the worst group, its error rate, the average risk, the worst tenth of the losses, or (worst group + rate · average)/(1 + rate) (default: with --groups trade-off, or worst-group-accuracy for classes with 50 or more features that are numbers and no group among them; else tail)", Short: "criterion of the choice: worst-group, worst-group-accuracy, average, tail or trade-off (default: trade-off with --groups, else tail)"},
	{Name: "folds", Commands: "train tune", Help: "cross-validation folds (default 3)"},
	{Name: "rate", Commands: "tune*", Help: "weight of the average risk in --select trade-off; the worst group's risk has weight 1", Value: func(s *Settings) *setting.Value { return setting.AtLeastZero(&s.Config.Rate) }},
	{Name: "budget", Commands: "train tune*", Help: "largest accepted increase of the average risk, as a proportion of ERM's (default 0.01 with --select tail, 0 without --groups and --select)"},
	{Name: "learning-curve", Commands: "tune", Help: "also estimate the risks of ERM and of the chosen level by the number of training rows", Value: func(s *Settings) *setting.Value { return setting.Switch(&s.Config.LearningCurve) }},
}

var solverOptions = []Option{
	{Name: "loss", Commands: "train tune", Help: "loss (default: by the target); huber:2 is linear for residuals beyond δ = 2 (default 1); poisson is for counts, with the logarithm of their mean; quantile:0.9 predicts the value that 90 % stay below"},
	{Name: "loss", Commands: "eval", Help: "with --predictions: loss (default: by the task); huber:2 is linear for residuals beyond δ = 2 (default 1); poisson is for counts, with the logarithm of their mean; quantile:0.9 predicts the value that 90 % stay below"},
	{Name: "mu", Commands: "train tune", Help: "μ ≥ 0: ridge penalty, coefficient of ½‖x‖² (default 1/n, or chosen together with the level)"},
	{Name: "solver", Commands: "train", Help: "auto takes newton if the losses have second derivatives, and notes its choice"},
	{Name: "gap", Commands: "train", Help: "relative optimality gap to certify"},
	{Name: "max-passes", Commands: "train", Help: "largest number of passes over the rows in a solve; one is always made"},
	{Name: "seed", Commands: "train tune eval", Help: "random seed of hold-out, folds, resamples and stochastic solvers"},
	{Name: "storage", Commands: "train tune", Help: "encoded rows in memory: float32 takes half the memory, rounded; auto takes sparse if few cells are nonzero, else float64"},
	{Name: "memory", Commands: "train tune eval", Help: "memory to use, such as 400MB or 12GB; rows beyond it are stored on disk; 0 stores all on disk (default: what the system allows)", Effect: storage},
	{Name: "cache", Commands: "train tune eval", Help: "`directory` for rows on disk, in unnamed files (default: that of --out)", Effect: storage},
	{Name: "threads", Commands: "train tune", Help: "threads, 0 for all processors; results do not depend on it", Effect: display, Value: func(s *Settings) *setting.Value { return setting.Count(&s.Threads, 0) }},
}
