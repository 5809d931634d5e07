package eval

import (
	"slices"

	"github.com/drotrain/drotrain/data/facts"
)

// Schema is the name of the JSON layout of [Evaluation]. Its number is raised by incompatible changes.
const Schema = "drotrain.metrics/1"

// An Evaluation is the result of [Evaluate]. Its JSON form is metrics.json. Models and Compared are in the order of
// Input.Models. Its methods panic if indices or groups of the fields contradict each other, which ReadEvaluation
// refuses.
type Evaluation struct {
	Schema       string  `json:"schema"`
	Error        string  `json:"error,omitempty"` // why nothing was measured; only in what WriteFailure wrote
	Task         Task    `json:"task"`
	Loss         string  `json:"loss"`
	LossUnit     string  `json:"loss_unit,omitempty"`
	Target       string  `json:"target"`
	TargetUnit   string  `json:"target_unit,omitempty"`
	Positive     string  `json:"positive,omitempty"`
	Split        Split   `json:"split"`
	N            int     `json:"n"`
	Threshold    *Num    `json:"threshold,omitempty"` // binary only
	MinGroupSize int     `json:"min_group_size"`
	Confidence   float64 `json:"confidence"`
	Resamples    int     `json:"resamples"`
	Weighted     bool    `json:"weighted,omitempty"`       // rows had weights of their own
	Effective    *Num    `json:"effective_rows,omitempty"` // (Σw)²/Σw² of those weights
	Seed         uint64  `json:"seed"`

	// Constants are the values of the best constant prediction of these rows over all rows, by measure.
	Constants map[string]Num `json:"constant_prediction,omitempty"`

	Models    []ModelResult `json:"models"`
	Groupings []Grouping    `json:"groupings"` // each column, then crossed; the last one is the headline
	Compared  []Comparison  `json:"compared_with_baseline"`
	Slices    *SliceSearch  `json:"slices,omitempty"`
	Gaps      []Gap         `json:"gaps,omitempty"` // binary, with groups

	Favourable     *Favourable `json:"favourable,omitempty"`      // outcome of a two-valued target, where it is known
	ReferenceGroup string      `json:"reference_group,omitempty"` // that the four-fifths rule compares with
	Criteria       []Criterion `json:"criteria,omitempty"`        // binary, with groups

	Rate float64 `json:"rate,omitempty"` // asked of the verdict: fall of the worst group for a rise of the average
	// asked of it instead: largest rise of the average, a share of the baseline's
	Budget  *float64 `json:"budget,omitempty"`
	Verdict Verdict  `json:"verdict"`
	Caveats []string `json:"caveats"`

	// Drift compares the features with those of training, most drifted first, where a model was
	// measured on a table.
	Drift []Drift      `json:"drift,omitempty"`
	Gates []GateResult `json:"gates,omitempty"` // conditions that were applied

	// Findings are about the columns of the training rows: leaks, codes for missing values, spellings of a label. Those
	// that are Scored are about the rows of the table.
	Findings []facts.Finding `json:"findings,omitempty"`

	// Attributes are the columns among the features whose names laws on discrimination list.
	Attributes []string `json:"protected_attributes,omitempty"`

	// Levels holds the levels of robustness that leave no model on the training table, where they are known.
	Levels *LevelRange `json:"levels_without_model,omitempty"`

	// Reference holds the numbers that paths of gates with since compare with; nil: none.
	Reference *Reference `json:"-"`

	// AllGroups writes all numbers of every group, however many there are.
	AllGroups bool `json:"-"`
}

// A LevelRange holds the levels of an adversary over rows at which a constant prediction is optimal on the training
// table: stronger levels leave no model either.
type LevelRange struct {
	Balls   []BallRange `json:"balls,omitempty"`
	Protect *Num        `json:"protect,omitempty"` // --protect up to this
	Rows    int         `json:"rows"`              // rows that the range was computed from
	Of      int         `json:"of"`                // training rows
	Text    string      `json:"text,omitempty"`    // a sentence
}

// A BallRange holds the levels of one divergence that leave no model.
type BallRange struct {
	Penalty string `json:"penalty"`
	Ess     Num    `json:"ess"`          // --ess up to this
	Radius  Num    `json:"radius"`       // --radius from this on
	Nu      Num    `json:"nu,omitempty"` // --nu up to this leaves probabilities within 0.001 of each other
}

// A Drift compares the values of a column with its values in training.
type Drift struct {
	facts.Drift
	Finding string `json:"finding,omitempty"` // how it differs beyond the limits
}

// A ModelResult holds the measures of a model over all rows.
type ModelResult struct {
	Name       string      `json:"name"`
	Role       Role        `json:"role,omitempty"`
	Overall    Values      `json:"overall"`
	Intervals  Intervals   `json:"overall_intervals,omitempty"`
	WorstGroup *WorstGroup `json:"worst_group"` // null without an eligible group
	CVaR       []CVaRPoint `json:"cvar"`

	// OverConstant is the risk minus that of the constant fitted to the training rows, where
	// Input.Constant gives its losses.
	OverConstant *Difference `json:"over_constant,omitempty"`

	// Constant reports whether the model predicts all rows alike: probabilities within 0.001 of each other, or numbers
	// within 0.001 standard deviations of the target.
	Constant bool `json:"constant_prediction,omitempty"`

	Calibration []CalibrationBin `json:"calibration,omitempty"` // binary
	Residuals   []ResidualBin    `json:"residuals,omitempty"`   // regression

	// Of more than two classes: what the model does on each, the rows of every actual (first index)
	// and predicted class where there are at most 30, and the most frequent confusions.
	Classes         []ClassResult `json:"classes,omitempty"`
	ConfusionMatrix [][]int       `json:"confusion_matrix,omitempty"`
	MostConfused    []Confusion   `json:"most_confused,omitempty"`
}

// A WorstGroup is the group with the largest risk in the last grouping, among groups with enough rows.
type WorstGroup struct {
	Grouping string `json:"grouping"`
	Label    string `json:"group"`
	N        int    `json:"n"`
	Risk     Num    `json:"risk"`
	// Interval is pointwise: as if this group had been named beforehand.
	Interval *Interval `json:"interval,omitempty"`
	// MaxInterval covers the largest true group risk, whichever group has it:
	// it is simultaneous over the Compared groups.
	MaxInterval *Interval `json:"max_interval,omitempty"`
	Compared    int       `json:"groups_compared"`
	TooSmall    int       `json:"groups_too_small"`
}

// A Grouping divides the rows into groups. Its methods panic if a group has not the results of every model.
type Grouping struct {
	Name    string    `json:"name"`
	Groups  []Group   `json:"by_group"` // in label order; groups without rows here are left out
	Summary []Summary `json:"summary"`  // one per model

	// Others are, in what was read from a file, the groups that Groups leaves out.
	Others *OtherGroups `json:"other_groups,omitempty"`
}

// A Group is one group of a grouping.
type Group struct {
	Label      string       `json:"group"`
	N          int          `json:"n"`
	Share      float64      `json:"share"`                 // of the rows evaluated
	TrainShare *Num         `json:"train_share,omitempty"` // of the training rows, when known
	Sufficient bool         `json:"sufficient_evidence"`   // n ≥ min_group_size
	Models     []GroupModel `json:"models"`

	// Constants are the values, in the group, of the constant prediction that is best for all rows, by measure.
	Constants map[string]Num `json:"constant_prediction,omitempty"`
}

// A GroupModel holds the measures of a model in a group.
type GroupModel struct {
	Model     string    `json:"model"`
	Values    Values    `json:"measures"`
	Intervals Intervals `json:"intervals,omitempty"`
	// Simultaneous covers this group's risk together with that of every other
	// eligible group.
	Simultaneous *Interval `json:"risk_simultaneous,omitempty"`
	ErrorShare   Num       `json:"error_share"` // share of the summed loss of all rows
	// OverConstant is the risk minus that of the constant fitted to the training rows, with an interval that holds for
	// all eligible groups together.
	OverConstant *Difference `json:"over_constant,omitempty"`

	// Classes is what the model does on each of more than two classes within the group, where
	// there are at most 30.
	Classes []ClassResult `json:"classes,omitempty"`
}

// A Summary corresponds to fairlearn's MetricFrame: one Spread per measure, over the groups with enough rows in
// which the measure is defined.
type Summary struct {
	Model  string            `json:"model"`
	Spread map[string]Spread `json:"measures"`
}

// A Spread describes how a measure varies between groups.
type Spread struct {
	GroupMin        Num     `json:"group_min"`
	GroupMax        Num     `json:"group_max"`
	MinGroup        string  `json:"group_min_at,omitempty"`
	MaxGroup        string  `json:"group_max_at,omitempty"`
	Difference      Between `json:"difference"`
	Ratio           Between `json:"ratio"`
	Average         Num     `json:"average"`          // each group counts once
	WeightedAverage Num     `json:"weighted_average"` // weighted by training shares (shares here when unknown)
	Groups          int     `json:"groups"`           // groups it was computed over

	// Intervals are keyed group_min, group_max, difference, ratio,
	// difference_to_overall, ratio_to_overall, average, weighted_average.
	Intervals Intervals `json:"intervals,omitempty"`
}

// A Between holds the two ways of comparing groups.
type Between struct {
	BetweenGroups Num `json:"between_groups"`
	ToOverall     Num `json:"to_overall"`
}

// Focus returns the index of the model that tables, slices and the adversary are about: the first one compared
// with the baseline, or the only one.
func (e *Evaluation) Focus() int { return focus(len(e.Models)) }

func focus(models int) int { return min(1, models-1) }

// Headline returns the grouping that defines the worst group, or nil.
func (e *Evaluation) Headline() *Grouping {
	if len(e.Groupings) == 0 {
		return nil
	}
	return &e.Groupings[len(e.Groupings)-1]
}

// Names returns the names of the models.
func (e *Evaluation) Names() []string {
	out := make([]string, len(e.Models))
	for k, m := range e.Models {
		out[k] = m.Name
	}
	return out
}

// CVaRAt returns CVaR at a level of the curve.
func (m *ModelResult) CVaRAt(alpha float64) Num {
	for _, q := range m.CVaR {
		if q.Alpha == alpha {
			return q.Value
		}
	}
	return undefined()
}

// WorstGroupValues returns the measures of the named model in its worst group, or over all rows if it has none.
func (e *Evaluation) WorstGroupValues(model string) Values {
	v, _ := e.valuesOf(max(0, slices.Index(e.Names(), model)))
	return v
}
