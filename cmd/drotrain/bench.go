package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
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
			return exit.WithCode(exit.Usage, nil, "start with `drotrain bench methods`")
		},
		Args: cobra.ArbitraryArgs,
	}
	cmd.AddCommand(newBenchMethods(a))
	return cmd
}

func newBenchMethods(a *app) *cobra.Command {
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
  drotrain bench methods --data loans.parquet --target deny --nu 0.5 --out cmp
  drotrain bench methods --data builtin:cps1988 --loss huber:2 --nu 1`,
		Args: noArgs,
	}
	a.define(cmd, options.Bench, func(ctx context.Context, s *options.Settings, fs *pflag.FlagSet, _ []string) error {
		return (&benchMethods{trainOptions{Settings: s}}).run(ctx, a, fs)
	})
	return cmd
}
