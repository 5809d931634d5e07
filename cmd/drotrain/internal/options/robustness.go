package options

import (
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/tune"
)

var penalties = []string{"kl", "chi2"}

var robustnessOptions = []Option{
	{Name: "protect", Commands: "train*", Aliases: "cvar cvar-alpha", Help: "CVaR: protect every subgroup of at least this proportion of the rows", Value: func(s *Settings) pflag.Value { return OptionalShare(&s.Config.Protect) }},
	{Name: "nu", Commands: "train*", Help: "ν ≥ 0: penalty coefficient of the divergence; small is cautious, large tends to ERM", Value: func(s *Settings) pflag.Value { return OptionalAtLeastZero(&s.Config.Nu) }},
	{Name: "nu", Commands: "bench*", Help: "ν ≥ 0: penalty coefficient of the divergence", Value: func(s *Settings) pflag.Value { return AtLeastZero(s.Config.Nu) }},
	{Name: "radius", Commands: "train", Aliases: "rho", Help: "ρ > 0: protect against every reweighting within this divergence", Value: func(s *Settings) pflag.Value { return OptionalPositive(&s.Config.Radius) }},
	{Name: "ess", Commands: "train", Help: "protect against every reweighting with an effective sample size of at least this proportion of the rows: Kish's with --penalty chi2, the perplexity with kl", Value: func(s *Settings) pflag.Value { return OptionalShare(&s.Config.Ess) }},
	{Name: "average", Commands: "train", Help: "no adversary: ERM, or ERM with the same total weight for every group", Value: func(s *Settings) pflag.Value { return Enum(&s.Config.Average, []string{"plain", "balanced"}) }},
	{Name: "penalty", Commands: "train bench", Help: "divergence that limits the adversary", Value: func(s *Settings) pflag.Value { return Enum(&s.Config.Penalty, penalties) }},
	{Name: "adversary", Commands: "train*", Help: "whether the adversary weights rows or groups (default rows); groups need --nu (0: group DRO) or --radius", Value: func(s *Settings) pflag.Value { return Enum(&s.Config.Adversary, []string{"rows", "groups"}) }},
	{Name: "group-adjust", Commands: "train", Help: "C ≥ 0: add C/√n to the risk of a group of n rows", Value: func(s *Settings) pflag.Value { return AtLeastZero(&s.Config.Adjust) }},
}

var choiceOptions = []Option{
	{Name: "select", Commands: "train* tune*", Help: "criterion to minimise by cross-validation (default: worst-group with --groups, else tail)", Short: "criterion of the choice: worst-group, worst-group-accuracy, tail or average (default: worst-group with --groups, else tail)", Value: func(s *Settings) pflag.Value { return Enum(&s.Config.Select, tune.Criteria) }},
	{Name: "folds", Commands: "train tune", Help: "cross-validation folds (default 3)", Value: func(s *Settings) pflag.Value { return AtLeast(&s.Config.Folds, 2) }},
	{Name: "rate", Commands: "tune*", Help: "required decrease of the worst group's risk per unit increase of the average risk", Value: func(s *Settings) pflag.Value { return AtLeastZero(&s.Config.Rate) }},
	{Name: "budget", Commands: "train tune*", Help: "largest accepted increase of the average risk, as a proportion of ERM's (default 0.01 with --select tail, 0 without --groups and --select)", Value: func(s *Settings) pflag.Value { return OptionalAtLeastZero(&s.Config.Budget) }},
	{Name: "learning-curve", Commands: "tune", Help: "also estimate the risks of ERM and of the chosen level by the number of training rows", Value: func(s *Settings) pflag.Value { return Switch(&s.Config.LearningCurve) }},
}

var solverOptions = []Option{
	{Name: "loss", Commands: "train tune bench", Help: "loss (default: by the target); huber:2 is linear for residuals beyond δ = 2 (default 1)", Value: Loss},
	{Name: "loss", Commands: "eval", Help: "with --predictions: loss (default: by the task); huber:2 is linear for residuals beyond δ = 2 (default 1)", Value: Loss},
	{Name: "mu", Commands: "train tune bench", Help: "μ ≥ 0: ridge penalty, coefficient of ½‖x‖² (default 1/n, or chosen together with the level)", Value: func(s *Settings) pflag.Value { return OptionalAtLeastZero(&s.Config.Mu) }},
	{Name: "solver", Commands: "train", Help: "auto takes newton if the losses have second derivatives, and notes its choice", Value: func(s *Settings) pflag.Value { return Enum(&s.Config.Solver, train.Solvers()) }},
	{Name: "gap", Commands: "train", Help: "relative optimality gap to certify", Value: func(s *Settings) pflag.Value { return Positive(&s.Config.Gap) }},
	{Name: "gap", Commands: "bench", Help: "relative optimality gap to reach", Value: func(s *Settings) pflag.Value { return Positive(&s.Config.Gap) }},
	{Name: "max-passes", Commands: "train", Help: "largest number of passes over the rows in a solve; one is always made", Value: func(s *Settings) pflag.Value { return Positive(&s.Config.MaxPasses) }},
	{Name: "max-passes", Commands: "bench", Help: "stop a method after this many passes over the data", Value: func(s *Settings) pflag.Value { return Positive(&s.Config.MaxPasses) }},
	{Name: "seed", Commands: "train tune eval bench", Help: "random seed of hold-out, folds, resamples and stochastic solvers", Value: func(s *Settings) pflag.Value { return Seed(&s.Config.Seed) }},
	{Name: "storage", Commands: "train tune", Help: "encoded rows in memory: float32 takes half the memory, rounded; auto takes sparse if few cells are nonzero, else float64", Value: func(s *Settings) pflag.Value { return Enum(&s.Config.Storage, data.Storages()) }},
	{Name: "memory", Commands: "train tune eval", Help: "memory to use, as 400MB or 12GB; rows beyond it are stored on disk; 0 stores all on disk (default: what the system allows)", Effect: storage, Value: Memory},
	{Name: "cache", Commands: "train tune eval", Help: "`directory` for rows on disk, in unnamed files (default: that of --out)", Effect: storage, Value: func(s *Settings) pflag.Value { return Text(&s.Config.Cache) }},
	{Name: "threads", Commands: "train tune bench", Help: "threads, 0 for all processors; results do not depend on it", Effect: display, Value: func(s *Settings) pflag.Value { return Count(&s.Threads) }},
}
