package eval

import (
	"slices"

	"github.com/drotrain/drotrain/data/facts"
)

// Schema is the name of the JSON layout of [Evaluation]. Incompatible changes increase its number.
const Schema = "drotrain.metrics/1"

// An Evaluation is the result of [Evaluate]. Its JSON form is metrics.json. Models and Compared are in the order of
// Input.Models. Its methods panic if indices or groups in its fields contradict each other; ReadEvaluation returns
// an error for such files.
type Evaluation struct {
	Schema string `json:"schema"`
	// reason why there was no evaluation; only in files written by WriteFailure
	Error    string `json:"error,omitempty"`
	Task     Task   `json:"task"`
	Loss     string `json:"loss"`
	LossUnit string `json:"loss_unit,omitempty"`
	// MeanSquare reports, for a regression, whether the loss of every row is proportional to the squared error in
	// units of the target; it is nil in files of earlier versions.
	MeanSquare   *bool   `json:"loss_is_squared_error,omitempty"`
	Target       string  `json:"target"`
	TargetUnit   string  `json:"target_unit,omitempty"`
	Positive     string  `json:"positive,omitempty"`
	Negative     string  `json:"negative,omitempty"`
	Split        Split   `json:"split"`
	Table        string  `json:"table,omitempty"`  // name of the table, if the split is Table
	Filter       string  `json:"filter,omitempty"` // condition that selected the rows from the table
	N            int     `json:"n"`
	TrainingRows string  `json:"training_rows,omitempty"` // how many rows are training rows, as a clause; "" if none are
	Threshold    *Num    `json:"threshold,omitempty"`     // only for two classes
	MinGroupSize int     `json:"min_group_size"`
	Confidence   float64 `json:"confidence"`
	Resamples    int     `json:"resamples"`
	Weighted     bool    `json:"weighted,omitempty"`       // whether the rows have weights
	Effective    *Num    `json:"effective_rows,omitempty"` // (Σw)²/Σw² of the rows' weights
	Seed         uint64  `json:"seed"`

	// Constants holds the measures over all rows of the best constant prediction for these rows.
	Constants map[string]Num `json:"constant_prediction,omitempty"`
	// ConstantClass is the class that it predicts, if there are more than two.
	ConstantClass string `json:"constant_class,omitempty"`
	// FitsConstant reports whether OverConstant compares with the best constant for the evaluated rows rather than for
	// the training rows, which are unknown in an audit of predictions.
	FitsConstant bool `json:"over_constant_of_evaluated_rows,omitempty"`

	Models []ModelResult `json:"models"`
	// one for each column, then the crossed one; the last grouping is the headline grouping
	Groupings []Grouping   `json:"groupings"`
	Compared  []Comparison `json:"compared_with_baseline"`
	Slices    *SliceSearch `json:"slices,omitempty"`
	Gaps      []Gap        `json:"gaps,omitempty"` // only for two classes with groups

	// favourable outcome of a two-valued target, if it is known
	Favourable *Favourable `json:"favourable,omitempty"`
	// reference group of the four-fifths rule
	ReferenceGroup string      `json:"reference_group,omitempty"`
	Criteria       []Criterion `json:"criteria,omitempty"` // only for two classes with groups

	// ratio used by the verdict: decrease in the worst group's risk for an increase in the average
	Rate float64 `json:"rate,omitempty"`
	// Budget replaces Rate in the verdict: the maximum increase in the average, as a share of the baseline's.
	Budget  *float64 `json:"budget,omitempty"`
	Verdict Verdict  `json:"verdict"`
	Caveats []string `json:"caveats"`

	// Drift compares the features with those of training, if a model was evaluated on a table. The columns that
	// drifted most come first.
	Drift []Drift      `json:"drift,omitempty"`
	Gates []GateResult `json:"gates,omitempty"` // conditions that were applied

	// Findings are about the columns of the training rows: leaks, codes for missing values, different spellings
	// of a label. A finding that is Scored is about the rows of the evaluated table.
	Findings []facts.Finding `json:"findings,omitempty"`

	// Attributes lists features whose names describe attributes listed in laws on discrimination.
	Attributes []string `json:"protected_attributes,omitempty"`

	// Levels holds the robustness settings at which a constant prediction is optimal on the training table, if
	// they are known.
	Levels *LevelRange `json:"levels_without_model,omitempty"`

	// Reference holds the earlier evaluation to which gate paths with the prefix since. refer; may be nil.
	Reference *Reference `json:"-"`

	// AllGroups makes WriteJSON write all numbers of every group, regardless of their number.
	AllGroups bool `json:"-"`
}

// A LevelRange holds the levels of an adversary over rows at which a constant prediction is optimal on the training
// table. A constant prediction is then optimal at all stronger levels too.
type LevelRange struct {
	Balls   []BallRange `json:"balls,omitempty"`
	Protect *Num        `json:"protect,omitempty"` // --protect up to this share
	Rows    int         `json:"rows"`              // number of rows from which the range was computed
	Of      int         `json:"of"`                // number of training rows
	Text    string      `json:"text,omitempty"`    // the advice as a sentence
}

// A BallRange holds the levels of one divergence at which a constant prediction is optimal.
type BallRange struct {
	Penalty string `json:"penalty"`
	Ess     Num    `json:"ess"`          // --ess up to this value
	Radius  Num    `json:"radius"`       // --radius of at least this value
	Nu      Num    `json:"nu,omitempty"` // largest --nu at which probabilities are within 0.001 of each other
}

// A Drift compares the values of a column with those in training.
type Drift struct {
	facts.Drift
	Finding string `json:"finding,omitempty"` // description of the drift, if it exceeds the limits
}

// A ModelResult holds the measures of a model over all rows.
type ModelResult struct {
	Name       string      `json:"name"`
	Role       Role        `json:"role,omitempty"`
	Overall    Values      `json:"overall"`
	Intervals  Intervals   `json:"overall_intervals,omitempty"`
	WorstGroup *WorstGroup `json:"worst_group"` // null if no group is eligible
	CVaR       []CVaRPoint `json:"cvar"`

	// OverConstant is the risk minus that of the constant prediction of Input.Constant, if there is one.
	OverConstant *Difference `json:"over_constant,omitempty"`

	// Constant reports whether the model makes the same prediction for all rows: probabilities within 0.001 of
	// each other, or numbers within 0.001 standard deviations of the target.
	Constant bool `json:"constant_prediction,omitempty"`

	Calibration []CalibrationBin `json:"calibration,omitempty"` // binary
	Residuals   []ResidualBin    `json:"residuals,omitempty"`   // regression

	// The following fields are set for more than two classes: the results for each class; the number of rows by
	// actual class (first index) and predicted class, if there are at most 30 classes; and the most frequent
	// confusions.
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
	// Interval is pointwise: it is valid if this group had been selected in advance.
	Interval *Interval `json:"interval,omitempty"`
	// MaxInterval covers the largest true risk of any group, since it is simultaneous over the Compared groups.
	MaxInterval *Interval `json:"max_interval,omitempty"`
	Compared    int       `json:"groups_compared"`
	TooSmall    int       `json:"groups_too_small"`
}

// A Grouping divides the rows into groups. Its methods panic if a group lacks the results of a model.
type Grouping struct {
	Name    string    `json:"name"`
	Groups  []Group   `json:"by_group"` // in the order of the labels; groups without rows are omitted
	Summary []Summary `json:"summary"`  // one element for each model

	// Others summarises the groups that were omitted from Groups in the file from which the evaluation was
	// read.
	Others *OtherGroups `json:"other_groups,omitempty"`
}

// A Group is one group of a grouping.
type Group struct {
	Label      string       `json:"group"`
	N          int          `json:"n"`
	Share      float64      `json:"share"`                 // proportion of the rows evaluated
	TrainShare *Num         `json:"train_share,omitempty"` // share of the training rows, if known
	Sufficient bool         `json:"sufficient_evidence"`   // n ≥ min_group_size
	Models     []GroupModel `json:"models"`

	// Constants holds the measures in the group of the constant prediction that is best for all rows.
	Constants map[string]Num `json:"constant_prediction,omitempty"`
}

// A GroupModel holds the measures of a model in a group.
type GroupModel struct {
	Model     string    `json:"model"`
	Values    Values    `json:"measures"`
	Intervals Intervals `json:"intervals,omitempty"`
	// Simultaneous is the interval of this group's risk that holds simultaneously with those of all other
	// eligible groups.
	Simultaneous *Interval `json:"risk_simultaneous,omitempty"`
	ErrorShare   Num       `json:"error_share"` // share of this group in the summed loss of all rows
	// OverConstant is the risk minus that of the constant prediction of Input.Constant, with an
	// interval that holds simultaneously for all eligible groups.
	OverConstant *Difference `json:"over_constant,omitempty"`

	// Classes holds the results for each class within the group, if there are more than two and at most 30
	// classes.
	Classes []ClassResult `json:"classes,omitempty"`
}

// A Summary corresponds to fairlearn's MetricFrame: it holds one Spread for each measure, over the groups that have
// enough rows and in which the measure is defined.
type Summary struct {
	Model  string            `json:"model"`
	Spread map[string]Spread `json:"measures"`
}

// A Spread describes how a measure varies between groups.
type Spread struct {
	GroupMin   Num     `json:"group_min"`
	GroupMax   Num     `json:"group_max"`
	MinGroup   string  `json:"group_min_at,omitempty"`
	MaxGroup   string  `json:"group_max_at,omitempty"`
	Difference Between `json:"difference"`
	Ratio      Between `json:"ratio"`
	Average    Num     `json:"average"` // mean in which each group counts once
	// weighted by the shares of the training rows, or of these rows if those are unknown
	WeightedAverage Num `json:"weighted_average"`
	Groups          int `json:"groups"` // number of groups in the average

	// Intervals has the keys group_min, group_max, difference, ratio, difference_to_overall, ratio_to_overall,
	// average and weighted_average.
	Intervals Intervals `json:"intervals,omitempty"`
}

// A Between holds the results of two ways of comparing groups.
type Between struct {
	BetweenGroups Num `json:"between_groups"`
	ToOverall     Num `json:"to_overall"`
}

// Focus returns the index of the model that the verdict judges and that gates without a model refer to: the first model
// compared with the baseline, or the only model.
func (e *Evaluation) Focus() int { return focus(len(e.Models)) }

// Shown returns the index of the model whose own measures a report shows and for which slices are searched: the
// recommended model or, if none is, the model of Focus.
func (e *Evaluation) Shown() int {
	name := e.Verdict.Recommended
	if e.Verdict.before != nil { // the advice is on hold
		name = e.Verdict.before.recommended
	}
	if i := slices.Index(e.Names(), name); i >= 0 {
		return i
	}
	return e.Focus()
}

func focus(models int) int { return min(1, models-1) }

// Headline returns the grouping that determines the worst group, or nil if there is none.
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

// CVaRAt returns CVaR at a level that is on the curve.
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
