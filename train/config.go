// Package train fits a certified robust model to a table: it reads and encodes the rows (packages data and encode),
// builds the loss of each row (package losses), solves the saddle problem (package dro) and keeps the result as a
// Model that predicts, explains itself, saves and loads.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md; a patch version
// does not.
package train

import (
	"cmp"
	"encoding/json"
	"math"
	"time"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// A Config specifies what to train on, what to optimise and when to stop. Strings and numbers with zero values
// stand for their defaults. Holdout, MinGroupSize and the bools have no default and are off if they are zero;
// DefaultConfig sets them as the drotrain command does. Options returns the fields indexed by the names of the
// command's options, and ReadConfig reads them from YAML.
type Config struct {
	Data    string       `json:"data"`             // path, glob or directory, or builtin:NAME
	Reading data.Reading `json:"reading,omitzero"` // how text and dates are read
	Target  string       `json:"target"`           // target column
	// feature columns; if empty, every column without another role
	Features []string `json:"features"`
	Drop     []string `json:"drop"` // columns that are left out
	// columns that define groups: each column by itself, and all of them crossed
	Groups []string `json:"groups"`
	// the group columns are categorical features if Features is empty
	GroupFeatures bool `json:"group_features"`
	// GroupCoefficients states whether groups have their own coefficients: no, pooled, or auto, which decides
	// by cross-validation inside the training rows. Empty means no.
	GroupCoefficients string `json:"group_coefficients,omitempty"`
	// maximum number of levels of a categorical feature; 0 selects encode.DefaultMaxLevels
	MaxLevels int `json:"max_levels,omitempty"`
	// levels with fewer training rows are merged; see encode.Spec
	MinCount int `json:"min_count,omitempty"`
	// column=level: each such level has the coefficient 0
	Reference []string `json:"reference,omitempty"`
	// log or log1p: function of a numeric target that is fitted
	TargetTransform string `json:"target_transform,omitempty"`
	// features that are replaced by their logarithms; see encode.Transforms
	Log      []string `json:"log,omitempty"`
	Square   []string `json:"square,omitempty"`   // features whose squares are added as features
	Spline   []string `json:"spline,omitempty"`   // column:knots
	Interact []string `json:"interact,omitempty"` // column:column
	// selects the rows that are used; see data.Frame.Filter; empty means all
	Filter      string   `json:"filter,omitempty"`
	Categorical []string `json:"categorical"` // numeric columns to treat as categories
	// positive value of a binary target; if empty, the notes state the rule that chose it
	Positive string `json:"positive"`
	// value of a two-valued target that is favourable to the person; used by reports, which infer it if it is empty
	Favourable string `json:"favourable,omitempty"`
	// group with whose rate of favourable outcomes reports compare the rates of other groups
	ReferenceGroup string `json:"reference_group,omitempty"`
	// error, mean, median or drop: treatment of nulls in numeric features
	Impute      string `json:"impute"`
	Scale       string `json:"scale"` // standard, max or none: scaling of numeric features
	ScaleTarget bool   `json:"scale_target"`
	Intercept   bool   `json:"intercept"` // whether an unpenalised constant is fitted

	// storage of the encoded rows: auto, float64, float32 or sparse; see design.Storage
	Storage string `json:"storage,omitempty"`

	// a name in package losses, such as huber, poisson or quantile:0.9; if empty, the target decides
	Loss       string  `json:"loss"`
	HuberDelta float64 `json:"huber_delta"` // δ > 0, in the units of the (scaled) target

	// The robustness. If it is not set, cross-validation inside the training rows chooses it as
	// specified by Choice.
	level.Level
	Choice

	// Recalibrate fits a slope and an intercept to the scores of a classifier, by the average loss of
	// out-of-fold predictions, and predicts with the resulting scores.
	Recalibrate bool `json:"recalibrate,omitempty"`

	// column of positive row weights, which define the reference distribution; if empty, all weights are equal
	Weight string `json:"weight,omitempty"`
	// Exposure names a column of positive numbers by which the counts are divided, for a loss whose link is
	// log. The model predicts a rate, and the weight of a row is proportional to its exposure. The margin of a
	// count then includes the fixed term log(exposure), and splitting a row into several, with its exposure and
	// its count, does not change the model.
	Exposure string `json:"exposure,omitempty"`

	Mu *float64 `json:"mu"` // ≥ 0; nil for 1/n

	// Regulariser is a regulariser defined by the caller's program; nil selects the ridge penalty. It requires
	// a robustness setting. The baselines always use the ridge penalty.
	Regulariser *Regulariser `json:"regulariser,omitempty"`

	Solver string  `json:"solver"` // one of solverNames()
	Gap    float64 `json:"gap"`    // relative gap to certify; must be positive
	// maximum number of passes over the data in a solve, which always makes at least one; must be positive
	MaxPasses float64 `json:"max_passes"`
	Holdout   float64 `json:"holdout"` // fraction of rows held out for evaluation, in [0, 1)
	// holdout or crossfit; with crossfit, all rows are used for training and are evaluated by models trained
	// without them; empty means holdout
	Evaluate string `json:"evaluate,omitempty"`
	Seed     uint64 `json:"seed"`

	// Threshold is the minimum probability at which the positive one of two classes is predicted; nil means
	// 0.5.
	Threshold *float64 `json:"threshold,omitempty"`

	// Alternatives to Holdout for choosing the rows that are held out; at most one may be set.
	HoldoutData  string `json:"holdout_data,omitempty"`  // a table with the same columns
	Split        string `json:"split,omitempty"`         // a column that assigns rows to training or test
	GroupHoldout string `json:"group_holdout,omitempty"` // a column of units, whose rows are never divided
	Time         string `json:"time,omitempty"`          // a column of times; the latest rows are held out

	// Rows on which the level is chosen instead of by cross-validation. They serve neither for training nor for
	// evaluation. At most one may be set.
	ValidationData string `json:"validation_data,omitempty"` // a table with the same columns
	// a column in which the value validation marks the rows
	ValidationSplit string `json:"validation_split,omitempty"`

	// GroupsInferred reports whether the training rows had no groups and were assigned to clusters of their
	// features instead. Fit sets it.
	GroupsInferred bool `json:"groups_inferred,omitempty"`

	// MinGroupSize is the minimum number of rows of a group that can be the worst group.
	MinGroupSize int `json:"min_group_size,omitempty"`

	// rows for training, for the choice of a model and for the hold-out; if nil, the settings above determine them
	Rows *RowSet `json:"-"`
	// Cache is a directory for rows that do not fit into memory, which are stored in unnamed files. If it does
	// not exist, its nearest existing parent is used. If it is empty, such rows are an error.
	Cache string `json:"-"`
	// OnDisk stores the encoded rows in Cache even if they fit into memory.
	OnDisk bool `json:"-"`

	Memory int64 `json:"-"` // memory in bytes that the process may use; 0 means what the system allows

	// Threads is the maximum number of goroutines that work for a training run at a time, including those that
	// read; 0 means GOMAXPROCS. It does not affect results or the rest of the process. If training runs with
	// different limits run at the same time, the smallest limit applies to all of them.
	Threads int `json:"-"`

	// comm connects the ranks that share the training; it is taken from the context of FitFrame, which is then
	// a collective call and returns the same model on all ranks. It is nil for a single process.
	comm ranks.Comm

	examined *examination // findings about the training rows; if nil, the rows are examined

	design *GroupDesign // design to use; if nil, it is chosen

	baselineMu, balancedMu *float64 // μ of ERM and of group-balanced ERM; nil means Mu
	keepsClasses           bool     // Recalibrate fits only a slope, which keeps the predicted classes

	// state from which another run can resume; nil means that no state is stored
	Checkpoint *Checkpoint `json:"-"`

	// KeepRows keeps the encoded rows in Model.Run after the training, as required for the evaluation (package
	// report) and for Model.AdversaryWeights. Otherwise the rows are released.
	KeepRows bool `json:"-"`

	// KeepProof keeps the weights that prove the lower bound in Model.Run, as required for Model.Prove, which
	// also requires KeepRows.
	KeepProof bool `json:"-"`

	NoBaseline bool `json:"-"` // do not train ERM models for comparison; requires that a level is set

	// called at every check during training, never concurrently; may be nil
	Observe  func(Progress)       `json:"-"`
	Announce func(string)         `json:"-"` // called with each line that a user should see at once; may be nil
	Logf     func(string, ...any) `json:"-"` // called with decisions of the solver, one line each; may be nil

	newLog func() func(Progress) // returns a function that logs one training; see LogTo
}

// DefaultConfig returns the settings of `drotrain train` run without options, except that the command cross-fits tables
// of fewer than CrossfitBelow rows. Data, Target and Groups are empty.
func DefaultConfig() Config {
	return Config{
		Impute: "error", Scale: "standard", ScaleTarget: true, Intercept: true, GroupFeatures: true,
		GroupCoefficients: groupCoefficientsAuto, Storage: "auto",
		HuberDelta: 1, Level: level.Level{Penalty: "kl"}, Choice: Choice{Rate: tune.DefaultOptions().Rate},
		Solver: autoSolver, Gap: 1e-6, MaxPasses: 10000, Holdout: 0.2, Seed: 0, MinGroupSize: 20,
	}
}

// setDefaults sets strings and numbers with zero values to their defaults. It keeps a Rate of 0 if another field of
// Choice is set, since the average risk may have no weight.
func (c *Config) setDefaults() {
	d := DefaultConfig()
	c.Impute, c.Scale, c.Solver, c.Storage = cmp.Or(c.Impute, d.Impute), cmp.Or(c.Scale, d.Scale), cmp.Or(c.Solver,
		d.Solver), cmp.Or(c.Storage, d.Storage)
	c.Gap, c.MaxPasses, c.HuberDelta = cmp.Or(c.Gap, d.Gap), cmp.Or(c.MaxPasses, d.MaxPasses), cmp.Or(c.HuberDelta,
		d.HuberDelta)
	c.Penalty = cmp.Or(c.Penalty, d.Penalty)
	if c.Choice == (Choice{LearningCurve: c.LearningCurve}) {
		c.Rate = d.Rate
	}
}

// optionsByName returns the options, indexed by name and encoded as JSON. The configuration must be valid.
func (c Config) optionsByName() (options map[string]json.RawMessage) {
	b, _ := json.Marshal(c)
	_ = json.Unmarshal(b, &options)
	return options
}

// A Progress describes a check during training.
type Progress struct {
	// "group coefficients", "erm" or "group-weighted erm" for the baselines, "choosing", "robust", "tempered
	// erm", "recalibrating" or "cross-fitting"
	Phase        string
	Passes       float64
	MaxPasses    float64
	Elapsed      time.Duration
	Upper, Lower float64 // certified bounds on the optimal objective, in units of the loss; Lower may be -Inf
	RelativeGap  float64 // (Upper−Lower)/max(1e-12, |Upper|); +Inf if there is no lower bound
	Target       float64 // the requested relative gap

	// numbers of models solved and to be solved, in a phase with many models; the bounds are then 0
	Done, Total int
}

// countObserver returns a function that reports the number of models solved in a phase, or nil if Config.Observe is
// nil.
func (c Config) countObserver(phase string, began time.Time) func(done, total int) {
	if c.Observe == nil {
		return nil
	}
	return func(done, total int) {
		c.Observe(Progress{Phase: phase, Done: done, Total: total, Elapsed: time.Since(began)})
	}
}

// Share returns the proportion of a solve that is finished, given the first relative gap of the solve. It is the larger
// of two proportions: how far the logarithm of the gap has moved from first to Target, and Passes relative to MaxPasses.
func (p Progress) Share(first float64) float64 {
	share := 0.0
	if p.MaxPasses > 0 {
		share = p.Passes / p.MaxPasses
	}
	if p.RelativeGap <= p.Target {
		share = 1
	} else if first > p.Target && p.Target > 0 && p.RelativeGap < first {
		share = math.Max(share, math.Log(first/p.RelativeGap)/math.Log(first/p.Target))
	}
	return math.Min(1, share)
}
