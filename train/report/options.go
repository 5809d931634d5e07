package report

import (
	"fmt"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// Names of the models of a training run in every table and figure.
const (
	Baseline = "ERM"
	Robust   = "robust"             // trained against an adversary
	Balanced = "group-balanced ERM" // every group of the last grouping has the same total weight
	Rescaled = "rescaled ERM"       // the baseline with another slope and intercept, for the robust objective
)

// Name returns the name of the trained model. If its level is an average, that is the name of the baseline.
func Name(m *train.Model) string { return nameOf[roleOf(m)] }

var nameOf = map[eval.Role]string{eval.StandardModel: Baseline, eval.RobustModel: Robust, eval.BalancedModel: Balanced,
	eval.HalfBalanced: "half-balanced ERM", eval.SubsetModel: "balanced subsets", eval.RescaledModel: Rescaled}

// roleOf returns the role of the model that was trained.
func roleOf(m *train.Model) eval.Role {
	switch m.Config.Average {
	case "plain":
		return eval.StandardModel
	case "balanced":
		return eval.BalancedModel
	case "half-balanced":
		return eval.HalfBalanced
	case "subsets", level.ValidationSubsets:
		return eval.SubsetModel
	}
	return eval.RobustModel
}

// Options says how rows are measured and what the report shows. Start from DefaultOptions.
type Options struct {
	MinGroupSize int // smaller groups are listed, but never called the worst
	// draws for simultaneous intervals: 0 for no intervals, else at least 100; negative: 1000, fewer for many rows
	Resamples  int
	Confidence float64  // of every interval, in (0, 1)
	Threshold  *float64 // the positive class is predicted at or above it; nil: that of the model, 0.5 in an audit
	Weight     string   // column of row weights above 0; empty: that of the training, where the table has it
	Unweighted bool     // every row counts once
	Unit       string   // of a numeric target, for people: "USD per week"
	Filter     string   // rows of a table to measure on, see data.Frame.Filter; empty: all

	// Groups are columns that replace the groupings of the training: each on its
	// own, and all crossed. Empty: the groups of the training.
	Groups []string

	Rate      float64 // fall of the worst group's risk that a rise of the average must buy; 0: 2
	Tolerance float64 // largest accepted gap of selection and true positive rates; 0: 0.1

	Favourable     string // value of a two-valued target that is good for the person; empty: guessed from the names
	ReferenceGroup string // that the four-fifths rule compares with; empty: that with the highest rate

	AllGroups bool // write all numbers of every group, however many; else those of the worst

	Card   []eval.Fact       // model card, see ReadCard; may be nil
	Labels map[string]string // texts shown in place of group labels or their parts; may be nil

	// Quick leaves out the search for bad slices, which reads the columns of the table again.
	Quick bool

	Observe func(eval.Progress) // receives how far the measuring has come; may be nil

	// Numbers by row that do not fit in memory are stored in files without a
	// name in this directory, or the nearest one above that is there; without one they are
	// refused. Measured.Close gives it up.
	Cache    string
	Memory   int64        // bytes that the process may have; 0: what the system leaves it
	Announce func(string) // called where rows are measured there; may be nil

	Command string // that reproduces the report; may be empty

	blockRows int   // of a table in a block; 0: some megabytes of them
	paging    int64 // bytes from which a slice is stored in Cache, whatever memory there is; 0: memory decides
}

// DefaultOptions returns the default options of the command.
func DefaultOptions() Options {
	return Options{MinGroupSize: 20, Resamples: -1, Confidence: 0.95}
}

// manyRows is the number of rows from which fewer resamples are drawn by default, so that an evaluation takes
// seconds.
const manyRows = 100_000

func (o Options) resamples(rows int) int {
	switch {
	case o.Resamples >= 0:
		return o.Resamples
	case rows > manyRows:
		return 200
	}
	return 1000
}

// favourable returns the favourable outcome of a two-valued target: the one asked for, or a guess. It returns nil if
// the names do not show which one it is.
func (o Options) favourable(target, positive, negative string) (*eval.Favourable, error) {
	switch o.Favourable {
	case "":
		return eval.GuessFavourable(target, positive, negative), nil
	case positive, negative:
		return &eval.Favourable{Value: o.Favourable, IsPositive: o.Favourable == positive}, nil
	}
	return nil, &OptionError{"favourable", fmt.Sprintf("%q is not a value of %s; the values are %q and %q", o.Favourable,
		target, positive, negative), ""}
}

// An OptionError reports an option that does not fit the table or the other options.
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

// Hint returns what the user can do, or "".
func (e *OptionError) Hint() string { return e.Help }
