package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/tune"
)

// defineLevel adds the options that say how robust a model is to be.
func defineLevel(cmd *cobra.Command, c *train.Config) {
	section(cmd, "Level of robustness: one of these, or the data choose", func(fs *pflag.FlagSet) {
		fs.Var(&enumValue{&c.Average, []string{"plain", "balanced"}}, "average", "an average instead: plain (ERM), or with the same weight for every group")
		fs.Var(optionalShare(&c.Ess), "ess", "robust to every reweighting that leaves this share of the rows effective")
		fs.Var(optionalShare(&c.Protect), "protect", "every subgroup of at least this share of the rows (CVaR)")
		fs.Var(&floatValue{get: optional(&c.Confidence), set: func(x float64) { c.Confidence = &x }, must: "be above 0.5 and below 1",
			valid: func(x float64) bool { return x > 0.5 && x < 1 }}, "confidence", "the risk becomes an upper bound of the population's, at this confidence")
		fs.Var(optionalPositive(&c.Radius), "radius", "ρ > 0: every reweighting of at most this divergence")
		fs.Var(optionalAtLeastZero(&c.Nu), "nu", "ν ≥ 0: price of the divergence; small is cautious, large tends to ERM")
		fs.Var(&enumValue{&c.Penalty, penaltyNames}, "penalty", "divergence that keeps the adversary near the data")
		fs.Var(&enumValue{&c.Adversary, []string{"rows", "groups"}}, "adversary", "what the adversary weighs (default rows); groups take --nu (0: group DRO) or --radius")
		fs.Var(&enumValue{&c.Prior, []string{"shares", "equal"}}, "adversary-prior", "weights of the groups that cost nothing: their shares of the rows (default), or equal ones")
		fs.Var(atLeastZero(&c.Adjust), "group-adjust", "C ≥ 0: C/√n is added to the risk of a group of n rows")
	})
}

// defineChoice adds the options that say how the data choose the level.
func defineChoice(cmd *cobra.Command, c *train.Config) {
	section(cmd, "Choice of the level by cross-validation", func(fs *pflag.FlagSet) {
		fs.Var(&enumValue{&c.Select, tune.Criteria}, "select", "what is to fall (default: worst-group with --groups, else tail)")
		fs.Var(&countValue{&c.Folds}, "folds", "folds of the training rows")
		fs.Var(&countValue{&c.Levels}, "levels", "prices tried of each adversary over rows")
		fs.Var(atLeastZero(&c.Rate), "rate", "what the worst group must gain for every unit that the average loses")
		fs.Var(optionalAtLeastZero(&c.Budget), "budget", "largest rise of the average, a share of ERM's (default 0.01 for tail)")
		fs.Var(&enumValue{&c.Rule, tune.Rules}, "rule", "take the best, or the simplest within one standard error of it")
	})
}

func optional(p **float64) func() (float64, bool) {
	return func() (float64, bool) {
		if *p == nil {
			return 0, false
		}
		return **p, true
	}
}

func optionalShare(p **float64) *floatValue {
	return &floatValue{get: optional(p), set: func(x float64) { *p = &x }, must: "be above 0 and at most 1",
		valid: func(x float64) bool { return x > 0 && x <= 1 }}
}
