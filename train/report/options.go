package report

import (
	"fmt"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train"
)

// Names of the models of a training in every table and figure.
const (
	Baseline = "ERM"
	Robust   = "robust"       // moved by an adversary, see Name
	Balanced = "balanced ERM" // every group of the last grouping weighs the same
	Tempered = "tempered ERM" // the baseline with another slope and intercept, for the robust objective
)

// Name is what the model that was trained is called beside its baselines: robust, or by the
// average that was chosen in the place of an adversary.
func Name(m *train.Model) string {
	switch m.Config.Average {
	case "plain":
		return "chosen " + Baseline
	case "balanced":
		return "chosen " + Balanced
	}
	return Robust
}

// What the rows of an evaluation are: eval.Evaluation.Split.
const (
	Holdout  = "hold-out"
	Training = "training rows"
	Table    = "evaluation file"
	Crossfit = "training rows, out of fold" // each by models trained without it
)

// Options say how rows are measured and what the report shows. Start from
// DefaultOptions.
type Options struct {
	MinGroupSize int     // smaller groups are listed, but never called the worst
	Resamples    int     // of the bootstrap: 0 for no intervals, else at least 100; negative: 1000, fewer for many rows
	Confidence   float64 // of every interval, in (0, 1)
	Threshold    float64 // probability from which a row is predicted positive
	Weight       string  // column of row weights above 0; empty: every row counts once
	Unit         string  // of a numeric target, for people: "USD per week"
	Filter       string  // rows of a table to measure on, see data.Frame.Filter; empty: all
	ShowRows     bool    // list the values of the heaviest rows; they may identify people

	// Groups are columns that replace the groupings of the training: each on its
	// own, and all crossed. Empty: those of the training.
	Groups []string

	Rate      float64 // fall of the worst group's risk that a rise of the average must buy; 0: 2
	Tolerance float64 // largest accepted gap of selection and true positive rates; 0: 0.1

	AllGroups bool // write all numbers of every group, however many; else those of the worst

	Card []eval.Fact // model card, see ReadCard; may be nil

	// Quick leaves out what reads the columns of the table again: the search for
	// bad slices and the adversary's weight by column.
	Quick bool

	Observe func(eval.Progress) // told how far the measuring has come; may be nil

	// What is known of the rows of a table that memory has no room for lies in files without a
	// name in this directory, or the nearest one above that is there; without one they are
	// refused. Measured.Close gives it up.
	Cache    string
	Memory   int64        // bytes that the process may have; 0: what the system leaves it
	Announce func(string) // told that rows are measured there; may be nil

	Command string // that reproduces the report; may be empty

	blockRows int   // of a table in a block; 0: some megabytes of them
	paging    int64 // bytes from which a slice lies in Cache, whatever memory there is; 0: memory decides
}

// DefaultOptions are those of the command without options.
func DefaultOptions() Options {
	return Options{MinGroupSize: 20, Resamples: -1, Confidence: 0.95, Threshold: 0.5}
}

// ManyRows is where fewer resamples keep an evaluation that nobody tuned within
// seconds.
const ManyRows = 100_000

func (o Options) resamples(rows int) int {
	switch {
	case o.Resamples >= 0:
		return o.Resamples
	case rows > ManyRows:
		return 200
	}
	return 1000
}

// An OptionError is an option that does not fit the table or the other options.
type OptionError struct {
	Option string // of the command, without dashes
	Msg    string
	Help   string // what to do, or ""
}

func (e *OptionError) Error() string {
	if e.Option == "" {
		return e.Msg
	}
	return fmt.Sprintf("option %s: %s", e.Option, e.Msg)
}

// Hint is what to do, or "".
func (e *OptionError) Hint() string { return e.Help }
