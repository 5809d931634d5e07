package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
)

// defaultOut is the default output directory of train.
var defaultOut = options.Defaults(options.Train).Out

// trainOptions holds the settings and the state of a training run.
type trainOptions struct {
	*options.Settings
	ended bool // the run has ended, so there is nothing to resume
}

func newTrain(a *app) *cobra.Command {
	return a.define(&cobra.Command{
		Use:   "train [options]",
		Short: "Train a robust model and certify it",
		Long: `Train a linear model that minimises the loss under the worst reweighting of the
rows or groups. The solver stops when the requested optimality gap is certified.
The command writes the model, metrics, plots and a report.

If no option sets the robustness, cross-validation within the training rows
chooses one of several candidates, among them the standard model (ERM). ERM is
always trained for comparison. Without options, train uses a built-in data set.

Exit codes: 0 certified to the requested gap, 1 failed, 2 wrong command line,
3 stopped before the gap, 4 the model is degenerate, 129, 130 or 143 ended by a
signal. If training stops before the gap or is ended by a signal, the model is
written and marked uncertified. A model is degenerate if it predicts practically
the same value for every row, is measurably worse than the best constant on the
evaluated rows, or depends on fewer than 30 rows or on less than 0.5 % of the
rows. With --allow-degenerate, the exit code for a degenerate model is 0.`,
		Example: `  drotrain train
  drotrain train --data builtin:loans --target deny --groups region,sex \
      --adversary groups --nu 0.1 --out loans
  drotrain train --config loans.yaml --seed 7 --json --quiet > summary.json`,
	}, options.Train, func(ctx context.Context, s *options.Settings, fs *pflag.FlagSet, _ []string) error {
		return (&trainOptions{Settings: s}).run(ctx, a, fs)
	})
}
