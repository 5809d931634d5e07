package report

import (
	"fmt"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// Names of the models of a training run in all tables and figures.
const (
	Baseline = "ERM"
	Robust   = "robust"             // a model trained against an adversary
	Balanced = "group-balanced ERM" // ERM in which every group of the last grouping has the same total weight
	Rescaled = "rescaled ERM"       // the baseline with a slope and an intercept fitted to the robust objective
)

// Name returns the name of the trained model in reports: Robust, or the name of the average if the level is one.
func Name(m *train.Model) string { return nameOf[roleOf(m)] }

var nameOf = map[eval.Role]string{eval.StandardModel: Baseline, eval.RobustModel: Robust, eval.BalancedModel: Balanced,
	eval.HalfBalanced: "half-balanced ERM", eval.SubsetModel: "balanced subsets", eval.RescaledModel: Rescaled}

// roleOf returns the role of the trained model.
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

// Options specifies how rows are evaluated and what the report shows. DefaultOptions returns suitable initial
// values.
type Options struct {
	MinGroupSize int // smaller groups are listed, but cannot be the worst group
	// number of draws for simultaneous intervals: 0 for no intervals, or at least 100; negative means 1000, or
	// fewer for many rows
	Resamples  int
	Confidence float64 // confidence of every interval, in (0, 1)
	// minimum probability at which the positive class is predicted; nil means that of the model, or 0.5 in an
	// audit
	Threshold  *float64
	Weight     string // column of positive row weights; if empty, that of the training if the table has it
	Unweighted bool   // whether every row counts once
	Unit       string // unit of a numeric target for readers, such as "USD per week"
	Filter     string // selects the rows of a table to evaluate on, see data.Frame.Filter; empty means all

	// Groups lists columns that replace the groupings of the training run: each column by itself, and all of them
	// crossed. If it is empty, the groups of the training run are used.
	Groups []string

	// minimum ratio of the decrease in the worst group's risk to an increase in the average risk; 0 means 2
	Rate      float64
	Tolerance float64 // maximum accepted differences in selection rates and true positive rates; 0 means 0.1

	// value of a two-valued target that is favourable to the person; if empty, that of the training or, if there
	// is none, inferred from the names
	Favourable string
	// reference group of the four-fifths rule; if empty, that of the training if Groups is empty, and otherwise
	// the group with the highest rate
	ReferenceGroup string

	AllGroups bool // write all numbers of every group, not only those of the worst groups

	Card   []eval.Fact       // model card, see ReadCard; may be nil
	Labels map[string]string // texts that replace group labels or parts of them; may be nil

	// Quick omits the search for bad slices, which reads the columns of the table again.
	Quick bool

	Observe func(eval.Progress) // called with the progress of the evaluation; may be nil

	// Cache is the directory for unnamed files with vectors of one entry for each row that do not fit into
	// memory. If it does not exist, the nearest existing parent is used. If it is empty, such vectors are an
	// error. Measured.Close releases the files.
	Cache    string
	Memory   int64        // memory in bytes that the process may use; 0 means what the system allows
	Announce func(string) // called if vectors are stored in Cache; may be nil

	Command string // command that reproduces the report; may be empty

	blockRows int // number of rows in a block of a table; 0 means a number that takes some megabytes
	// minimum size in bytes of a slice that is stored in Cache regardless of memory; 0 means that memory
	// decides
	paging int64
}

// DefaultOptions returns the defaults of the command.
func DefaultOptions() Options {
	return Options{MinGroupSize: 20, Resamples: -1, Confidence: 0.95}
}

// manyRows is the minimum number of rows for which fewer resamples are drawn by default, so that an evaluation
// takes seconds.
const manyRows = 100_000

// resampleCount returns the number of draws for simultaneous intervals on the given number of rows.
func (o Options) resampleCount(rows int) int {
	switch {
	case o.Resamples >= 0:
		return o.Resamples
	case rows > manyRows:
		return 200
	}
	return 1000
}

// checkTask returns an error if an option is set that needs a target with two classes, but the task is not binary.
// target is the name of the target column.
func (o Options) checkTask(target string, task eval.Task) error {
	for _, option := range []struct {
		name  string
		isSet bool
	}{
		{"favourable", o.Favourable != ""}, {"reference-group", o.ReferenceGroup != ""}, {"threshold", o.Threshold != nil},
	} {
		if option.isSet && task != eval.Binary {
			return &OptionError{option.name, fmt.Sprintf("needs a target with two classes; %q is not one", target),
				"leave it out"}
		}
	}
	return nil
}

// favourable returns the favourable outcome of a two-valued target: as specified, or inferred from the names. It
// returns nil if the names do not show which outcome is favourable, and an error if the specified value is neither.
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
	Option string // option of the command, without dashes
	Msg    string
	Help   string // advice, or ""
}

func (e *OptionError) Error() string {
	if e.Option == "" {
		return e.Msg
	}
	return fmt.Sprintf("option %s: %s", e.Option, e.Msg)
}

// Hint returns advice to the user, or "".
func (e *OptionError) Hint() string { return e.Help }
