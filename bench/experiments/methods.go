package main

import (
	"context"
	"flag"
	"os"

	"github.com/drotrain/drotrain/bench/methods"
	"github.com/drotrain/drotrain/train"
)

func init() { register("methods", "every method of the library on one table", compare) }

func compare(ctx context.Context, fs *flag.FlagSet, args []string) error {
	cfg := train.DefaultConfig()
	fs.StringVar(&cfg.Data, "data", "builtin:hmda", "a table, or builtin:NAME")
	fs.StringVar(&cfg.Target, "target", "deny", "column to predict")
	fs.StringVar(&cfg.Loss, "loss", "", "logistic, squared or huber; empty: by the target")
	fs.StringVar(&cfg.Penalty, "penalty", cfg.Penalty, "kl or chi2")
	cfg.Nu = fs.Float64("nu", 1, "ν ≥ 0")
	fs.Float64Var(&cfg.Gap, "gap", 1e-9, "relative gap at which a method is done")
	fs.Float64Var(&cfg.MaxPasses, "max-passes", 500, "limit of every method")
	fs.Uint64Var(&cfg.Seed, "seed", 0, "of the stochastic methods")
	if err := parse(fs, args); err != nil {
		return err
	}
	frame, err := train.Open(ctx, cfg.Data)
	if err != nil {
		return err
	}
	problem, info, err := methods.NewProblem(ctx, frame, cfg)
	if err != nil {
		return err
	}
	r, err := methods.Compare(ctx, problem, info, methods.CompareOptions{
		Gap: cfg.Gap, MaxPasses: cfg.MaxPasses, Seed: cfg.Seed, Progress: note})
	if err != nil {
		return err
	}
	r.WriteText(os.Stdout)
	return nil
}
