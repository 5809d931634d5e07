package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train"
)

// evaluateAuto leaves it to the number of rows how a model is measured.
const evaluateAuto = "auto"

// defaultOut is where train writes without --out.
const defaultOut = "drotrain-out"

// trainOptions are the options of `drotrain train`.
type trainOptions struct {
	cfg     train.Config
	threads int
	out     string
	force   bool
	json    bool
	quiet   bool
	verbose bool

	unit     string // of the target, for the report
	showRows bool
	measure  trainMeasure

	evaluate        string // auto, or one of Config.Evaluate
	allowDegenerate bool
	resume          bool
	every           time.Duration // between two checkpoints
	ended           bool          // there is nothing to go on with
	config          string
}

// defineColumns adds the options that say which rows are read, what their columns are and
// how they are encoded.
func defineColumns(fs *pflag.FlagSet, c *train.Config, rows, standard string) {
	fs.StringVar(&c.Data, "data", "", rows+": a Parquet, Arrow, CSV or JSON Lines `file`, a directory or glob of them, or builtin:NAME (default "+standard+")")
	fs.StringVar(&c.Target, "target", "", "`column` to predict")
	fs.Var(options.List(&c.Features), "features", "feature `columns` (default: all without another role)")
	fs.Var(options.List(&c.Drop), "drop", "`columns` to leave out")
	fs.Var(options.List(&c.Groups), "groups", "`columns` that name groups; each on its own, and crossed")
	fs.BoolVar(&c.GroupFeatures, "group-features", c.GroupFeatures, "take the group columns as features, too; false where law forbids it or they are unknown at prediction")
	fs.Var(options.List(&c.Categorical), "categorical", "numeric `columns` to treat as categories")
	fs.StringVar(&c.Positive, "positive", "", "`value` of a two-valued target that counts as positive")
	fs.Var(options.Enum(&c.Impute, imputations), "impute", "missing numbers: refuse them, fill them in, or drop the rows")
	fs.Var(options.Enum(&c.Scale, scalings), "scale", "numeric features: standardise on the "+rows+", or leave")
	fs.BoolVar(&c.ScaleTarget, "scale-target", c.ScaleTarget, "standardise a numeric target")
	fs.BoolVar(&c.Intercept, "intercept", c.Intercept, "fit a constant, which is not penalised")
}

// defineLoss adds the options of the loss.
func defineLoss(fs *pflag.FlagSet, c *train.Config) {
	fs.Var(options.Enum(&c.Loss, lossNames), "loss", "loss of a row (default: by the target)")
	fs.Var(options.Positive(&c.HuberDelta), "huber-delta", "δ > 0: where the Huber loss turns linear")
}

// defineData adds the options that say what is learnt from which rows.
func (o *trainOptions) defineData(cmd *cobra.Command) {
	o.cfg, o.evaluate = train.DefaultConfig(), evaluateAuto
	c := &o.cfg
	options.Section(cmd, "Data", func(fs *pflag.FlagSet) {
		defineColumns(fs, c, "training rows", defaultData)
		fs.StringVar(&c.Filter, "filter", "", "`rows` to use: 'age >= 18 && state != \"PR\"'")
		fs.Var(options.Enum(&c.GroupCoefficients, []string{train.GroupCoefficientsNo, train.GroupCoefficientsPooled, train.GroupCoefficientsAuto}), "group-coefficients", "whether groups that are features have coefficients of their own, partially pooled; auto takes them where they predict measurably better out of fold")
		fs.Var(options.Count(&c.MaxLevels), "max-levels", "levels a category may have (0: 1000, and not one of its own in every row); with --min-count the rarest beyond it are merged")
		fs.Var(options.Count(&c.MinCount), "min-count", "levels of fewer training `rows` become one, (other), which unseen levels count as too")
		fs.Var(options.Enum(&c.TargetTransform, []string{"log", "log1p"}), "target-transform", "fit the logarithm of a numeric target; predictions and report stay in its units")
		fs.Var(options.List(&c.Log), "log", "`columns` to take the logarithm of")
		fs.Var(options.List(&c.Square), "square", "`columns` whose square is a feature besides")
		fs.Var(options.Pairs(&c.Spline, ":"), "spline", "`column:knots` to bend: a natural cubic spline, of 3 to 20 knots at quantiles")
		fs.Var(options.Pairs(&c.Interact, ":"), "interact", "`column:column`: products of two features, of numbers or of levels")
		fs.Var(options.Pairs(&c.Reference, "="), "reference", "`column=level` with the coefficient 0, repeatable: 'region=west'")
		fs.Var(options.Enum(&c.Storage, data.Storages()), "storage", storageHelp)
		fs.StringVar(&c.Weight, "weight", "", "`column` of row weights, above 0: survey weights, costs")
		fs.Var(options.Fraction(&c.Holdout), "holdout", "share of the rows kept for evaluation")
		fs.StringVar(&c.HoldoutData, "holdout-data", "", "hold out the rows of another `file` with the same columns, and train on all of --data")
		fs.StringVar(&c.Split, "split", "", "`column` that says train or test of every row")
		fs.StringVar(&c.GroupHoldout, "group-holdout", "", "`column` of units with several rows, as persons: they are held out whole")
		fs.StringVar(&c.Time, "time", "", "`column` of times: the last share of the rows is held out")
		fs.Var(options.Count(&c.MinGroupSize), "min-group-size", minGroupHelp)
	})
	readingOptions(cmd, &c.Reading)
	options.Section(cmd, "Memory", func(fs *pflag.FlagSet) {
		defineMemory(fs, &c.Memory, &c.Cache, "where --out is")
		fs.BoolVar(&c.OnDisk, "on-disk", false, "keep the encoded rows in --cache even where memory has room")
	})
	options.Section(cmd, "Objective", func(fs *pflag.FlagSet) {
		defineLoss(fs, c)
		fs.Var(options.OptionalAtLeastZero(&c.Mu), "mu", "μ ≥ 0: weight of ½‖x‖² (default 1/n, or chosen with the level)")
	})
}

// define adds the options to cmd, section by section.
func (o *trainOptions) define(cmd *cobra.Command) {
	o.defineData(cmd)
	c := &o.cfg
	defineLevel(cmd, c)
	defineChoice(cmd, c)
	options.Section(cmd, "Scores and how they are measured", func(fs *pflag.FlagSet) {
		fs.Var(options.Enum(&o.evaluate, []string{evaluateAuto, train.EvaluateHoldout, train.EvaluateCrossfit}), "evaluate", fmt.Sprintf("measure on rows held out, or on all rows, each by models trained without it: five more trainings, and nothing is held out; auto takes the second below %d rows", train.CrossfitBelow))
		defineThreshold(fs, &c.Threshold, "(default 0.5); predict, eval and report take it over")
		fs.BoolVar(&c.Recalibrate, "recalibrate", false, "two classes: fit slope and intercept of the scores out of fold; the certificate is about the model before")
	})
	options.Section(cmd, "Solver", func(fs *pflag.FlagSet) {
		fs.Var(options.Enum(&c.Solver, train.Solvers()), "solver", solverHelp)
		fs.Var(options.Positive(&c.Gap), "gap", "relative gap to certify, then stop")
		fs.Var(options.Positive(&c.MaxPasses), "max-passes", "passes over the rows that a solve may take: it ends before a step that would take more; one pass is always made")
		fs.Var(options.Seed(&c.Seed), "seed", "seed of the hold-out split and of stochastic solvers")
		fs.Var(options.Count(&o.threads), "threads", "threads, 0 for all processors; never changes a result")
	})
	options.Section(cmd, "Output", func(fs *pflag.FlagSet) {
		fs.StringVar(&o.out, "out", defaultOut, "`directory` for the model, the metrics, the plots and the report")
		fs.StringVar(&o.unit, "unit", "", "`unit` of a numeric target, for the report: \"USD per week\"")
		fs.BoolVar(&o.showRows, "show-rows", false, "list the values of the heaviest rows in the report; they may identify people")
		o.measure.define(fs)
		fs.BoolVar(&o.allowDegenerate, "allow-degenerate", false, "exit 0 with a model that is worse than a constant, or rests on a handful of rows")
		fs.BoolVar(&o.force, "force", false, "replace the files of an earlier run in that directory")
		fs.BoolVar(&o.resume, "resume", false, "go on with the interrupted run whose checkpoint is in --out, with its options")
		fs.DurationVar(&o.every, "checkpoint-every", 30*time.Second, "how often the state is kept in --out for --resume; 0s: never")
		fs.BoolVar(&o.json, "json", false, "print one JSON object on stdout")
		fs.BoolVar(&o.quiet, "quiet", false, "no progress and no notes on stderr")
		fs.BoolVar(&o.verbose, "verbose", false, "tell the decisions of the solver on stderr")
		fs.StringVar(&o.config, "config", "", "YAML `file` with these options as keys; the command line wins")
	})
}

// storageHelp says what auto stands for.
const storageHelp = "encoded rows in memory: float32 halves them and rounds, sparse keeps what is not 0; auto takes sparse where few cells are not, else float64"

// solverHelp says what auto stands for.
const solverHelp = "auto takes newton where losses have second derivatives, and notes why"

// Words the options take.
var (
	imputations  = []string{"error", "mean", "median", "drop"}
	scalings     = []string{"standard", "none"}
	lossNames    = losses.Names(nil)
	penaltyNames = []string{"kl", "chi2"}
)

func newTrain(a *app) *cobra.Command {
	o := &trainOptions{}
	cmd := &cobra.Command{
		Use:                   "train [options]",
		DisableFlagsInUseLine: true,
		Short:                 "Train a robust model and certify it",
		Long: `Train a linear model on the worst case over reweightings of the rows or of the
groups, stop when the optimality gap asked for is certified, and write the
model, the metrics, plots and a report. Without a level of robustness one is
chosen by cross-validation inside the training rows; that may be the plain
average (ERM), which is trained on the same rows for comparison. Without
options it trains on an embedded data set.

Exit codes: 0 certified to the gap asked for, 1 failed, 2 wrong command line,
3 stopped before the gap (the model is written and marked uncertified),
4 the model is degenerate: worse than the best constant on the rows measured, or
resting on fewer than 30 rows or 0.5 % of them (--allow-degenerate: 0),
129, 130 and 143 interrupted (likewise).`,
		Example: `  drotrain train
  drotrain train --data loans.parquet --target deny --groups region,sex \
      --protect 0.05 --out loans
  drotrain train --config loans.yaml --seed 7 --json --quiet > summary.json`,
		Args: noArgs,
	}
	o.define(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if o.config != "" {
			a.inputs.Add(o.config)
			if err := options.ApplyConfig(cmd.Flags(), o.config); err != nil {
				return err
			}
		}
		return o.run(cmd.Context(), a, cmd.Flags())
	}
	return cmd
}
