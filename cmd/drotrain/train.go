package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
)

// defaultOut is the output directory of train without --out.
var defaultOut = options.Defaults(options.Train).Out

// trainOptions holds the settings of a training and its state.
type trainOptions struct {
	*options.Settings
	ended bool // there is nothing to resume
}

func newTrain(a *app) *cobra.Command {
	return a.define(&cobra.Command{
		Use:   "train [options]",
		Short: "Train a robust model and certify it",
		Long: `Train a linear model on the worst case over reweightings of the rows or of the
groups, stop when the optimality gap asked for is certified, and write the
model, the metrics, plots and a report. Without a level of robustness one is
chosen by cross-validation inside the training rows; that may be the plain
average (ERM), which is trained on the same rows for comparison. Without
options it trains on an embedded data set.

Exit codes: 0 certified to the gap asked for, 1 failed, 2 wrong command line,
3 stopped before the gap (the model is written and marked uncertified),
4 the model is degenerate: the same prediction for every row, worse than the
best constant on the rows measured, or resting on fewer than 30 rows or 0.5 % of
them (--allow-degenerate: 0),
129, 130 and 143 interrupted (likewise).`,
		Example: `  drotrain train
  drotrain train --data builtin:loans --target deny --groups region,sex \
      --adversary groups --nu 0.1 --out loans
  drotrain train --config loans.yaml --seed 7 --json --quiet > summary.json`,
	}, options.Train, func(ctx context.Context, s *options.Settings, fs *pflag.FlagSet, _ []string) error {
		return (&trainOptions{Settings: s}).run(ctx, a, fs)
	})
}
