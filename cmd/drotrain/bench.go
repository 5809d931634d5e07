package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

func newBench(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "bench",
		Short:   "Compare the methods on one problem",
		Long:    "Compare the methods of drotrain, and baselines, on one problem.",
		Example: `  drotrain bench methods`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			cmd.SetOut(a.stderr)
			_ = cmd.Help()
			return exit.With(exit.Usage, nil, "start with `drotrain bench methods`")
		},
		Args: cobra.ArbitraryArgs,
	}
	cmd.AddCommand(newBenchMethods(a))
	return cmd
}

// benchOutput are the options about output.
type benchOutput struct {
	out   string
	force bool
	json  bool
	quiet bool
}

func (o *benchOutput) define(cmd *cobra.Command, out, what string) {
	options.Section(cmd, "Output", func(fs *pflag.FlagSet) {
		fs.StringVar(&o.out, "out", out, "`directory` for "+what)
		fs.BoolVar(&o.force, "force", false, "replace the files of an earlier run in that directory")
		fs.BoolVar(&o.json, "json", false, "print one JSON object on stdout")
		fs.BoolVar(&o.quiet, "quiet", false, "no notes on stderr")
	})
}

func newBenchMethods(a *app) *cobra.Command {
	o := &benchMethods{}
	cmd := &cobra.Command{
		Use:                   "methods [options]",
		DisableFlagsInUseLine: true,
		Short:                 "Run every method on one problem",
		Long: `Run every method on the problem that train would solve on all rows, from zero,
and tell the passes over the data and the seconds to certified relative gaps.
Baselines: L-BFGS on the exact objective, and a mini-batch stochastic
subgradient method whose step size is tuned beforehand.

A pass is every row touched once; the checks that certify a point and the
Hessians of the practical schedules are counted.`,
		Example: `  drotrain bench methods
  drotrain bench methods --data loans.parquet --target deny --nu 0.5 --out cmp`,
		Args: noArgs,
	}
	o.train.cfg = train.DefaultConfig()
	c := &o.train.cfg
	options.Section(cmd, "Data", func(fs *pflag.FlagSet) {
		defineColumns(fs, c, "rows", "builtin:hmda")
	})
	options.Section(cmd, "Objective", func(fs *pflag.FlagSet) {
		defineLoss(fs, c)
		fs.Var(options.Enum(&c.Penalty, penaltyNames), "penalty", "divergence that keeps the adversary near the data")
		c.Nu = level.At(1)
		fs.Var(options.AtLeastZero(c.Nu), "nu", "ν ≥ 0: price of the divergence")
		fs.Var(options.OptionalAtLeastZero(&c.Mu), "mu", "μ ≥ 0: weight of ½‖x‖² (default 1/n)")
	})
	options.Section(cmd, "Comparison", func(fs *pflag.FlagSet) {
		c.Gap, c.MaxPasses = 1e-9, 500
		fs.Var(options.Positive(&c.Gap), "gap", "relative gap at which a method is done")
		fs.Var(options.Positive(&c.MaxPasses), "max-passes", "stop a method after this many passes over the data")
		fs.Var(options.Seed(&c.Seed), "seed", "seed of the stochastic methods")
		fs.Var(options.Count(&o.train.threads), "threads", "threads, 0 for all processors; never changes a result")
	})
	o.define(cmd, "drotrain-bench-methods", "bench-methods.json and the figures")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), a, cmd.Flags()) }
	return cmd
}
