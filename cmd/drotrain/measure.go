package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train/report"
)

// measureOptions say how an evaluation is made.
type measureOptions struct{ report.Options }

// defaultTolerance is of the gaps between groups.
const defaultTolerance = 0.1

// define adds the options of an evaluation.
func (o *measureOptions) define(fs *pflag.FlagSet) {
	o.Options = report.DefaultOptions()
	o.Resamples, o.Tolerance = 1000, defaultTolerance
	fs.Var(options.Count(&o.MinGroupSize), "min-group-size", minGroupHelp)
	fs.Var(options.Whole(&o.Resamples, fmt.Sprintf("be 0, or from 100 to %d", eval.MostResamples), resamplesAllowed), "resamples", "bootstrap resamples, 100 to a million; 0 for no intervals")
	fs.Var(options.Number(&o.Confidence, "lie between 0 and 1", func(x float64) bool { return x > 0 && x < 1 }),
		"confidence", "of every interval")
	defineThreshold(fs, &o.Threshold, "(default: that of the training, or 0.5)")
	defineTolerance(fs, &o.Tolerance)
	fs.StringVar(&o.Weight, "weight", "", "`column` of row weights, above 0: survey weights, costs ; of a model by default that of its training, '' for none")
	fs.StringVar(&o.Unit, "unit", "", "`unit` of a numeric target, for the report: \"USD per week\"")
	fs.BoolVar(&o.AllGroups, "all-groups", false, allGroupsHelp)
	fs.BoolVar(&o.ShowRows, "show-rows", false, "list the values of the heaviest rows in the report; they may identify people")
}

// defineThreshold adds the option of the probability from which a row is predicted positive.
func defineThreshold(fs *pflag.FlagSet, to **float64, standard string) {
	fs.Var(options.Optional(to, "lie between 0 and 1", func(x float64) bool { return x >= 0 && x <= 1 }),
		"threshold", "two classes: the probability from which a row is predicted positive "+standard)
}

const cardHelp = "YAML `file` for the model card: owner, intended use, date, data period, …"

// readCard reads a model card; none where no file is named.
func readCard(path string) ([]eval.Fact, error) {
	if path == "" {
		return nil, nil
	}
	const hint = "a model card is a YAML file such as\n  owner: risk team\n  intended use: triage of applications"
	f, err := os.Open(path)
	if err != nil {
		return nil, exit.WithHint(fmt.Errorf("--card: %w", err), hint)
	}
	defer f.Close()
	card, err := report.ReadCard(f)
	if errors.Is(err, io.EOF) {
		err = errors.New("the file is empty")
	}
	if err != nil {
		return nil, exit.WithHint(fmt.Errorf("--card: %s: %w", path, err), hint)
	}
	return card, nil
}

const allGroupsHelp = "write all numbers of every group; otherwise, beyond a hundred groups, those of the worst"

const minGroupHelp = "smaller groups are listed, but never called the worst"

// resamplesAllowed says of how many resamples there are intervals, or none.
func resamplesAllowed(n int) bool { return n == 0 || n >= 100 && n <= eval.MostResamples }

func defineTolerance(fs *pflag.FlagSet, p *float64) {
	fs.Var(options.Number(p, "be above 0 and at most 1: 0.1 accepts rates that are ten percentage points apart", func(x float64) bool { return x > 0 && x <= 1 }),
		"tolerance", "largest accepted gap between groups of selection and true positive rates")
}
