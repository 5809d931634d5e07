package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/tune"
)

// defineLevel adds the options that say how robust a model is to be.
func defineLevel(cmd *cobra.Command, c *train.Config) {
	options.Section(cmd, "Level of robustness: one of these, or the data choose", func(fs *pflag.FlagSet) {
		fs.Var(options.Enum(&c.Average, []string{"plain", "balanced"}), "average", "an average instead: plain (ERM), or with the same weight for every group")
		fs.Var(options.OptionalShare(&c.Ess), "ess", "robust to every reweighting that leaves this share of the rows effective")
		fs.Var(options.OptionalShare(&c.Protect), "protect", "every subgroup of at least this share of the rows (CVaR)")
		fs.Var(options.Optional(&c.Confidence, "be above 0.5 and below 1", func(x float64) bool { return x > 0.5 && x < 1 }),
			"bound-confidence", "the risk becomes an upper bound of the population's, at this confidence")
		fs.Var(options.OptionalPositive(&c.Radius), "radius", "ρ > 0: every reweighting of at most this divergence")
		fs.Var(options.OptionalAtLeastZero(&c.Nu), "nu", "ν ≥ 0: price of the divergence; small is cautious, large tends to ERM")
		fs.Var(options.Enum(&c.Penalty, penaltyNames), "penalty", "divergence that keeps the adversary near the data")
		fs.Var(options.Enum(&c.Adversary, []string{"rows", "groups"}), "adversary", "what the adversary weighs (default rows); groups take --nu (0: group DRO) or --radius")
		fs.Var(options.Enum(&c.Prior, []string{"shares", "equal"}), "adversary-prior", "weights of the groups that cost nothing: their shares of the rows (default), or equal ones")
		fs.Var(options.Enum(&c.Among, []string{"crossed", "each"}), "adversary-groups", "groups of all columns crossed (default), or those of each column, which overlap")
		fs.Var(options.AtLeastZero(&c.Adjust), "group-adjust", "C ≥ 0: C/√n is added to the risk of a group of n rows")
	})
}

// defineChoice adds the options that say how the data choose the level.
func defineChoice(cmd *cobra.Command, c *train.Config) {
	options.Section(cmd, "Choice of the level by cross-validation", func(fs *pflag.FlagSet) {
		fs.Var(options.Enum(&c.Select, tune.Criteria), "select", "criterion to minimise out of fold (default: worst-group with --groups, else tail)")
		fs.Var(options.AtLeast(&c.Folds, 2), "folds", "folds of the training rows (default 3)")
		fs.Var(options.AtLeastZero(&c.Rate), "rate", "what the worst group must gain for every unit that the average loses")
		fs.Var(options.OptionalAtLeastZero(&c.Budget), "budget", "largest rise of the average, a share of ERM's (default 0.01 with --select tail, 0 without --groups and --select)")
	})
}
